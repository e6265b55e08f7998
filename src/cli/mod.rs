//! The command line: parses arguments, composes the rooms and prints. The only room that prints.
//!
//! One file per subcommand, each with an `Args` struct and a `run(args, &Context) -> Result<Exit, Failure>`.
//! To add one: write `src/cli/<name>.rs`, name it in `Command` and in `dispatch`. Output goes through
//! `print`, so that a closed pipe ends a command quietly; an error is a `Failure`, shown as two lines.

mod ask;
mod completions;
mod compose;
mod config;
mod context;
mod crash;
mod doctor;
mod eval;
mod failure;
mod gnmi;
mod knowledge;
mod lab;
mod log;
mod man;
mod memory;
pub mod model_config;
mod models;
mod plans;
mod print;
mod sandbox;
mod screen;
mod sessions;
mod setup;
mod tools;
mod usage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

pub use context::Context;
pub use failure::{Exit, Failure, FailureKind};

/// What `noctui --help` says about exit codes.
const EXIT_CODES: &str = "Exit codes:
  0  healthy, or the command did what was asked
  1  an anomaly was found
  2  wrong usage, wrong configuration, or an unknown device
  3  needs input: a question was left unanswered
  4  failed: the work could not be finished
  129, 143  the screen was ended by a hang-up or by SIGTERM";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "noctui", version, about, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(flatten)]
    open: screen::OpenArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Read this settings file above the system, user and project files
    #[arg(long, global = true, value_name = "FILE", env = "NOCTUI_CONFIG")]
    pub config: Option<PathBuf>,
    /// Set one setting, above every file: `--set agent.max_loops=2` (may be repeated)
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print results only: no progress, no hints
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Write more to the log file (-v debug, -vv trace)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// No colours (NO_COLOR does the same)
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// The subcommands, one file each.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one value a process")]
enum Command {
    /// Investigate a problem on the terminal's normal screen
    Ask(ask::Args),
    /// Watch an investigation on the built-in lab: no key, no network
    Demo(screen::DemoArgs),
    /// Watch a recorded session again
    Replay(screen::ReplayArgs),
    /// Print the completion script of a shell
    Completions(completions::Args),
    /// Show, explain and start the settings
    Config(config::Args),
    /// Check that all noctui needs is there: terminal, settings, inventory, servers, model
    Doctor(doctor::Args),
    /// Run the diagnosis benchmark on simulated networks
    Eval(eval::Args),
    /// Read devices over gNMI, or serve the collector's tools over MCP
    Gnmi(gnmi::Args),
    /// Search runbooks and field notes
    Knowledge(knowledge::Args),
    /// Run a simulated network, break it, heal it and look into it
    Lab(lab::Args),
    /// List, show, check and write runbooks
    Plans(plans::Args),
    /// List, add and forget what is known about the network
    Memory(memory::Args),
    /// List, show, resume, export, rename and delete sessions
    Sessions(sessions::Args),
    /// Answer three questions and write your settings
    Setup(setup::Args),
    /// List, describe, find and call tools; show the servers and how tools fare
    Tools(tools::Args),
    /// Print the manual page (roff), or write one per command
    Man(man::Args),
    /// List and try language models
    Models(models::Args),
    /// Evaluate one script, confined; started by noctui itself
    #[command(hide = true)]
    Sandbox,
}

/// The clap definition, from which help, completions and manual pages are made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the process's arguments, runs the command and returns its exit code.
pub fn run() -> ExitCode {
    run_from(std::env::args_os())
}

/// Like [`run`], with the given arguments (the first is the program's name).
pub fn run_from(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let exit = crash::guard(|| {
        // Only the first call of a process installs the provider; a second finds it there, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cli = match Cli::try_parse_from(arguments) {
            Ok(cli) => cli,
            Err(error) => return usage::answer(&error),
        };
        let context = Context::new(cli.globals);
        dispatch(cli.command, cli.open, &context)
    });
    match exit {
        Ok(exit) => exit.into(),
        Err(failure) => {
            print::failure(&failure);
            failure.exit().into()
        }
    }
}

fn dispatch(command: Option<Command>, open: screen::OpenArgs, context: &Context) -> Result<Exit, Failure> {
    match command {
        None => screen::open(open, context),
        Some(Command::Demo(args)) => screen::demo(args, context),
        Some(Command::Replay(args)) => screen::replay(args, context),
        Some(Command::Ask(args)) => ask::run(args, context),
        Some(Command::Completions(args)) => completions::run(args, context),
        Some(Command::Config(args)) => config::run(args, context),
        Some(Command::Doctor(args)) => doctor::run(args, context),
        Some(Command::Eval(args)) => eval::run(args, context),
        Some(Command::Gnmi(args)) => gnmi::run(args, context),
        Some(Command::Knowledge(args)) => knowledge::run(args, context),
        Some(Command::Lab(args)) => lab::run(args, context),
        Some(Command::Plans(args)) => plans::run(args, context),
        Some(Command::Man(args)) => man::run(args, context),
        Some(Command::Memory(args)) => memory::run(args, context),
        Some(Command::Models(args)) => models::run(args, context),
        Some(Command::Sandbox) => sandbox::run(),
        Some(Command::Sessions(args)) => sessions::run(args, context),
        Some(Command::Setup(args)) => setup::run(args, context),
        Some(Command::Tools(args)) => tools::run(args, context),
    }
}

/// Reads a lab size as people write it: `S`, `m`, `L`.
fn lab_size(text: &str) -> Result<crate::settings::LabSize, String> {
    use crate::settings::LabSize;
    match text.to_ascii_uppercase().as_str() {
        "S" => Ok(LabSize::S),
        "M" => Ok(LabSize::M),
        "L" => Ok(LabSize::L),
        _ => Err("the sizes are S (8 devices), M (24) and L (96)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_and_flag_has_a_description() {
        fn check(command: &clap::Command, path: &str) {
            for argument in command.get_arguments().filter(|a| !a.is_hide_set()) {
                let id = argument.get_id();
                assert!(argument.get_help().is_some(), "{path}: argument {id} has no help");
            }
            for sub in command.get_subcommands().filter(|s| !s.is_hide_set()) {
                let path = format!("{path} {}", sub.get_name());
                assert!(sub.get_about().is_some(), "{path} has no description");
                check(sub, &path);
            }
        }
        check(&command(), "noctui");
    }
}
