//! Sets up the log: a file a day in the state folder, never the screen.
//!
//! Lines pass through a filter that hides what looks like a secret. A folder that cannot be written costs
//! the log, not the command.

use std::io::{self, Write};
use std::path::PathBuf;

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_appender::rolling::{Builder, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::{Globals, print};
use crate::redaction::redact_text;
use crate::settings::{Folders, Log, LogFormat, LogLevel};

/// Keeps the log's writer alive; what is left is written when it is dropped.
#[derive(Debug)]
pub struct LogGuard {
    _worker: WorkerGuard,
}

/// The folder of the log files.
pub fn folder(settings: &Log, folders: &Folders) -> PathBuf {
    if settings.dir.is_empty() {
        folders.state.join("log")
    } else {
        PathBuf::from(&settings.dir)
    }
}

/// Starts logging for this process; none when the log cannot be written.
pub fn start(settings: &Log, folders: &Folders, globals: &Globals) -> Option<LogGuard> {
    let dir = folder(settings, folders);
    // The appender prints its own complaint when the folder is missing, so it is made first.
    let opened = std::fs::create_dir_all(&dir).and_then(|()| {
        Builder::new()
            .rotation(Rotation::DAILY)
            .filename_prefix("noctui")
            .filename_suffix("log")
            .max_log_files(settings.keep_files)
            .build(&dir)
            .map_err(io::Error::other)
    });
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            if !globals.quiet {
                print::hint(format_args!("noctui: no log: {}: {error}", dir.display()));
            }
            return None;
        }
    };
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("NOCTUI_LOG").unwrap_or_else(|_| directives(settings, globals));
    let base = tracing_subscriber::fmt::layer()
        .with_writer(Redacting(writer))
        .with_ansi(false);
    let registry = tracing_subscriber::registry().with(filter);
    // A second start in one process (tests) keeps the first log.
    let _ = match settings.format {
        LogFormat::Text => registry.with(base).try_init(),
        LogFormat::Json => registry.with(base.json()).try_init(),
    };
    Some(LogGuard { _worker: guard })
}

/// A writer that hides what looks like a secret. The formatter hands over one whole event a call.
#[derive(Clone)]
struct Redacting(NonBlocking);

impl Write for Redacting {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.0
            .write_all(redact_text(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'a> MakeWriter<'a> for Redacting {
    type Writer = Self;

    fn make_writer(&'a self) -> Self::Writer {
        self.clone()
    }
}

/// Own events from the level that was asked for; other crates only when something is wrong.
fn directives(settings: &Log, globals: &Globals) -> EnvFilter {
    let level = match globals.verbose {
        0 => settings.level,
        1 => settings.level.max(LogLevel::Debug),
        _ => LogLevel::Trace,
    };
    let name = match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    };
    EnvFilter::new(format!("warn,noctui={name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::built_in;

    #[test]
    fn verbose_raises_the_level_and_never_lowers_it() {
        let mut log = built_in().unwrap().log;
        let of = |log: &Log, verbose| {
            directives(
                log,
                &Globals {
                    verbose,
                    ..Globals::default()
                },
            )
            .to_string()
        };
        assert!(of(&log, 0).contains("noctui=info"));
        assert!(of(&log, 1).contains("noctui=debug"));
        assert!(of(&log, 2).contains("noctui=trace"));
        log.level = LogLevel::Trace;
        assert!(of(&log, 1).contains("noctui=trace"));
    }

    #[test]
    fn secrets_do_not_reach_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("log");
        let (writer, guard) = tracing_appender::non_blocking(std::fs::File::create(&file).unwrap());
        let mut writer = Redacting(writer);
        let event = b"INFO header Authorization: Bearer abcdefghijklmnop0123456789 sent\n";
        assert_eq!(writer.write(event).unwrap(), event.len());
        drop(guard);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with("INFO header") && !text.contains("abcdefghijklmnop"),
            "{text}"
        );
    }

    #[test]
    fn the_folder_is_made_and_an_impossible_one_costs_only_the_log() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::find(Some(home.path())).unwrap();
        let mut log = built_in().unwrap().log;
        let quiet = Globals {
            quiet: true,
            ..Globals::default()
        };
        assert!(start(&log, &folders, &quiet).is_some());
        assert!(folder(&log, &folders).is_dir());
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        log.dir = file.join("below").display().to_string();
        assert!(start(&log, &folders, &quiet).is_none());
    }
}
