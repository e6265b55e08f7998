//! `noctui lab inject`, `heal` and `show`: orders to a running lab.

use super::Which;
use crate::cli::{Context, Exit, Failure, FailureKind, print};
use crate::lab::control::{self, Answer, ControlError, LabRecord, Order, parse_fault};

/// Arguments of `noctui lab inject`.
#[derive(Debug, clap::Args)]
pub struct InjectArgs {
    /// Operation and fields, e.g. 'bgp.neighbor.remote_as device=xrd-1 neighbor=100.100.100.107 value=65001'
    #[arg(required = true, value_name = "OP FIELD=VALUE")]
    fault: Vec<String>,
    #[command(flatten)]
    which: Which,
}

/// Arguments of `noctui lab heal`.
#[derive(Debug, clap::Args)]
pub struct HealArgs {
    #[command(flatten)]
    which: Which,
}

/// Arguments of `noctui lab show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Device name
    device: String,
    /// gNMI path, e.g. /interfaces/interface[name=*]/state/oper-status
    #[arg(default_value = "/")]
    path: String,
    #[command(flatten)]
    which: Which,
}

/// Injects a fault.
pub fn inject(args: InjectArgs, context: &Context) -> Result<Exit, Failure> {
    let fault = parse_fault(&args.fault.join(" "))
        .map_err(|error| Failure::usage(error.to_string(), "`noctui lab list --ops` names the operations"))?;
    order(
        &args.which,
        context,
        &Order::Inject {
            fault: Box::new(fault),
        },
    )?;
    done(context, "injected")
}

/// Heals the lab.
pub fn heal(args: &HealArgs, context: &Context) -> Result<Exit, Failure> {
    order(&args.which, context, &Order::Heal)?;
    done(context, "healed")
}

/// Shows a path of a device as JSON: the value alone when the path leads to one node.
pub fn show(args: ShowArgs, context: &Context) -> Result<Exit, Failure> {
    let asked = Order::Show {
        device: args.device,
        path: args.path,
    };
    let Answer::Shown { found } = order(&args.which, context, &asked)? else {
        return Err(Failure::new(
            FailureKind::Internal,
            "the lab gave another answer",
            "update the running lab",
        ));
    };
    let value = match found.as_slice() {
        [only] => only.value.clone(),
        many => many
            .iter()
            .map(|item| (item.path.clone(), item.value.clone()))
            .collect(),
    };
    print::line(format_args!("{value:#}"))?;
    Ok(Exit::Healthy)
}

fn done(context: &Context, what: &str) -> Result<Exit, Failure> {
    if !context.globals.quiet {
        print::hint(what);
    }
    Ok(Exit::Healthy)
}

fn order(which: &Which, context: &Context, order: &Order) -> Result<Answer, Failure> {
    let folder = control::folder(&context.folders()?.state);
    context.block_on(async {
        let lab = choose(control::find_all(&folder).await, which.lab)?;
        control::call(&lab, order).await.map_err(|error| match error {
            ControlError::Refused(refusal) => Failure::usage(refusal.what, refusal.next),
            silent @ ControlError::Silent { .. } => {
                Failure::failed(silent.to_string(), "start one with `noctui lab up`")
            }
        })
    })
}

fn choose(labs: Vec<LabRecord>, pid: Option<u32>) -> Result<LabRecord, Failure> {
    let mut fitting: Vec<LabRecord> = labs
        .into_iter()
        .filter(|lab| pid.is_none_or(|pid| lab.pid == pid))
        .collect();
    match (fitting.len(), pid) {
        (1, _) => Ok(fitting.remove(0)),
        (0, None) => Err(Failure::usage(
            "no lab is running",
            "start one with `noctui lab up`",
        )),
        (0, Some(pid)) => Err(Failure::usage(
            format!("no lab with process id {pid}"),
            "see `noctui lab list`",
        )),
        _ => {
            let names: Vec<String> = fitting
                .iter()
                .map(|lab| format!("{} ({})", lab.pid, lab.network))
                .collect();
            let what = format!("several labs are running: {}", names.join(", "));
            Err(Failure::usage(what, "say which with `--lab PID`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab(pid: u32) -> LabRecord {
        LabRecord {
            pid,
            network: "S".into(),
            scenario: String::new(),
            seed: 1,
            started: String::new(),
            control: ([127, 0, 0, 1], 1).into(),
            token: String::new(),
            inventory: None,
        }
    }

    #[test]
    fn one_lab_is_meant_or_it_is_said_why_not() {
        assert_eq!(choose(vec![lab(1)], None).unwrap().pid, 1);
        assert_eq!(choose(vec![lab(1), lab(2)], Some(2)).unwrap().pid, 2);
        assert!(choose(vec![], None).unwrap_err().next.contains("lab up"));
        assert!(
            choose(vec![lab(1), lab(2)], None)
                .unwrap_err()
                .what
                .contains("1 (S), 2 (S)")
        );
        assert!(choose(vec![lab(1)], Some(9)).unwrap_err().what.contains('9'));
    }
}
