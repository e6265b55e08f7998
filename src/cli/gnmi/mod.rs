//! `noctui gnmi`: the collector as an MCP server, and gNMI by hand in gnmic's habits.
//!
//! Flags that name and open a target are in `target`, the shapes of the output in `format`, each RPC in
//! its own file. Nothing here can write to a device.

mod capabilities;
mod format;
mod get;
mod serve;
mod subscribe;
mod target;

use clap::Subcommand;

use super::{Context, Exit, Failure};

pub(super) use target::{inventory_in_force, load};

/// Arguments of `noctui gnmi`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the collector's tools over MCP, on stdio or HTTP
    Serve(serve::Args),
    /// Read paths once
    Get(get::Args),
    /// List models, encodings and gNMI version
    #[command(alias = "cap")]
    Capabilities(capabilities::Args),
    /// Print values as they come: once, polled or streamed
    #[command(alias = "sub")]
    Subscribe(subscribe::Args),
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong flags or files, and devices that do not answer.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.command {
        Command::Serve(args) => serve::run(args, context),
        Command::Get(args) => get::run(args, context),
        Command::Capabilities(args) => capabilities::run(args, context),
        Command::Subscribe(args) => subscribe::run(args, context),
    }
}

/// How many targets failed, as an exit: all that could be printed was printed before.
fn verdict(failed: usize, asked: usize) -> Result<Exit, Failure> {
    if failed == 0 {
        return Ok(Exit::Healthy);
    }
    Err(Failure::failed(
        format!("{failed} of {asked} targets did not answer"),
        "see the lines above",
    ))
}
