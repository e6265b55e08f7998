//! `noctui sandbox`: the child process in which one script is evaluated. Started by noctui itself; hidden.
//!
//! Reads no settings and writes no log: it has no files once it is confined.

use super::{Exit, Failure};
use crate::reason::script;

/// Runs `noctui sandbox`.
pub fn run() -> Result<Exit, Failure> {
    script::serve().map_err(|e| {
        Failure::failed(
            format!("the sandbox ended: {e}"),
            "it is started by noctui itself, not by hand",
        )
    })?;
    Ok(Exit::Healthy)
}
