//! Who plays a session: a file that names the process, as long as it lives.
//!
//! The journal would refuse a second process anyway, but only after it had asked the routers; and a session
//! that somebody is looking at was not cut short. A claim that can't be written costs this safety, not the
//! session.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid, test_kill_process};

use crate::agent::model::SessionId;

/// A session that this process plays; dropped, it is free again.
#[derive(Debug)]
pub(in crate::cli) struct Claim {
    file: PathBuf,
}

impl Claim {
    /// Claims a session for this process.
    ///
    /// # Errors
    /// The process that plays it.
    pub(in crate::cli) fn take(folder: &Path, session: &SessionId) -> Result<Self, i32> {
        if let Some(other) = holder(folder, session) {
            return Err(other);
        }
        let file = file(folder, session);
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(&file, getpid().as_raw_nonzero().to_string()));
        if let Err(error) = written {
            tracing::warn!(file = %file.display(), %error, "the session can't be claimed");
        }
        Ok(Self { file })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What stays behind names a process that is gone, and counts for nothing.
        let _ = fs::remove_file(&self.file);
    }
}

/// Session ids are letters, digits and hyphens; anything else must not leave the folder.
fn file(folder: &Path, session: &SessionId) -> PathBuf {
    let plain: String = session
        .0
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    folder.join(plain)
}

/// Another living process that plays a session.
pub(in crate::cli) fn holder(folder: &Path, session: &SessionId) -> Option<i32> {
    let text = fs::read_to_string(file(folder, session)).ok()?;
    let number: i32 = text.trim().parse().ok()?;
    // `Pid` refuses negative numbers with a panic.
    let pid = Pid::from_raw(number.max(0))?;
    let alive = match test_kill_process(pid) {
        Ok(()) => true,
        // It is somebody else's process, and it lives.
        Err(error) => error == rustix::io::Errno::PERM,
    };
    (alive && pid != getpid()).then(|| pid.as_raw_nonzero().get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let id = SessionId("20261122-021300-abcd".into());
        let claim = Claim::take(folder.path(), &id).unwrap();
        assert_eq!(holder(folder.path(), &id), None, "this process is no other");
        assert!(file(folder.path(), &id).exists());
        drop(claim);
        assert!(!file(folder.path(), &id).exists());
        // Process 1 lives as long as the system does.
        fs::write(file(folder.path(), &id), "1").unwrap();
        assert_eq!(Claim::take(folder.path(), &id).unwrap_err(), 1);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        for text in [gone.to_string(), "no number".into(), "0".into(), "-4".into()] {
            fs::write(file(folder.path(), &id), &text).unwrap();
            assert_eq!(holder(folder.path(), &id), None, "{text}");
        }
        assert_eq!(
            file(folder.path(), &SessionId("../x".into())),
            folder.path().join("___x")
        );
    }
}
