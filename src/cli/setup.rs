//! `noctui setup`: three questions - inventory, reasoner, theme - whose answers become lines of the user's
//! settings file. With flags it asks nothing; without a terminal it never waits for anybody.

use std::fs;
use std::path::{Path, PathBuf};

use super::config::write_private;
use super::{Context, Exit, Failure, gnmi, print, screen};
use crate::settings::{self, ReasonerKind, commented};
use crate::tui::source::{Answers, Thinker};
use crate::tui::theme::ThemeSet;

/// Arguments of `noctui setup`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The inventory of your routers (JSON); given, no question is asked
    #[arg(long, value_name = "FILE")]
    inventory: Option<PathBuf>,
    /// Who reasons: `rules`, or address, name and key variable of a model; given, no question is asked
    #[arg(long, value_name = "rules|\"URL NAME [VARIABLE]\"")]
    reasoner: Option<String>,
    /// The theme; given, no question is asked
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
}

/// Runs `noctui setup`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let file = context.folders()?.settings_file();
    if args.inventory.is_none() && args.reasoner.is_none() && args.theme.is_none() {
        if !screen::has_terminal() {
            return Err(Failure::usage(
                "the set-up asks questions, and there is no terminal to ask on",
                "answer by flags, see `noctui setup --help`, or start with `noctui config init`",
            ));
        }
        let before = fs::read_to_string(&file).ok();
        screen::setup(context)?;
        if fs::read_to_string(&file).ok() == before {
            print::hint("nothing was changed");
            return Ok(Exit::Healthy);
        }
    } else {
        let known = known(context);
        let answers = Answers {
            inventory: args
                .inventory
                .map(|path| path.display().to_string())
                .unwrap_or_default(),
            thinker: match &args.reasoner {
                Some(text) => thinker(text)?,
                None => known.thinker,
            },
            theme: args.theme.unwrap_or_default(),
        };
        write(context, &answers)?;
    }
    print::line(format_args!("wrote {}", file.display()))?;
    print::hint("`noctui doctor` checks that all of it works");
    Ok(Exit::Healthy)
}

fn thinker(text: &str) -> Result<Thinker, Failure> {
    if text == "rules" {
        return Ok(Thinker::Rules);
    }
    let mut words = text.split_whitespace().map(str::to_owned);
    match (words.next(), words.next(), words.next()) {
        (Some(base_url), Some(name), key_env) if base_url.contains("://") => Ok(Thinker::Model {
            base_url,
            name,
            key_env: key_env.unwrap_or_default(),
        }),
        _ => Err(Failure::usage(
            format!("\"{text}\" is neither rules nor a model"),
            "write --reasoner rules, or --reasoner \"http://127.0.0.1:8080/v1 qwen3 MY_KEY\"",
        )),
    }
}

/// What is in force now, as far as the set-up asks for it. What can't be read counts as not set.
pub(super) fn known(context: &Context) -> Answers {
    let inventory = gnmi::inventory_in_force(context)
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let Ok(settings) = context.settings() else {
        return Answers {
            inventory,
            ..Answers::default()
        };
    };
    Answers {
        inventory,
        thinker: match settings.reasoner.kind {
            ReasonerKind::Rules => Thinker::Rules,
            ReasonerKind::Model => Thinker::Model {
                base_url: settings.model.base_url.clone(),
                name: settings.model.model.clone(),
                key_env: settings.model.key_env.clone(),
            },
        },
        theme: settings.ui.theme.clone(),
    }
}

/// Checks the answers and puts them into the user's settings file, which is made when it is not there. What
/// else stands in the file stays.
///
/// # Errors
/// When an answer can't be right, or the file can't be read, changed or written. Nothing is written then.
pub(super) fn write(context: &Context, answers: &Answers) -> Result<PathBuf, Failure> {
    let folders = context.folders()?;
    let inventory = match answers.inventory.as_str() {
        "" => String::new(),
        typed => checked_inventory(context, typed)?,
    };
    if !answers.theme.is_empty() {
        check_theme(&answers.theme, &folders.config.join("themes"))?;
    }
    let file = folders.settings_file();
    let before = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => commented(),
        Err(error) => {
            let what = format!("{}: {error}", file.display());
            return Err(Failure::config(what, "check the permissions of the file"));
        }
    };
    let mut entries: Vec<settings::Entry<'_>> = Vec::new();
    match &answers.thinker {
        Thinker::Rules => entries.push(("reasoner", "kind", "rules")),
        Thinker::Model {
            base_url,
            name,
            key_env,
        } => entries.extend([
            ("reasoner", "kind", "model"),
            ("model", "base_url", base_url.as_str()),
            ("model", "model", name.as_str()),
            ("model", "key_env", key_env.as_str()),
        ]),
    }
    for (section, key, value) in [("gnmi", "inventory", &inventory), ("ui", "theme", &answers.theme)] {
        if !value.is_empty() {
            entries.push((section, key, value));
        }
    }
    let after = settings::put(&before, &entries, &file)?;
    write_private(&file, &after).map_err(|error| {
        let what = format!("cannot write {}: {error}", file.display());
        Failure::failed(what, "check the permissions of the folder, or set NOCTUI_HOME")
    })?;
    Ok(file)
}

/// The inventory as an absolute path, once it could be read.
fn checked_inventory(context: &Context, typed: &str) -> Result<String, Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let path = match (typed.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    };
    gnmi::load(context, Some(&path))?;
    let absolute = std::path::absolute(&path).unwrap_or(path);
    Ok(absolute.display().to_string())
}

fn check_theme(name: &str, folder: &Path) -> Result<(), Failure> {
    let problem = |error: String| {
        let (what, next) = error.rsplit_once(" - ").unwrap_or((error.as_str(), "correct it"));
        Failure::config(what, next)
    };
    let mut themes = ThemeSet::built_in().map_err(|e| problem(e.to_string()))?;
    // A broken theme of the user is no reason to refuse another one.
    themes.add_folder(folder);
    themes.get(name).map(|_| ()).map_err(|e| problem(e.to_string()))
}
