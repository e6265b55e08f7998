//! `noctui lab` by hand: a lab in a process of its own, broken, looked into and healed from the command line.

use serde_json::Value;
use std::process::{Output, Stdio};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Folders that no other lab knows, and the lab in them.
struct Running {
    folder: tempfile::TempDir,
    child: Child,
}

fn noctui(folder: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noctui"));
    command
        .args(arguments)
        .env("XDG_STATE_HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

impl Running {
    async fn up() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inventory = folder.path().join("inventory.json");
        let arguments = ["lab", "up", "--size", "S", "--ports", "0", "--inventory"];
        let mut command = noctui(folder.path(), &arguments);
        let mut child = command.arg(inventory).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(" up: sp-s with 8 devices") {
                return Running { folder, child };
            }
        }
        panic!("the lab did not come up");
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        noctui(self.folder.path(), arguments).output().await.unwrap()
    }

    async fn done(&self, arguments: &[&str]) {
        let output = self.run(arguments).await;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {errors}");
    }

    async fn show(&self, device: &str, path: &str) -> Value {
        let output = self.run(&["lab", "show", device, path]).await;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{path}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_lab_is_broken_looked_into_and_healed() {
    let lab = Running::up().await;
    let (path, text) = (
        "/interfaces/interface[name=GigabitEthernet0/0/0/2]/state/counters/out-discards",
        "link.congestion device=xrd-5 interface=GigabitEthernet0/0/0/2 rate=50 at_s=-600",
    );
    let before = lab.show("xrd-5", path).await;
    lab.done(&["lab", "inject", text]).await;
    lab.done(&[
        "lab",
        "inject",
        "interface.mtu",
        "device=xrd-1",
        "interface=GigabitEthernet0/0/0/2",
        "value=1400",
    ])
    .await;
    let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let during = lab.show("xrd-5", path).await;
    assert!(
        number(&during) >= number(&before) + 30_000,
        "{before}, then {during}"
    );
    let mtu = "/interfaces/interface[name=GigabitEthernet0/0/0/2]/state/mtu";
    assert_eq!(lab.show("xrd-1", mtu).await, 1400);
    let listed = lab.run(&["lab", "list"]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("fault: link.congestion xrd-5"), "{listed}");
    lab.done(&["lab", "heal"]).await;
    assert_eq!(lab.show("xrd-5", path).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_input_is_answered_in_two_lines() {
    let lab = Running::up().await;
    let inventory = std::fs::read_to_string(lab.folder.path().join("inventory.json")).unwrap();
    let inventory: Value = serde_json::from_str(&inventory).unwrap();
    let taken = inventory[0]["port"].to_string();
    for (arguments, code, what, next) in [
        (
            &["lab", "inject", "bgp.neighbour.shutdown device=xrd-1"][..],
            2,
            "no operation",
            "did you mean \"bgp.neighbor.shutdown\"?",
        ),
        (
            &["lab", "inject", "node.down device=xdr-1"],
            2,
            "no device \"xdr-1\"",
            "did you mean \"xrd-1\"?",
        ),
        (
            &["lab", "inject", "ntp.servers device=xrd-1"],
            2,
            "value is missing",
            "it takes value",
        ),
        (
            &["lab", "inject", "node.down device"],
            2,
            "is not KEY=VALUE",
            "lab list --ops",
        ),
        (&["lab", "show", "xrd-9", "/"], 2, "no device \"xrd-9\"", "xrd-8"),
        (
            &["lab", "show", "xrd-1", "/interfaces/interface[name"],
            2,
            "character 27",
            "[name=*]",
        ),
        (
            &["lab", "show", "xrd-1", "/nothing"],
            2,
            "nothing at /nothing",
            "try a shorter path",
        ),
        (
            &["lab", "heal", "--lab", "1"],
            2,
            "no lab with process id 1",
            "lab list",
        ),
        (
            &["lab", "up", "--size", "XXL"],
            2,
            "no built-in network \"XXL\"",
            "sp-s",
        ),
        (&["lab", "up", "--size", "3"], 2, "at least 12 devices", "S"),
        (
            &["lab", "up", "--scenario", "Z99"],
            2,
            "no scenario \"Z99\"",
            "lab list",
        ),
        (&["lab", "up", "--ports", "soon"], 2, "not a port", "57400+"),
        (
            &["lab", "up", "--size", "S", "--ports", "65533+"],
            4,
            "do not fit",
            "--ports 0",
        ),
        (
            &["lab", "up", "--size", "S", "--ports", taken.as_str()],
            4,
            taken.as_str(),
            "--ports 0",
        ),
    ] {
        let output = lab.run(arguments).await;
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{arguments:?}: {text}");
        assert!(lines[0].contains(what), "{arguments:?}: {text}");
        assert!(lines[1].contains(next), "{arguments:?}: {text}");
    }
    let mut lab = lab;
    assert_eq!(lab.child.try_wait().unwrap(), None, "the lab goes on");
}
