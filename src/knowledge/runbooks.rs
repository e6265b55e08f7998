//! The runbooks in force: built in, then the user's, then the project's; a later one of a name replaces the
//! earlier, or builds on it with `"extends"`.
//!
//! A broken file costs that runbook and is remembered; it never falls back silently to the one it replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::runbook::{Runbook, RunbookError};

/// The built-in files, by intent.
const BUILT_IN: [(&str, &str); 8] = [
    (
        "check_bgp_neighbors",
        include_str!("../../plans/check_bgp_neighbors.json"),
    ),
    (
        "check_interface_status",
        include_str!("../../plans/check_interface_status.json"),
    ),
    (
        "check_mpls_state",
        include_str!("../../plans/check_mpls_state.json"),
    ),
    (
        "general_device_health_check",
        include_str!("../../plans/general_device_health_check.json"),
    ),
    (
        "review_p_device",
        include_str!("../../plans/review_p_device.json"),
    ),
    (
        "review_pe_device",
        include_str!("../../plans/review_pe_device.json"),
    ),
    (
        "review_rr_device",
        include_str!("../../plans/review_rr_device.json"),
    ),
    (
        "troubleshoot_vpn_vrf",
        include_str!("../../plans/troubleshoot_vpn_vrf.json"),
    ),
];

/// Where a runbook comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Built into the program.
    BuiltIn,
    /// The user's folder.
    User,
    /// The project's folder.
    Project,
}

impl Place {
    /// The word for lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// All runbooks by intent.
#[derive(Clone, Debug, Default)]
pub struct Runbooks {
    found: BTreeMap<String, (Place, Result<Runbook, RunbookError>)>,
}

impl Runbooks {
    /// The built-in ones alone.
    pub fn built_in() -> Self {
        let mut runbooks = Self::default();
        for (intent, text) in BUILT_IN {
            let file = PathBuf::from(format!("plans/{intent}.json"));
            runbooks
                .found
                .insert(intent.to_owned(), (Place::BuiltIn, Runbook::parse(text, &file)));
        }
        runbooks
    }

    /// The built-in ones with the user's and the project's folders over them; folders may be missing.
    ///
    /// # Errors
    /// When a folder is there and cannot be listed.
    pub fn load(user: &Path, project: &Path) -> Result<Self, RunbookError> {
        let mut runbooks = Self::built_in();
        for (place, folder) in [(Place::User, user), (Place::Project, project)] {
            for file in files(folder)? {
                runbooks.add(place, &file);
            }
        }
        Ok(runbooks)
    }

    fn add(&mut self, place: Place, file: &Path) {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let read = fs::read_to_string(file)
            .map_err(|error| fault(file, "file", format!("cannot be read: {error}")))
            .and_then(|text| Runbook::parse(&text, file))
            .and_then(|runbook| self.extend(runbook));
        self.found.insert(name, (place, read));
    }

    /// Puts the steps of the runbook it extends before its own.
    fn extend(&self, mut runbook: Runbook) -> Result<Runbook, RunbookError> {
        let Some(base) = &runbook.extends else {
            return Ok(runbook);
        };
        match self.found.get(base) {
            Some((_, Ok(base))) => {
                runbook.steps.splice(0..0, base.steps.iter().cloned());
                Ok(runbook)
            }
            Some((_, Err(_))) => Err(fault(
                &runbook.file,
                "extends",
                format!("\"{base}\" is broken itself"),
            )),
            None => {
                let problem = format!("there is no runbook \"{base}\" in an earlier place");
                Err(fault(&runbook.file, "extends", problem))
            }
        }
    }

    /// Every runbook that can be used, by intent.
    pub fn iter(&self) -> impl Iterator<Item = (Place, &Runbook)> {
        self.found
            .values()
            .filter_map(|(place, read)| read.as_ref().ok().map(|runbook| (*place, runbook)))
    }

    /// What is wrong with those that cannot.
    pub fn problems(&self) -> impl Iterator<Item = &RunbookError> {
        self.found.values().filter_map(|(_, read)| read.as_ref().err())
    }

    /// The runbook of an intent; none when there is no such name.
    ///
    /// # Errors
    /// When its file is broken.
    pub fn get(&self, intent: &str) -> Result<Option<&Runbook>, RunbookError> {
        self.found
            .get(intent)
            .map(|(_, read)| read.as_ref().map_err(Clone::clone))
            .transpose()
    }

    /// All names, the broken ones too.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }
}

fn fault(file: &Path, field: &str, problem: String) -> RunbookError {
    RunbookError {
        file: file.to_owned(),
        field: field.to_owned(),
        problem,
    }
}

/// The `.json` files of a folder, in the order of their names, so that one may extend an earlier one.
fn files(folder: &Path) -> Result<Vec<PathBuf>, RunbookError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(fault(folder, "file", format!("cannot be listed: {error}"))),
    };
    let is_plan = |file: &PathBuf| {
        let hidden = file
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && file.extension().is_some_and(|extension| extension == "json")
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(is_plan)
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_ones_are_all_valid() {
        let runbooks = Runbooks::built_in();
        assert_eq!(
            runbooks.problems().collect::<Vec<_>>(),
            Vec::<&RunbookError>::new()
        );
        assert_eq!(runbooks.iter().count(), 8);
        for (_, runbook) in runbooks.iter() {
            assert!(runbook.steps.len() >= 6, "{}", runbook.intent);
            assert!(
                runbook.steps.iter().any(|step| step.contains("logs")),
                "{} reads no logs",
                runbook.intent
            );
            for step in 0..runbook.steps.len() {
                assert!(!runbook.title(step).is_empty());
            }
        }
    }

    #[test]
    fn every_file_of_plans_is_built_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plans");
        let names: Vec<String> = files(&folder)
            .unwrap()
            .iter()
            .map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, BUILT_IN.map(|(name, _)| name.to_owned()));
    }

    #[test]
    fn later_places_replace_extend_and_break() {
        let home = tempfile::tempdir().unwrap();
        let (user, project) = (home.path().join("user"), home.path().join("project"));
        fs::create_dir_all(&user).unwrap();
        fs::create_dir_all(&project).unwrap();
        let write = |folder: &Path, name: &str, rest: &str| {
            let text = format!("{{\"intent\": \"{name}\", \"description\": \"d\", {rest}}}");
            fs::write(folder.join(format!("{name}.json")), text).unwrap();
        };
        write(
            &user,
            "review_p_device",
            "\"steps\": [\"Look at the fans first.\"]",
        );
        write(
            &user,
            "check_mpls_state",
            "\"extends\": \"check_mpls_state\", \"steps\": [\"Look at RSVP too.\"]",
        );
        write(&user, "own_thing", "\"steps\": [\"Look at the weather.\"]");
        write(&project, "review_pe_device", "\"steps\": []");
        write(
            &project,
            "lost",
            "\"extends\": \"nowhere\", \"steps\": [\"Look at the weather.\"]",
        );
        fs::write(user.join("notes.txt"), "not a plan").unwrap();
        let runbooks = Runbooks::load(&user, &project).unwrap();

        assert_eq!(
            runbooks.get("review_p_device").unwrap().unwrap().steps,
            ["Look at the fans first."]
        );
        let built_in = Runbooks::built_in();
        let base = built_in.get("check_mpls_state").unwrap().unwrap();
        let extended = runbooks.get("check_mpls_state").unwrap().unwrap();
        assert_eq!(extended.steps[..base.steps.len()], base.steps[..]);
        assert_eq!(extended.steps.last().unwrap(), "Look at RSVP too.");
        assert!(runbooks.get("own_thing").unwrap().is_some());
        assert!(runbooks.get("nope").unwrap().is_none());
        // A broken replacement is an error, not the runbook it was to replace.
        assert!(
            runbooks
                .get("review_pe_device")
                .unwrap_err()
                .to_string()
                .contains("steps")
        );
        let problems: Vec<String> = runbooks.problems().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("lost.json: extends: there is no runbook \"nowhere\""));
    }
}
