//! `noctui config`: what is set and where, the schema, the folders, a first file.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use clap::Subcommand;

use super::{Context, Exit, Failure, log, print};
use crate::settings::{commented, lines, nearest, schema};

/// Arguments of `noctui config`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the settings in force
    Show {
        /// A section or a key: `agent`, `agent.max_loops`
        key: Option<String>,
        /// Say where each value was set
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON schema of a settings file
    Schema,
    /// Print the files and folders that noctui reads and writes
    Path,
    /// Write a commented settings file of your own
    Init {
        /// Overwrite the file that is there
        #[arg(long)]
        force: bool,
    },
}

/// Runs `noctui config …`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.action {
        Action::Show { key, origin } => show(context, key.as_deref(), origin)?,
        Action::Schema => print_schema()?,
        Action::Path => paths(context)?,
        Action::Init { force } => init(context, force)?,
    }
    Ok(Exit::Healthy)
}

fn show(context: &Context, key: Option<&str>, origin: bool) -> Result<(), Failure> {
    let loaded = context.loaded()?;
    let found = lines(loaded, key);
    if let (Some(key), true) = (key, found.is_empty()) {
        let all = lines(loaded, None);
        let names = all.iter().flat_map(|line| {
            [
                Some(line.key.as_str()),
                line.key.split_once('.').map(|(section, _)| section),
            ]
        });
        let next = nearest(key, names.flatten()).map_or_else(
            || "`noctui config show` lists all keys".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        );
        return Err(Failure::usage(format!("nothing is set under \"{key}\""), next));
    }
    let mut text = String::new();
    for line in found {
        let assignment = format!("{} = {}", line.key, line.value);
        match origin {
            true => text.push_str(&format!("{assignment:<48} # {}\n", line.origin)),
            false => text.push_str(&format!("{assignment}\n")),
        }
    }
    print::out(text)
}

fn print_schema() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&schema())
        .map_err(|error| Failure::failed(format!("cannot write the schema: {error}"), ""))?;
    print::line(text)
}

fn paths(context: &Context) -> Result<(), Failure> {
    let folders = context.folders()?;
    let mut rows = vec![
        ("settings", folders.settings_file()),
        ("servers", folders.servers_file()),
        ("plans", folders.plans()),
        ("notes", folders.notes()),
        ("data", folders.data.clone()),
        ("cache", folders.cache.clone()),
    ];
    rows.extend(folders.system.clone().map(|file| ("system", file)));
    // A broken settings file must not hide where the settings file is.
    if let Ok(loaded) = context.loaded() {
        rows.push(("log", log::folder(&loaded.settings.log, folders)));
    }
    let mut text = String::new();
    for (name, path) in rows {
        let state = if path.exists() { "" } else { "  (not there)" };
        text.push_str(&format!("{name:<9} {}{state}\n", path.display()));
    }
    print::out(text)
}

fn init(context: &Context, force: bool) -> Result<(), Failure> {
    let file = context.folders()?.settings_file();
    if file.exists() && !force {
        let what = format!("{} is already there", file.display());
        return Err(Failure::usage(what, "edit it, or write a new one with --force"));
    }
    write_private(&file, &commented()).map_err(|error| {
        let what = format!("cannot write {}: {error}", file.display());
        Failure::failed(what, "check the permissions of the folder, or set NOCTUI_HOME")
    })?;
    print::line(format_args!("wrote {}", file.display()))
}

/// Writes a file that only its owner reads: settings may name places of secrets.
pub(super) fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}
