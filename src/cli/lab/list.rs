//! `noctui lab list`: what runs, and what there is to run.

use crate::cli::{Context, Exit, Failure, FailureKind, print};
use crate::lab::control::{self, Answer, LabRecord, Order};
use crate::lab::fault::OPS;
use crate::lab::network;
use crate::lab::scenario::{self, Scenario};
use serde_json::json;

/// Arguments of `noctui lab list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// List the fault operations with their fields instead
    #[arg(long)]
    ops: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.ops {
        return operations(args.json);
    }
    let folder = control::folder(&context.folders()?.state);
    let labs = context.block_on(async {
        let mut labs = Vec::new();
        for lab in control::find_all(&folder).await {
            if let Ok(Answer::Status(status)) = control::call(&lab, &Order::Status).await {
                labs.push((lab, status));
            }
        }
        Ok(labs)
    })?;
    let scenarios = scenario::builtin()
        .map_err(|error| Failure::new(FailureKind::Internal, error.to_string(), "reinstall noctui"))?;
    if args.json {
        let running: Vec<_> = labs
            .iter()
            .map(|(lab, status)| {
                json!({"pid": lab.pid, "network": lab.network, "scenario": lab.scenario, "seed": lab.seed,
                    "started": lab.started, "inventory": lab.inventory, "status": status})
            })
            .collect();
        let networks: Vec<&str> = network::builtin_names().collect();
        print::line(format_args!(
            "{:#}",
            json!({"running": running, "networks": networks, "scenarios": scenarios.iter().map(brief).collect::<Vec<_>>()})
        ))?;
        return Ok(Exit::Healthy);
    }
    print::line("running")?;
    if labs.is_empty() {
        print::line("  none; `noctui lab up` starts one")?;
    }
    for (lab, status) in &labs {
        print::line(format_args!("  {}", describe(lab, status)))?;
        for fault in &status.faults {
            print::line(format_args!("      fault: {fault}"))?;
        }
    }
    print::line("networks")?;
    for name in network::builtin_names() {
        let devices = network::builtin(name).map_or(0, |network| network.devices.len());
        print::line(format_args!("  {name:<8} {devices} devices"))?;
    }
    print::line("  N        N devices, generated (`--size 1000`)")?;
    print::line("scenarios")?;
    for item in &scenarios {
        print::line(format_args!("  {:<8} {}  {}", item.id, item.size, item.query))?;
    }
    Ok(Exit::Healthy)
}

/// What may be known before a run: not the faults, and not the truth.
fn brief(scenario: &Scenario) -> serde_json::Value {
    json!({"id": scenario.id, "size": scenario.size, "network": scenario.network, "query": scenario.query})
}

fn describe(lab: &LabRecord, status: &control::Status) -> String {
    let scenario = if lab.scenario.is_empty() {
        "healthy".to_owned()
    } else {
        format!("scenario {}", lab.scenario)
    };
    let inventory = lab
        .inventory
        .as_ref()
        .map(|file| format!(", inventory {}", file.display()));
    format!(
        "{}  {} with {} devices, started as {scenario} at {}, {} Set refused{}",
        lab.pid,
        lab.network,
        status.devices,
        lab.started,
        status.sets,
        inventory.unwrap_or_default()
    )
}

fn operations(json: bool) -> Result<Exit, Failure> {
    if json {
        let all: Vec<_> = OPS
            .iter()
            .map(|op| json!({"op": op.name, "needs": op.needs, "may": op.may, "doc": op.doc}))
            .collect();
        print::line(format_args!("{:#}", json!(all)))?;
        return Ok(Exit::Healthy);
    }
    for op in OPS {
        let needs = op
            .needs
            .iter()
            .map(|field| format!(" {field}="))
            .collect::<String>();
        let may = op
            .may
            .iter()
            .map(|field| format!(" [{field}=]"))
            .collect::<String>();
        print::line(format_args!("{} device={needs}{may}", op.name))?;
        print::line(format_args!("    {}", op.doc))?;
    }
    Ok(Exit::Healthy)
}
