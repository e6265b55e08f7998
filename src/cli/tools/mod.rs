//! `noctui tools`: what the tool servers offer, one tool in full, a search, a call by hand, and how they fare.
//!
//! Everything goes through the same hub, registry and guard as an investigation.

mod approvals;
mod call;
mod servers;
mod show;
mod stats;

use clap::Subcommand;

use super::{Context, Exit, Failure, compose, lab_size};
use crate::settings::LabSize;
use crate::tools::McpToolbox;

/// Arguments of `noctui tools`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Use the tools of a built-in lab of this size: S, M or L
    #[arg(long, global = true, value_name = "SIZE", value_parser = lab_size)]
    lab: Option<LabSize>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the tools that the profile admits
    List(show::ListArgs),
    /// Print everything known about one tool
    Describe(show::DescribeArgs),
    /// Search the tools by words, category and tag
    Find(show::FindArgs),
    /// Call a tool and print its result
    Call(call::CallArgs),
    /// Show the servers: state, version, tools, last error
    Servers {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List or take back what was allowed always
    Approvals(approvals::ApprovalsArgs),
    /// Show how often tools were called, how they fared and how long they took
    Stats(stats::StatsArgs),
}

/// Runs `noctui tools …`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let lab = args.lab;
    match args.action {
        Action::Stats(args) => stats::run(&args, context),
        Action::Approvals(args) => approvals::run(&args, context),
        Action::List(args) => with_tools(context, lab, async |tools| show::list(&args, tools).await),
        Action::Describe(args) => with_tools(context, lab, async |tools| show::describe(&args, tools).await),
        Action::Find(args) => with_tools(context, lab, async |tools| show::find(&args, tools).await),
        Action::Call(args) => with_tools(context, lab, async |tools| call::run(args, context, tools).await),
        Action::Servers { json } => with_tools(context, lab, async |tools| servers::run(tools, json)),
    }
}

/// Starts the servers, waits until each has answered or failed, runs the work, and ends them again.
fn with_tools(
    context: &Context,
    lab: Option<LabSize>,
    work: impl AsyncFnOnce(&McpToolbox) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    context.block_on(async {
        let place = compose::Place::choose(lab, None, context)?;
        let (tools, lab) = compose::tools(context, &place).await?;
        let patience = std::time::Duration::from_secs(context.settings()?.tools.start_timeout_s);
        tools.hub().settled(patience).await;
        let done = work(&tools).await;
        tools.hub().close().await;
        if let Some(lab) = lab {
            lab.stop().await;
        }
        done
    })
}

/// Pretty JSON for the screen.
fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Failure::failed(format!("cannot write the result as JSON: {error}"), ""))
}
