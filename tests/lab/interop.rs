//! A third-party client, pygnmi, against a target: `tests/interop/pygnmi_interop.py`.
//!
//! It runs with the Python of `NOCTUI_PYGNMI_PYTHON`, or `python3`, where pygnmi is installed; elsewhere it
//! says "skipped".

use super::client::Bench;
use std::process::Stdio;
use tokio::process::Command;

/// What the script exits with when pygnmi is missing.
const SKIPPED: i32 = 77;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pygnmi_reads_a_target() {
    let bench = Bench::start("S").await;
    let entry = bench.entry("xrd-1");
    let python = std::env::var("NOCTUI_PYGNMI_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/interop/pygnmi_interop.py"
        ))
        .args([
            &entry.ip_address,
            &entry.port.to_string(),
            "lab",
            "lab",
            "GigabitEthernet0/0/0/0",
        ])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    let Ok(output) = output else {
        println!("skipped: there is no Python");
        return;
    };
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{text}");
    match output.status.code() {
        Some(0) => assert!(text.contains("ok "), "{text}"),
        Some(SKIPPED) => println!("skipped: pygnmi is not installed"),
        _ => panic!("pygnmi and the target do not understand each other:\n{text}"),
    }
}
