//! Which network a lab is made of and what goes wrong in it, from the command line and the settings.

use crate::cli::{Failure, compose};
use crate::lab::fault::Fault;
use crate::lab::network::{self, Network, NetworkError, NetworkFile};
use crate::settings::{self, LabSize};
use serde::Deserialize;

/// What to run.
pub(super) struct Plan {
    pub(super) network: Network,
    pub(super) faults: Vec<Fault>,
    /// Id of the scenario; empty for none.
    pub(super) scenario: String,
}

/// What `up` needs of a scenario file; the rest (question, truth, budget) is for whoever judges a diagnosis.
#[derive(Deserialize)]
struct ScenarioFile {
    #[serde(default)]
    id: String,
    size: Option<String>,
    #[serde(default, rename = "fault")]
    faults: Vec<Fault>,
}

/// Resolves size and scenario: the command line goes before the scenario, that before the settings.
pub(super) fn plan(
    size: Option<&str>,
    chosen: Option<&str>,
    settings: &settings::Lab,
) -> Result<Plan, Failure> {
    let name = chosen.unwrap_or(&settings.scenario);
    let scenario = if name.is_empty() {
        None
    } else {
        Some(scenario(name)?)
    };
    let (id, own_size, faults) = match scenario {
        Some(file) => (
            if file.id.is_empty() {
                name.to_owned()
            } else {
                file.id
            },
            file.size,
            file.faults,
        ),
        None => Default::default(),
    };
    let configured = match settings.size {
        LabSize::S => "S",
        LabSize::M => "M",
        LabSize::L => "L",
    };
    let size = size
        .map(str::to_owned)
        .or(own_size)
        .unwrap_or_else(|| configured.to_owned());
    Ok(Plan {
        network: network(&size)?,
        faults,
        scenario: id,
    })
}

/// A built-in network, a generated one of that many devices, or one from a file.
fn network(size: &str) -> Result<Network, Failure> {
    let wrong = |error: NetworkError| {
        let text = error.to_string();
        let general = "`--size` takes S, M, L, a number of devices (12 or more) or a .toml file";
        let (what, next) = text.split_once('\n').unwrap_or((&text, general));
        Failure::config(what, next.trim())
    };
    if let Ok(devices) = size.parse::<usize>() {
        if devices < network::SMALLEST {
            return Err(Failure::usage(
                format!(
                    "--size {devices}: a generated network has at least {} devices",
                    network::SMALLEST
                ),
                "the smallest network is S, with eight",
            ));
        }
        return network::build(&network::generate(devices)).map_err(wrong);
    }
    if std::path::Path::new(size)
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = read(size)?;
        return NetworkFile::parse(&text, size)
            .and_then(|file| network::build(&file))
            .map_err(wrong);
    }
    network::builtin(size).map_err(wrong)
}

/// A built-in scenario by its id, or a file of one's own.
fn scenario(name: &str) -> Result<ScenarioFile, Failure> {
    if std::path::Path::new(name)
        .extension()
        .is_none_or(|extension| extension != "toml")
    {
        let found = compose::lab::scenario(name)?;
        return Ok(ScenarioFile {
            id: found.id,
            size: Some(found.network),
            faults: found.faults,
        });
    }
    let text = read(name)?;
    toml::from_str(&text).map_err(|error| {
        Failure::config(
            format!("{name}: {}", error.message()),
            "a scenario is TOML with [[fault]] tables",
        )
    })
}

fn read(file: &str) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| {
        Failure::config(
            format!("{file}: {error}"),
            "`noctui lab list` names what is built in",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_built_in_generated_or_read() {
        assert_eq!(network("S").unwrap().devices.len(), 8);
        assert_eq!(network("sp-m").unwrap().devices.len(), 24);
        assert_eq!(network("30").unwrap().devices.len(), 30);
        let missing = network("no-such-file.toml").err().unwrap();
        assert!(missing.what.contains("no-such-file.toml"));
        assert!(network("XXL").err().unwrap().what.contains("XXL"));
        assert!(network("3").err().unwrap().what.contains("at least 12"));
    }

    #[test]
    fn scenarios_are_built_in_or_read() {
        let built_in = scenario("d01").unwrap();
        assert_eq!(
            (built_in.id.as_str(), built_in.size.as_deref()),
            ("D01", Some("sp-s"))
        );
        assert!(!built_in.faults.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, "[[fault]]\nop = \"node.down\"\ndevice = \"xrd-1\"\n").unwrap();
        assert_eq!(
            scenario(&file.display().to_string()).unwrap().faults[0].op,
            "node.down"
        );
        assert!(scenario("Z99").is_err());
    }
}
