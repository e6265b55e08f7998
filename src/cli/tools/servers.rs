//! `noctui tools servers`: how each server is doing.

use super::super::{Exit, Failure, print};
use super::pretty;
use crate::tools::McpToolbox;
use crate::tools::hub::ServerState;

pub(super) fn run(tools: &McpToolbox, json: bool) -> Result<Exit, Failure> {
    let statuses = tools.hub().statuses();
    let ready = statuses.iter().any(|status| status.state == ServerState::Ready);
    let exit = if ready { Exit::Healthy } else { Exit::Failed };
    if json {
        print::line(pretty(&statuses)?)?;
        return Ok(exit);
    }
    let mut text = String::new();
    for status in &statuses {
        let state = match &status.state {
            ServerState::Starting => "starting".to_owned(),
            ServerState::Ready => "ready".to_owned(),
            ServerState::Backoff { attempt, retry_in_ms } => {
                format!(
                    "down (attempt {attempt}, next in {:.1} s)",
                    *retry_in_ms as f64 / 1000.0
                )
            }
            ServerState::Failed => "failed".to_owned(),
            ServerState::Stopped => "stopped".to_owned(),
        };
        let version = status.version.as_deref().unwrap_or("-");
        text.push_str(&format!(
            "{:<20} {state:<32} {:>3} tools  {version}\n",
            status.name, status.tools
        ));
        if let Some(error) = &status.last_error {
            text.push_str(&format!("{:<20} {error}\n", ""));
        }
        if let Some(line) = &status.last_stderr {
            text.push_str(&format!("{:<20} stderr: {line}\n", ""));
        }
    }
    print::out(text)?;
    Ok(exit)
}
