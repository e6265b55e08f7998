//! `noctui gnmi serve`: the collector as an MCP server. On stdio, stdout belongs to MCP alone.

use super::target::load;
use crate::cli::{Context, Exit, Failure, print};
use crate::gnmi::client::Limits;
use crate::gnmi::collector::Collector;
use crate::gnmi::server::{ServeError, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Arguments of `noctui gnmi serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Inventory file (JSON, the format gNMIBuddy reads)
    #[arg(long, value_name = "FILE", env = "NOCTUI_INVENTORY")]
    inventory: Option<PathBuf>,
    /// Serve streamable HTTP at http://ADDR/mcp instead of stdio
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Largest answer accepted from a device, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    max_answer: u32,
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let inventory = load(context, args.inventory.as_deref())?;
    let limits = Limits {
        answer_bytes: args.max_answer as usize * 1024 * 1024,
        per_device: context.settings()?.gnmi.max_per_device,
    };
    let server = Server::new(Arc::new(Collector::new(inventory, limits)));
    let quiet = context.globals.quiet;
    context.block_on(async move {
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        tokio::spawn(async move {
            stopped().await;
            stop.cancel();
        });
        let served = match args.http {
            None => server.serve_stdio(cancel).await,
            Some(address) => {
                if !address.ip().is_loopback() && !quiet {
                    print::hint(
                        "warning: there is no login; whoever reaches this address can read your routers",
                    );
                }
                let hear = |bound| {
                    if !quiet {
                        print::hint(format_args!("serving MCP at http://{bound}/mcp"));
                    }
                };
                server.serve_http(address, cancel, hear).await
            }
        };
        served.map(|()| Exit::Healthy).map_err(|error| explain(&error))
    })
}

fn explain(error: &ServeError) -> Failure {
    let text = error.to_string();
    let (what, next) = text.split_once("\n  - ").unwrap_or((&text, ""));
    Failure::failed(what, next)
}

/// Returns at Ctrl-C or SIGTERM.
async fn stopped() {
    #[cfg(unix)]
    {
        let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        if let Ok(mut terminate) = terminate {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
