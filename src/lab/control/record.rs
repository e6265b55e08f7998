//! The file a running lab leaves in the state folder, by which other processes find its control port.
//! Only its owner may read it, for it holds the token.

use super::message::Order;
use serde::{Deserialize, Serialize};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// One running lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabRecord {
    /// Process id; names the file too.
    pub pid: u32,
    /// Name of the network.
    pub network: String,
    /// Id of the scenario; empty for a healthy network.
    pub scenario: String,
    pub seed: u64,
    /// RFC 3339.
    pub started: String,
    pub control: SocketAddr,
    pub token: String,
    /// Where the inventory was written, if it was.
    pub inventory: Option<PathBuf>,
}

/// The folder of these files, below the state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("labs")
}

impl LabRecord {
    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.pid))
    }

    /// Writes the file, readable by its owner alone.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        serde_json::to_writer_pretty(options.open(self.file(folder))?, self)?;
        Ok(())
    }

    /// Removes the file; that it is gone already is fine.
    pub fn remove(&self, folder: &Path) {
        let _ = std::fs::remove_file(self.file(folder));
    }
}

/// The labs that answer, by process id. Files of labs that no longer do are removed.
pub async fn find_all(folder: &Path) -> Vec<LabRecord> {
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut labs = Vec::new();
    for file in files
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|e| e == "json"))
    {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        let record: Option<LabRecord> = serde_json::from_str(&text).ok();
        match record {
            Some(record) if super::call(&record, &Order::Status).await.is_ok() => labs.push(record),
            _ => {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
    labs.sort_by_key(|lab| lab.pid);
    labs
}
