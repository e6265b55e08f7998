//! The real binary: `noctui gnmi serve` as a child on stdio and over HTTP, and `noctui gnmi get` by hand.

use super::fake::{Behaviour, Device, closed_port, start};
use super::{call, entry, trees};
use rmcp::ServiceExt;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_noctui");

pub fn noctui(arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .args(arguments)
        .env_remove("NOCTUI_INVENTORY")
        .env_remove("NETWORK_INVENTORY")
        .kill_on_drop(true);
    command
}

fn inventory_file(folder: &tempfile::TempDir, entries: &[Value]) -> String {
    let path = folder.path().join("inventory.json");
    std::fs::write(&path, json!(entries).to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_child_serves_tools_on_stdio() {
    let device = start(Device::new(trees::pe("xrd-1"))).await;
    let folder = tempfile::tempdir().unwrap();
    let file = inventory_file(
        &folder,
        &[entry("xrd-1", device.port), entry("down", closed_port().await)],
    );
    let command = noctui(&["gnmi", "serve", "--inventory", &file]);
    let (child, _stderr) = TokioChildProcess::builder(command)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let client = ().serve(child).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 17);
    let devices = call(&client, "get_devices", json!({})).await;
    assert_eq!(devices["devices"][0]["password"], "***");
    let good = call(&client, "get_routing_info", json!({ "device_name": "xrd-1" })).await;
    assert_eq!(good["status"], "success", "{good}");
    let down = call(&client, "get_routing_info", json!({ "device_name": "down" })).await;
    assert_eq!(down["status"], "failed");
    assert_eq!(
        down["metadata"]["protocol_statuses"],
        json!({ "bgp": "failed", "isis": "failed" })
    );
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stdout_holds_nothing_but_mcp_and_the_child_ends_with_its_client() {
    let folder = tempfile::tempdir().unwrap();
    let file = inventory_file(&folder, &[entry("down", closed_port().await)]);
    let mut command = noctui(&["-vv", "gnmi", "serve", "--inventory", &file]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": { "name": "raw", "version": "0" } } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "get_system_info", "arguments": { "device_name": "down" } } });
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for message in [hello, done, call] {
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let first: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(first["result"]["serverInfo"]["name"], "noctui-gnmi");
    let second: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(
        second["result"]["structuredContent"]["error_response"]["type"],
        "CONNECTION_TIMEOUT"
    );
    drop(stdin);
    assert_eq!(lines.next_line().await.unwrap(), None);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(10), child.wait()).await;
    assert!(ended.unwrap().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_serves_the_same_tools() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let file = inventory_file(&folder, &[entry("down", closed_port().await)]);
    let mut command = noctui(&["gnmi", "serve", "--inventory", &file, "--http", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let url = line.split_whitespace().last().unwrap().to_owned();
    let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await.unwrap();
    let devices = call(&client, "get_devices", json!({})).await;
    assert_eq!(devices["devices"][0]["name"], "down");
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_inventory_is_two_lines_and_exit_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = inventory_file(&folder, &[json!({ "name": "a", "ip_address": "a.lab" })]);
    let output = noctui(&["gnmi", "serve", "--inventory", &file])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("device 1 (\"a\"), field \"ip_address\""), "{text}");
    assert!(output.stdout.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn get_by_hand_prints_as_gnmic_does() {
    let (a, b) = (
        start(Device::new(trees::pe("a"))).await,
        start(Device::new(trees::pe("b"))).await,
    );
    let (first, second) = (format!("127.0.0.1:{}", a.port), format!("127.0.0.1:{}", b.port));
    let path = "/interfaces/interface[name=Null0]/state";
    let base = [
        "gnmi",
        "get",
        "--insecure",
        "-u",
        "cisco",
        "-p",
        "s3cret",
        "--path",
        path,
        "--timeout",
        "2s",
    ];
    let run = |extra: Vec<&str>| {
        let mut command = noctui(&base);
        command.args(extra);
        async move { command.output().await.unwrap() }
    };
    let one = run(vec!["-a", &first]).await;
    assert!(one.status.success(), "{}", String::from_utf8_lossy(&one.stderr));
    let json: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(json[0]["source"], first.as_str());

    let two = run(vec!["-a", &first, "-a", &second, "--format", "flat"]).await;
    let text = String::from_utf8(two.stdout).unwrap();
    let wanted = format!("[{second}] /interfaces/interface[name=Null0]/state/mtu: 1500");
    assert!(text.lines().any(|line| line == wanted), "{text}");

    let dead = format!("127.0.0.1:{}", closed_port().await);
    let mixed = run(vec!["-a", &first, "-a", &dead]).await;
    assert_eq!(mixed.status.code(), Some(4));
    let errors = String::from_utf8(mixed.stderr).unwrap();
    assert!(
        errors.contains(&format!("[{dead}] unreachable")) && !errors.contains("s3cret"),
        "{errors}"
    );
    assert!(!mixed.stdout.is_empty(), "the target that answered is printed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn capabilities_by_hand() {
    let device = start(Device::new(trees::pe("a"))).await;
    let address = format!("127.0.0.1:{}", device.port);
    let mut child = noctui(&[
        "gnmi",
        "capabilities",
        "-a",
        &address,
        "--insecure",
        "-u",
        "cisco",
    ])
    .env("NOCTUI_GNMI_PASSWORD", "s3cret")
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .await
        .unwrap();
    assert!(
        text.contains("gNMI version: 0.8.0")
            && text.contains("  - openconfig-system, OpenConfig working group, 0.17.1"),
        "{text}"
    );
}

/// An answer of 50 MB is refused by its announced length: a process that may have 256 MB of data outlives it.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_megabytes_are_refused_in_little_memory() {
    let bytes = format!("\"{}\"", "x".repeat(50 * 1024 * 1024)).into_bytes();
    let device = start(Device::behaving(json!({}), Behaviour::Bytes(bytes))).await;
    let address = format!("127.0.0.1:{}", device.port);
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -d 262144 && exec \"$0\" \"$@\"", BINARY])
        .args([
            "gnmi",
            "get",
            "--insecure",
            "-u",
            "cisco",
            "-p",
            "s3cret",
            "-a",
            &address,
        ])
        .args(["--path", "/system", "--timeout", "30s"])
        .kill_on_drop(true);
    let output = command.output().await.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(
        errors.contains("too_large") && errors.contains("size limit"),
        "{errors}"
    );
}
