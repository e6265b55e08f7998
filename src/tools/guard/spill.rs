//! Keeps the whole of a result that was cut, cleaned and redacted, as a file for the human.
//!
//! The folder is private to the user and holds the newest results only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

/// Files kept in the folder.
const KEPT: usize = 100;

/// A folder of whole results.
#[derive(Debug)]
pub struct Spill {
    folder: PathBuf,
    written: AtomicU64,
}

impl Spill {
    /// A folder, made when first used.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            written: AtomicU64::new(0),
        }
    }

    /// Writes a value; returns its file. Blocking: call it off the async threads.
    ///
    /// # Errors
    /// When the folder cannot be made or the file cannot be written.
    pub fn write(&self, tool: &str, at_ms: i64, value: &Value) -> io::Result<PathBuf> {
        make_private(&self.folder)?;
        let number = self.written.fetch_add(1, Ordering::SeqCst);
        let safe: String = tool
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '.' || c == '_' {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        let file = self
            .folder
            .join(format!("{at_ms}-{}-{number}-{safe}.json", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut writer = io::BufWriter::new(options.open(&file)?);
        serde_json::to_writer_pretty(&mut writer, value)?;
        io::Write::flush(&mut writer)?;
        self.forget_oldest()?;
        Ok(file)
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let mut files: Vec<(std::time::SystemTime, PathBuf)> = fs::read_dir(&self.folder)?
            .filter_map(Result::ok)
            .filter(|entry| {
                entry
                    .path()
                    .extension()
                    .is_some_and(|extension| extension == "json")
            })
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let surplus = files.len().saturating_sub(KEPT);
        for (_, file) in files.into_iter().take(surplus) {
            // Another process may have been faster.
            if let Err(error) = fs::remove_file(&file) {
                tracing::debug!(file = %file.display(), %error, "old result not removed");
            }
        }
        Ok(())
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_written_privately_and_the_oldest_go() {
        let home = tempfile::tempdir().unwrap();
        let spill = Spill::new(home.path().join("results"));
        let first = spill.write("srv.tool/../x", 1, &json!({"a": 1})).unwrap();
        assert_eq!(first.parent().unwrap(), home.path().join("results"));
        assert_eq!(
            serde_json::from_str::<Value>(&fs::read_to_string(&first).unwrap()).unwrap(),
            json!({"a": 1})
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
        }
        for _ in 0..KEPT + 5 {
            spill.write("t", 2, &json!(null)).unwrap();
        }
        assert_eq!(fs::read_dir(home.path().join("results")).unwrap().count(), KEPT);
    }
}
