//! Where a value was set.

use std::fmt;
use std::path::PathBuf;

/// The place a value comes from; later variants win over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The embedded file.
    Default,
    /// The system's file.
    System(PathBuf),
    /// The user's file.
    User(PathBuf),
    /// A file of the current folder.
    Project(PathBuf),
    /// The file of `--config`.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A `--set` flag.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("built in"),
            Self::System(file) | Self::User(file) | Self::Project(file) | Self::File(file) => {
                write!(f, "{}", file.display())
            }
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("--set"),
        }
    }
}
