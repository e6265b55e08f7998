//! Where user names and passwords come from: the inventory, the environment, or a command that prints
//! them. Nothing here prints a secret, not even in an error.

use secrecy::SecretString;
use std::time::Duration;

/// How long a password command may take.
const COMMAND_DEADLINE: Duration = Duration::from_secs(10);

/// Source of a password.
#[derive(Debug, Clone)]
pub enum Password {
    /// Written down.
    Literal(SecretString),
    /// Value of an environment variable, read when the device is first asked.
    Environment(String),
    /// First line that a shell command prints, run when the device is first asked.
    Command(String),
}

/// User name and password of one device; both empty where a client certificate logs in.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// Sent as metadata `username`.
    pub username: Option<String>,
    /// Sent as metadata `password`.
    pub password: Option<Password>,
}

/// Credentials for entries that bring none.
#[derive(Debug, Clone, Default)]
pub struct Fallback {
    /// `NOCTUI_GNMI_USERNAME`, or `--username`.
    pub username: Option<String>,
    /// `NOCTUI_GNMI_PASSWORD`, `NOCTUI_GNMI_PASSWORD_COMMAND`, or `--password`.
    pub password: Option<Password>,
}

impl Fallback {
    /// Reads `NOCTUI_GNMI_USERNAME`, `NOCTUI_GNMI_PASSWORD` and `NOCTUI_GNMI_PASSWORD_COMMAND` through
    /// `variable` (the process environment, or a test's).
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let password = match variable("NOCTUI_GNMI_PASSWORD") {
            Some(password) => Some(Password::Literal(password.into())),
            None => variable("NOCTUI_GNMI_PASSWORD_COMMAND").map(Password::Command),
        };
        Self {
            username: variable("NOCTUI_GNMI_USERNAME"),
            password,
        }
    }
}

impl Password {
    /// The password itself.
    ///
    /// # Errors
    /// One line that says which variable or kind of command failed, never what it printed.
    pub async fn reveal(&self) -> Result<SecretString, String> {
        match self {
            Self::Literal(secret) => Ok(secret.clone()),
            Self::Environment(name) => std::env::var(name)
                .map(SecretString::from)
                .map_err(|_| format!("environment variable {name} with the password is not set")),
            Self::Command(command) => run(command).await,
        }
    }
}

async fn run(command: &str) -> Result<SecretString, String> {
    let child = tokio::process::Command::new("sh")
        .args(["-c", command])
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = match tokio::time::timeout(COMMAND_DEADLINE, child).await {
        Err(_) => return Err("the password command did not end within 10 s".into()),
        Ok(Err(e)) => return Err(format!("the password command cannot be run: {e}")),
        Ok(Ok(output)) => output,
    };
    if !output.status.success() {
        return Err(format!("the password command failed ({})", output.status));
    }
    let text = String::from_utf8(output.stdout)
        .map_err(|_| "the password command printed bytes that are not UTF-8".to_owned())?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(SecretString::from(line)),
        None => Err("the password command printed nothing".into()),
    }
}
