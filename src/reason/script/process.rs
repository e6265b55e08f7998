//! The child's keeper: starts it with nothing inherited, answers its calls, and ends it in any case.
//!
//! A child that says nothing, too much, or nonsense is a failed script. Dropping the run kills the child.

use std::{path::PathBuf, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::wire::{Call, ChildLimits, Ended, FromChild, Reply, Start};
use crate::agent::model::ErrorKind;

/// Longest script, and longest line a child may send, in bytes.
const MAX_SOURCE: usize = 64 * 1024;
const MAX_LINE: u64 = 1024 * 1024;

/// What a script may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Time of one run.
    pub wall: Duration,
    /// Processor time of one run, whole seconds.
    pub cpu_s: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Steps of the evaluator.
    pub ticks: u64,
    /// Tool calls.
    pub calls: u32,
    /// Bytes of output.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(10),
            cpu_s: 3,
            memory: 512 * 1024 * 1024,
            ticks: 5_000_000,
            calls: 100,
            output: 64 * 1024,
        }
    }
}

/// A script and what it is told about where it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    pub source: String,
    /// The device of the lane; `None` for the network as a whole.
    pub device: Option<String>,
    pub targets: Vec<String>,
}

/// Runs scripts, one child process each.
#[derive(Debug, Clone)]
pub struct Sandbox {
    program: PathBuf,
    limits: Limits,
}

impl Sandbox {
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        Self { program, limits }
    }

    /// Runs a script until it ends or needs a call that `answer` has no answer for.
    pub async fn run(&self, script: &Script, answer: impl Fn(&Call) -> Option<Reply> + Send) -> Ended {
        if script.source.len() > MAX_SOURCE {
            return failed(format!("it is longer than {MAX_SOURCE} bytes"));
        }
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(e) => return failed(format!("the sandbox could not be started: {e}")),
        };
        let ended = match timeout(self.limits.wall, self.converse(&mut child, script, answer)).await {
            Ok(Some(ended)) => ended,
            Ok(None) => violation(self.cause_of_death(&mut child).await),
            Err(_) => violation(format!(
                "it did not end within {} s",
                self.limits.wall.as_secs_f64()
            )),
        };
        let _ = child.start_kill();
        let _ = child.wait().await;
        ended
    }

    fn spawn(&self) -> std::io::Result<Child> {
        Command::new(&self.program)
            .arg("sandbox")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }

    /// The talk with a child; `None` when it is gone.
    async fn converse(
        &self,
        child: &mut Child,
        script: &Script,
        answer: impl Fn(&Call) -> Option<Reply> + Send,
    ) -> Option<Ended> {
        let mut input = child.stdin.take()?;
        let mut output = BufReader::new(child.stdout.take()?);
        let start = Start {
            source: script.source.clone(),
            device: script.device.clone(),
            targets: script.targets.clone(),
            limits: ChildLimits {
                ticks: self.limits.ticks,
                heap: usize::try_from(self.limits.memory / 4).unwrap_or(usize::MAX),
                depth: 60,
                calls: self.limits.calls,
                output: self.limits.output,
                memory: self.limits.memory,
                cpu_s: self.limits.cpu_s,
            },
        };
        input.write_all(&line(&start)?).await.ok()?;
        let mut calls_seen = 0_usize;
        loop {
            let calls = match read(&mut output).await? {
                Ok(FromChild::Calls(calls)) => calls,
                Ok(FromChild::Done(text)) => return Some(Ended::Done { output: text }),
                Ok(FromChild::Failed(reason)) => return Some(failed(reason)),
                Err(reason) => return Some(failed(reason)),
            };
            calls_seen += calls.len();
            if calls_seen > self.limits.calls as usize {
                return Some(violation(format!(
                    "it makes more than {} calls",
                    self.limits.calls
                )));
            }
            let answers: Vec<Option<Reply>> = calls.iter().map(&answer).collect();
            if answers.iter().any(Option::is_none) {
                let mut missing: Vec<Call> = Vec::new();
                for (call, answer) in calls.into_iter().zip(answers) {
                    if answer.is_none() && !missing.contains(&call) {
                        missing.push(call);
                    }
                }
                return Some(Ended::Waits { calls: missing });
            }
            let answers: Vec<Reply> = answers.into_iter().flatten().collect();
            input.write_all(&line(&answers)?).await.ok()?;
        }
    }

    async fn cause_of_death(&self, child: &mut Child) -> String {
        let status = timeout(Duration::from_secs(1), child.wait()).await;
        let status = match status {
            Ok(Ok(status)) => status.to_string(),
            _ => "no status".to_owned(),
        };
        format!(
            "it was ended by a limit: {} MB of memory, {} s of processor time ({status})",
            self.limits.memory / (1024 * 1024),
            self.limits.cpu_s
        )
    }
}

fn failed(reason: impl Into<String>) -> Ended {
    Ended::Failed {
        reason: reason.into(),
    }
}

/// A limit of the sandbox was reached, in the vocabulary of tool failures.
fn violation(reason: impl std::fmt::Display) -> Ended {
    failed(format!("{}: {reason}", ErrorKind::SandboxViolation))
}

fn line(value: &impl serde::Serialize) -> Option<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// The child's next line; `None` at its end, a reason when it is too long or no message.
async fn read(output: &mut BufReader<ChildStdout>) -> Option<Result<FromChild, String>> {
    let mut bytes = Vec::new();
    output.take(MAX_LINE).read_until(b'\n', &mut bytes).await.ok()?;
    if bytes.is_empty() {
        return None;
    }
    if bytes.last() != Some(&b'\n') {
        let too_long = bytes.len() as u64 >= MAX_LINE;
        return too_long.then(|| Err("it says too much at once".to_owned()));
    }
    Some(serde_json::from_slice(&bytes).map_err(|_| "its process talks nonsense".to_owned()))
}
