//! What can be configured about models: providers, who uses which, patience, budget, cassettes.
//!
//! Plain types with serde names; known providers are data in `config/providers.toml` and a user's table of
//! the same name overrides theirs field by field. Reads no file and no environment.

use std::{collections::BTreeMap, fmt, path::PathBuf, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Budget, Dialect, ErrorKind, HeaderSource, LlmError, Matching, Price, SecretSource};

const BUILTIN: &str = include_str!("../../config/providers.toml");

/// The `[model]` section.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// The model of every role that names none; `None` means no model at all.
    pub default: Option<ModelRef>,
    /// The model of a role: planner, critic, specialist, executor, assessor, reporter, ...
    pub roles: BTreeMap<String, ModelRef>,
    /// The model that embeds.
    pub embedding: Option<ModelRef>,
    /// Providers beyond the known ones, or changes to those.
    pub providers: BTreeMap<String, Map<String, Value>>,
    pub timeouts: Timeouts,
    pub retry: RetryConfig,
    pub budget: Budget,
    pub cassette: CassetteConfig,
    /// Prices that replace or extend `config/prices.toml`, by `provider/model`.
    pub prices: BTreeMap<String, Price>,
}

impl ModelConfig {
    /// The configuration of a provider: the known one under the user's changes.
    ///
    /// # Errors
    /// `Config` when the name is unknown or a field does not fit.
    pub fn provider(&self, name: &str) -> Result<ProviderConfig, LlmError> {
        let bad = |what: String, hint: String| LlmError::new(ErrorKind::Config, name, what, hint);
        let known = builtin().map_err(|e| {
            bad(
                format!("the built-in providers are broken: {e}"),
                "report this".into(),
            )
        })?;
        let mut table = match (known.get(name), self.providers.get(name)) {
            (Some(known), Some(own)) => merge(known.clone(), own),
            (Some(known), None) => known.clone(),
            (None, Some(own)) => own.clone(),
            (None, None) => {
                let names: Vec<&str> = known
                    .keys()
                    .chain(self.providers.keys())
                    .map(String::as_str)
                    .collect();
                return Err(bad(
                    "no provider of this name".into(),
                    format!(
                        "choose one of {}, or add [model.providers.{name}]",
                        names.join(", ")
                    ),
                ));
            }
        };
        table.remove("note");
        serde_json::from_value(Value::Object(table)).map_err(|e| {
            bad(
                format!("the provider's settings are wrong: {e}"),
                format!("fix [model.providers.{name}]"),
            )
        })
    }

    /// The names of all providers one can choose, known and own, each with its note.
    pub fn provider_names(&self) -> BTreeMap<String, String> {
        let known = builtin().unwrap_or_default();
        let note = |table: &Map<String, Value>| {
            table
                .get("note")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let mut names: BTreeMap<String, String> = known.iter().map(|(n, t)| (n.clone(), note(t))).collect();
        for (name, table) in &self.providers {
            names.entry(name.clone()).or_insert_with(|| note(table));
        }
        names
    }

    /// The known provider that lives at this address and speaks this dialect.
    pub fn recognise(base_url: &str, dialect: Dialect) -> Option<String> {
        let wanted = serde_json::to_value(dialect).ok()?;
        let base_url = base_url.trim_end_matches('/');
        let here = |table: &Map<String, Value>| table["base_url"] == base_url && table["dialect"] == wanted;
        builtin()
            .ok()?
            .into_iter()
            .find(|(_, table)| here(table))
            .map(|(name, _)| name)
    }

    /// The model of `role`.
    pub fn model_of(&self, role: &str) -> Option<&ModelRef> {
        self.roles.get(role).or(self.default.as_ref())
    }
}

fn builtin() -> Result<BTreeMap<String, Map<String, Value>>, toml::de::Error> {
    toml::from_str(BUILTIN)
}

fn merge(mut under: Map<String, Value>, over: &Map<String, Value>) -> Map<String, Value> {
    for (key, value) in over {
        under.insert(key.clone(), value.clone());
    }
    under
}

/// A model by provider and name, written `provider/model`; the model's own name may hold slashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelRef {
    pub provider: String,
    pub model: String,
}

impl FromStr for ModelRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(Self {
                provider: provider.to_owned(),
                model: model.to_owned(),
            }),
            _ => Err(format!(
                "{text:?} is no model: write provider/model, for instance ollama/qwen3:8b"
            )),
        }
    }
}

impl TryFrom<String> for ModelRef {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ModelRef> for String {
    fn from(model: ModelRef) -> Self {
        model.to_string()
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// How to reach a provider and what it understands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    pub dialect: Dialect,
    /// Up to and including the version: `https://api.openai.com/v1`.
    pub base_url: String,
    pub key: Option<SecretSource>,
    /// How the key is sent; by default as the dialect has it.
    pub auth: Option<AuthStyle>,
    /// Extra headers, for gateways.
    #[serde(default)]
    pub headers: BTreeMap<String, HeaderSource>,
    /// Extra fields of the request body, for servers with switches of their own.
    #[serde(default)]
    pub body: Map<String, Value>,
    #[serde(default)]
    pub schema: SchemaMode,
    #[serde(default)]
    pub tokens_field: TokensField,
    #[serde(default = "yes")]
    pub stream: bool,
    /// Whether the server may be asked for usage in a stream (`stream_options`).
    #[serde(default = "yes")]
    pub stream_usage: bool,
    /// Whether a temperature may be sent: models that think refuse any but their own.
    #[serde(default = "yes")]
    pub temperature: bool,
    /// Overrides the proxy of the environment.
    pub proxy: Option<String>,
    /// PEM file of certificate authorities trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// Calls cost nothing: a model on a machine of one's own.
    #[serde(default)]
    pub free: bool,
}

fn yes() -> bool {
    true
}

impl ProviderConfig {
    /// A server without a key, as on one's own machine.
    pub fn local(base_url: impl Into<String>, dialect: Dialect) -> Self {
        Self {
            dialect,
            base_url: base_url.into(),
            key: None,
            auth: None,
            headers: BTreeMap::new(),
            body: Map::new(),
            schema: SchemaMode::Native,
            tokens_field: TokensField::MaxTokens,
            stream: true,
            stream_usage: true,
            temperature: true,
            proxy: None,
            ca_file: None,
            free: true,
        }
    }
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuthStyle {
    /// `authorization: Bearer <key>`.
    Bearer,
    /// `x-api-key: <key>`.
    XApiKey,
    /// Not at all; a gateway may hold the key and want a header of its own.
    None,
}

/// How an answer of a given schema is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaMode {
    /// The provider enforces the schema (`response_format`, `output_config`).
    #[default]
    Native,
    /// The provider promises some JSON object.
    JsonObject,
    /// As the arguments of a tool that must be called.
    Tool,
    /// By the prompt alone.
    Prompt,
}

/// What the limit of the answer's tokens is called in the OpenAI dialect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokensField {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

/// How long to wait, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// For the connection.
    pub connect_s: f64,
    /// From sending to the first event. Large: a model may think, a local one reads the prompt slowly.
    pub first_token_s: f64,
    /// Between two pieces.
    pub idle_s: f64,
    /// For the whole call, retries not counted.
    pub total_s: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_s: 10.0,
            first_token_s: 90.0,
            idle_s: 45.0,
            total_s: 300.0,
        }
    }
}

/// `seconds` as a duration; nonsense (negative, not a number, beyond a day) becomes a day.
pub(crate) fn seconds(seconds: f64) -> Duration {
    const DAY: Duration = Duration::from_secs(86_400);
    Duration::try_from_secs_f64(seconds).map_or(DAY, |d| d.min(DAY))
}

/// What is done about a transient failure.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Tries in all, the first one included.
    pub attempts: u32,
    /// Before the second try; doubles with each further one, with jitter.
    pub first_delay_s: f64,
    /// Longest wait; when the server asks for more, the call fails and says so.
    pub longest_delay_s: f64,
    /// Failures in a row after which calls are refused at once.
    pub breaker_failures: u32,
    /// How long they are refused before one is let through to try.
    pub breaker_open_s: f64,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            attempts: 3,
            first_delay_s: 0.5,
            longest_delay_s: 30.0,
            breaker_failures: 5,
            breaker_open_s: 30.0,
        }
    }
}

/// Whether exchanges are recorded or replayed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CassetteConfig {
    pub mode: CassetteMode,
    pub file: Option<PathBuf>,
    pub matching: Matching,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CassetteMode {
    #[default]
    Off,
    Record,
    /// No network is touched.
    Replay,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_provider_is_well_formed() {
        let config = ModelConfig::default();
        let names = config.provider_names();
        assert!(names.len() >= 6);
        for (name, note) in names {
            let provider = config.provider(&name).unwrap();
            assert!(
                !note.is_empty() && provider.base_url.starts_with("http"),
                "{name}"
            );
            assert!(!provider.base_url.ends_with('/'), "{name}");
        }
    }

    #[test]
    fn a_users_table_changes_a_known_provider_field_by_field() {
        let config: ModelConfig = toml::from_str(
            r#"
            default = "openai/gpt-5-mini"
            [roles]
            critic = "groq/openai/gpt-oss-120b"
            [providers.openai]
            base_url = "https://gateway.example/openai"
            headers = { cf-aig-authorization = { env = "CF_TOKEN", prefix = "Bearer " } }
            "#,
        )
        .unwrap();
        let openai = config.provider("openai").unwrap();
        assert_eq!(openai.base_url, "https://gateway.example/openai");
        assert_eq!(openai.key, Some(SecretSource::Env("OPENAI_API_KEY".into())));
        assert_eq!(config.model_of("critic").unwrap().model, "openai/gpt-oss-120b");
        assert_eq!(
            config.model_of("planner").unwrap().to_string(),
            "openai/gpt-5-mini"
        );
    }

    #[test]
    fn a_known_address_is_recognised_by_its_dialect() {
        let at = |url: &str, dialect| ModelConfig::recognise(url, dialect);
        assert_eq!(
            at("https://api.openai.com/v1/", Dialect::OpenAi).as_deref(),
            Some("openai")
        );
        assert_eq!(
            at("http://127.0.0.1:8080/v1", Dialect::Anthropic).as_deref(),
            Some("llamacpp-messages")
        );
        assert_eq!(at("https://api.openai.com/v1", Dialect::Anthropic), None);
    }

    #[test]
    fn mistakes_are_named() {
        let config: ModelConfig =
            toml::from_str("[providers.x]\ndialect = 'openai'\nbase_ulr = 'y'").unwrap();
        assert!(config.provider("x").unwrap_err().to_string().contains("base_ulr"));
        assert!(config.provider("nope").unwrap_err().hint.contains("ollama"));
        assert!(
            "gpt-5"
                .parse::<ModelRef>()
                .unwrap_err()
                .contains("provider/model")
        );
    }
}
