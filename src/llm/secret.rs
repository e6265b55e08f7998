//! Where a key comes from: the environment, a file or a command that prints it.
//!
//! The value is read when it is needed, kept in memory as a `SecretString`, and forgotten when the server
//! refuses it, so that a rotated token is picked up. It is never written, logged or shown; only the name of
//! its source is.

use std::{collections::BTreeMap, fmt, path::PathBuf, process::Stdio, time::Duration};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::{ErrorKind, LlmError};

/// How long a key command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);

/// Where a secret is found. In TOML: `{ env = "X" }`, `{ file = "p" }` or `{ command = ["pass", "x"] }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretSource {
    Env(String),
    File(PathBuf),
    Command(Vec<String>),
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "environment variable {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Command(words) => write!(f, "command {:?}", words.first().map_or("", String::as_str)),
        }
    }
}

impl SecretSource {
    /// Reads the secret now; leading and trailing blanks are cut.
    ///
    /// # Errors
    /// `Auth` when there is nothing to read, the command fails, or the result is empty.
    pub async fn read(&self, provider: &str) -> Result<SecretString, LlmError> {
        let fail = |what: String, hint: &str| Err(LlmError::new(ErrorKind::Auth, provider, what, hint));
        let text = match self {
            Self::Env(name) => match std::env::var(name) {
                Ok(value) => value,
                Err(_) => {
                    return fail(
                        format!("no key: {self} is not set"),
                        "export it, or choose another provider",
                    );
                }
            },
            Self::File(path) => match tokio::fs::read_to_string(path).await {
                Ok(text) => text,
                Err(e) => {
                    return fail(
                        format!("no key: {self}: {e}"),
                        "check the path and its permissions",
                    );
                }
            },
            Self::Command(words) => match run(words).await {
                Ok(text) => text,
                Err(e) => {
                    return fail(
                        format!("no key: {self}: {e}"),
                        "run the command by hand to see why",
                    );
                }
            },
        };
        match text.trim() {
            "" => fail(format!("no key: {self} is empty"), "put the key there"),
            key if key.contains(['\n', '\r']) => fail(
                format!("no key: {self} holds several lines"),
                "it must print the key alone",
            ),
            key => Ok(SecretString::from(key.to_owned())),
        }
    }
}

async fn run(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let mut command = tokio::process::Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(COMMAND_TIMEOUT, command.output())
        .await
        .map_err(|_| format!("no answer within {} s", COMMAND_TIMEOUT.as_secs()))?
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "printed something that is not text".into())
}

/// The value of an extra header: written out, or a secret with words around it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum HeaderSource {
    Literal(String),
    Secret {
        #[serde(flatten)]
        source: SecretSource,
        /// Put before the secret, `"Bearer "` for instance.
        #[serde(default)]
        prefix: String,
    },
}

impl fmt::Debug for HeaderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => f.write_str("a literal, hidden"),
            Self::Secret { source, prefix } => write!(f, "{prefix:?} and {source}"),
        }
    }
}

/// Secrets read once and kept until the server refuses them.
#[derive(Debug, Default)]
pub(crate) struct KeyRing {
    kept: Mutex<BTreeMap<String, SecretString>>,
}

impl KeyRing {
    pub(crate) async fn get(&self, source: &SecretSource, provider: &str) -> Result<SecretString, LlmError> {
        let mut kept = self.kept.lock().await;
        let name = format!("{source:?}");
        if let Some(secret) = kept.get(&name) {
            return Ok(secret.clone());
        }
        let secret = source.read(provider).await?;
        kept.insert(name, secret.clone());
        Ok(secret)
    }

    pub(crate) async fn forget(&self) {
        self.kept.lock().await.clear();
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[tokio::test]
    async fn a_file_and_a_command_give_a_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, " k-1 \n").unwrap();
        let key = SecretSource::File(path).read("p").await.unwrap();
        assert_eq!(key.expose_secret(), "k-1");
        let key = SecretSource::Command(vec!["echo".into(), "k-2".into()])
            .read("p")
            .await
            .unwrap();
        assert_eq!(key.expose_secret(), "k-2");
        assert!(!format!("{key:?}").contains("k-2"));
    }

    #[tokio::test]
    async fn a_missing_key_says_where_it_was_looked_for() {
        let e = SecretSource::Env("NOCTUI_NO_SUCH_KEY".into())
            .read("groq")
            .await
            .unwrap_err();
        assert_eq!(e.kind, ErrorKind::Auth);
        assert!(
            e.to_string()
                .starts_with("groq: no key: environment variable NOCTUI_NO_SUCH_KEY is not set - ")
        );
        let e = SecretSource::Command(vec!["false".into()])
            .read("p")
            .await
            .unwrap_err();
        assert!(e.message.contains("ended with"), "{e}");
        let e = SecretSource::Command(vec![]).read("p").await.unwrap_err();
        assert!(e.message.contains("empty"), "{e}");
    }

    #[test]
    fn sources_are_written_as_small_tables() {
        #[derive(Deserialize)]
        struct Doc {
            a: HeaderSource,
            b: HeaderSource,
        }
        let doc: Doc = toml::from_str("a = 'x'\nb = { env = 'T', prefix = 'Bearer ' }").unwrap();
        assert_eq!(doc.a, HeaderSource::Literal("x".into()));
        assert_eq!(
            doc.b,
            HeaderSource::Secret {
                source: SecretSource::Env("T".into()),
                prefix: "Bearer ".into()
            }
        );
    }
}
