//! `noctui lab`: brings a simulated network up, breaks it, heals it and looks into it.
//!
//! `up` is the process that runs a lab; the others find it by its file in the state folder and talk to its
//! control port.

mod list;
mod plan;
mod talk;
mod up;

use super::{Context, Exit, Failure};

/// Arguments of `noctui lab`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run a lab until Ctrl-C and print its inventory
    Up(Box<up::Args>),
    /// Let something go wrong in a running lab
    Inject(talk::InjectArgs),
    /// Undo every fault of a running lab
    Heal(talk::HealArgs),
    /// List running labs, and the networks, scenarios and fault operations there are
    List(list::Args),
    /// Show what a gNMI path leads to on a device of a running lab
    Show(talk::ShowArgs),
}

/// Which running lab is meant.
#[derive(Debug, clap::Args)]
struct Which {
    /// Process id of the lab, where several run (see `noctui lab list`)
    #[arg(long, value_name = "PID")]
    lab: Option<u32>,
}

/// Runs the subcommand.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.command {
        Command::Up(args) => up::run(*args, context),
        Command::Inject(args) => talk::inject(args, context),
        Command::Heal(args) => talk::heal(&args, context),
        Command::List(args) => list::run(&args, context),
        Command::Show(args) => talk::show(args, context),
    }
}
