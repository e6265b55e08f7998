//! The lab as a place to investigate: its targets in this process, its inventory in a file of its own.

use std::sync::Arc;

use super::super::Failure;
use super::toolbox::own_program;
use crate::lab::Lab;
use crate::lab::live::{LiveLab, system_clock};
use crate::lab::network::{self, Network};
use crate::lab::scenario::{self, Scenario};
use crate::lab::target::{LabOptions, LabRunning, Ports};
use crate::settings::LabSize;
use crate::tools::ServerSpec;

/// A lab that runs in this process until it is stopped or dropped.
pub(in crate::cli) struct RunningLab {
    running: LabRunning,
    folder: tempfile::TempDir,
}

/// A built-in scenario by its id.
///
/// # Errors
/// When there is none such.
pub(in crate::cli) fn scenario(id: &str) -> Result<Scenario, Failure> {
    let all = scenario::builtin()
        .map_err(|error| Failure::failed(error.to_string(), "this is a defect: please report it"))?;
    let names: Vec<String> = all.iter().map(|s| s.id.clone()).collect();
    all.into_iter()
        .find(|s| s.id.eq_ignore_ascii_case(id))
        .ok_or_else(|| {
            let near = crate::settings::nearest(id, names.iter().map(String::as_str));
            let hint = near
                .map(|name| format!("did you mean {name}? "))
                .unwrap_or_default();
            Failure::usage(
                format!("there is no scenario \"{id}\""),
                format!("{hint}`noctui lab list` names them all"),
            )
        })
}

/// The size of lab a scenario is for.
pub(in crate::cli) fn size_of(scenario: &Scenario) -> LabSize {
    match scenario.size.as_str() {
        "M" => LabSize::M,
        "L" => LabSize::L,
        _ => LabSize::S,
    }
}

impl RunningLab {
    /// Starts the targets of a network on loopback and breaks it as the scenario says.
    ///
    /// # Errors
    /// When there is no such scenario, a port is taken or the inventory can't be written.
    pub(in crate::cli) async fn start(
        size: LabSize,
        scenario: Option<&str>,
        seed: u64,
        port: u16,
    ) -> Result<RunningLab, Failure> {
        let failed = |what: String| Failure::failed(what, "see `noctui lab list`");
        let clock = system_clock();
        let now = clock();
        let mut lab = Lab::new(network(size)?, seed, now);
        if let Some(id) = scenario {
            for fault in self::scenario(id)?.faults {
                lab.inject(fault)
                    .map_err(|error| failed(format!("scenario {id}: {error}")))?;
            }
        }
        let live = Arc::new(LiveLab::new(lab, clock));
        let ports = if port == 0 {
            Ports::Ephemeral
        } else {
            Ports::From(port)
        };
        let running = LabRunning::start(
            live,
            LabOptions {
                ports,
                ..LabOptions::default()
            },
        )
        .await
        .map_err(|error| failed(error.to_string()))?;
        let folder = tempfile::Builder::new()
            .prefix("noctui-lab-")
            .tempdir()
            .map_err(|error| Failure::failed(format!("no temporary folder: {error}"), "set TMPDIR"))?;
        let inventory = serde_json::to_string_pretty(running.inventory())
            .map_err(|error| failed(format!("the lab's inventory: {error}")))?;
        std::fs::write(folder.path().join(INVENTORY), inventory).map_err(|error| {
            Failure::failed(format!("{}: {error}", folder.path().display()), "set TMPDIR")
        })?;
        Ok(RunningLab { running, folder })
    }

    /// The collector of this lab, as a child process.
    ///
    /// # Errors
    /// When this program can't find itself.
    pub(in crate::cli) fn collector(&self) -> Result<ServerSpec, Failure> {
        let inventory = self.folder.path().join(INVENTORY).display().to_string();
        let arguments = ["gnmi", "serve", "--inventory", &inventory]
            .map(str::to_owned)
            .to_vec();
        Ok(ServerSpec::stdio("gnmi", own_program()?, arguments))
    }

    /// Closes every port.
    pub(in crate::cli) async fn stop(self) {
        self.running.stop().await;
    }
}

const INVENTORY: &str = "inventory.json";

fn network(size: LabSize) -> Result<Network, Failure> {
    let name = match size {
        LabSize::S => "sp-s",
        LabSize::M => "sp-m",
        LabSize::L => "sp-l",
    };
    network::builtin(name)
        .map_err(|error| Failure::failed(error.to_string(), "this is a defect: please report it"))
}
