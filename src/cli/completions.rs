//! `noctui completions SHELL`: the completion script, made from the command line's definition.

use clap_complete::Shell;

use super::{Context, Exit, Failure, command, print};

/// Arguments of `noctui completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell to complete for
    shell: Shell,
}

/// Prints the script.
pub fn run(args: Args, _: &Context) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "noctui", &mut script);
    print::out(String::from_utf8_lossy(&script))?;
    Ok(Exit::Healthy)
}
