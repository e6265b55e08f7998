//! The program under test, in a home of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The program with a home folder that goes with it.
pub struct Noctui {
    home: tempfile::TempDir,
}

/// What a run printed and how it ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }

    /// The two lines of the error.
    pub fn last_error(&self) -> [&str; 2] {
        let lines: Vec<&str> = self.stderr.trim_end().lines().collect();
        let [.., what, next] = lines.as_slice() else {
            panic!("no two lines: {}", self.stderr)
        };
        assert!(
            what.starts_with("noctui: ") && next.starts_with("  next: "),
            "{}",
            self.stderr
        );
        [what, next]
    }
}

impl Noctui {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The command, without arguments: no terminal, no inherited settings.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noctui"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("NOCTUI_") {
                command.env_remove(name);
            }
        }
        command
            .env("NOCTUI_HOME", self.home())
            .env_remove("RUST_BACKTRACE")
            .current_dir(self.home());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command().args(arguments).output().unwrap())
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may refuse early and close its end.
        let _ = child.stdin.take().unwrap().write_all(input);
        finish(child.wait_with_output().unwrap())
    }

    /// Writes the user's `mcp.json`.
    pub fn servers(&self, servers: &Value) {
        let folder = self.home().join("config");
        std::fs::create_dir_all(&folder).unwrap();
        let text = serde_json::json!({ "mcpServers": servers }).to_string();
        std::fs::write(folder.join("mcp.json"), text).unwrap();
    }
}

/// What a finished run printed.
pub fn finish(output: std::process::Output) -> Run {
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
