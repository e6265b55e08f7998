//! `noctui man`: the manual, made from the command line's definition.

use std::path::{Path, PathBuf};

use super::{Context, Exit, Failure, command, print};

/// Arguments of `noctui man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write one page per command into this folder instead of printing the first page
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the page of `noctui`, or writes the pages of all commands.
pub fn run(args: Args, _: &Context) -> Result<Exit, Failure> {
    match args.dir {
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(command()).render(&mut page);
            rendered.map_err(|error| Failure::failed(format!("cannot render the manual: {error}"), ""))?;
            print::out(String::from_utf8_lossy(&page))?;
        }
        Some(dir) => write_pages(&dir)?,
    }
    Ok(Exit::Healthy)
}

fn write_pages(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(command(), dir))
        .map_err(|error| {
            let what = format!("cannot write the manual to {}: {error}", dir.display());
            Failure::failed(what, "choose a folder you may write to: `noctui man --dir DIR`")
        })?;
    print::line(format_args!("wrote the manual pages to {}", dir.display()))
}
