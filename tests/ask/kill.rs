//! Killed for real: SIGKILL in the middle, resumed to a report.

use std::io::{BufRead, BufReader};

use crate::program::Noctui;

#[test]
fn killed_while_it_runs_it_is_resumed_to_its_report() {
    let noctui = Noctui::new();
    let mut command = noctui.command();
    command.args([
        "ask",
        "Check interfaces on devices matching 'xrd-*'",
        "--lab",
        "S",
    ]);
    let mut child = command.spawn().unwrap();
    // The plan stands: kill it there.
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let planned = lines.map_while(Result::ok).any(|line| line.contains("plan v1"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(planned);
    let resumed = noctui.run(&["sessions", "resume", "last", "--format", "json"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let report = resumed.json();
    assert_eq!(report["outcome"]["outcome"], "reported");
    let versions: Vec<u64> = report["plans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["version"].as_u64().unwrap())
        .collect();
    assert_eq!(
        versions,
        (1..=versions.len() as u64).collect::<Vec<_>>(),
        "the plan that stood was kept"
    );
    let first = report["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["function"] == "gnmi.get_devices");
    assert_eq!(first.count(), 1, "the inventory was not read again");
    let again = noctui.run(&["sessions", "resume", "last", "--format", "json"]);
    assert_eq!(again.json(), report, "an ended session is only shown");
}
