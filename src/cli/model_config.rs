//! From the settings to the models: `[model]`, `providers.toml` and `prices.toml`, as the model room wants them.
//!
//! A model is named plainly for the provider of `[model]` (`qwen3:8b`), or with an `@` for a known one
//! (`@groq/openai/gpt-oss-120b`). `NOCTUI_CASSETTE=record:FILE` or `replay:FILE` puts a tape in between.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Context, Failure};
use crate::llm::{
    Budget, CassetteConfig, CassetteMode, Dialect, ErrorKind, LlmError, Matching, ModelConfig, ModelRef,
    Price, RetryConfig, Roster, Timeouts, redact_secrets,
};
use crate::settings::{self, Model, expand};

/// The provider of `[model]` when its address is none we know.
const OWN: &str = "own";

impl From<LlmError> for Failure {
    fn from(error: LlmError) -> Self {
        let what = format!("{}: {}", error.provider, error.message);
        match error.kind {
            ErrorKind::Config | ErrorKind::Auth => Failure::config(what, error.hint),
            _ => Failure::failed(what, error.hint),
        }
    }
}

/// The models of the settings, ready for an investigation.
///
/// # Errors
/// When no model is chosen, or something about it is wrong.
pub fn roster(context: &Context) -> Result<Roster, Failure> {
    let config = model_config(context)?;
    Ok(Roster::assemble(&config, Arc::new(redact_secrets))?)
}

/// What the settings and the files beside them say about models.
///
/// # Errors
/// When a file or a name is wrong.
pub fn model_config(context: &Context) -> Result<ModelConfig, Failure> {
    let model = &context.settings()?.model;
    let folder = &context.folders()?.config;
    let mut config = ModelConfig {
        providers: read(&folder.join("providers.toml"))?,
        prices: read::<BTreeMap<String, BTreeMap<String, Price>>>(&folder.join("prices.toml"))?
            .remove("prices")
            .unwrap_or_default(),
        timeouts: timeouts(&model.timeouts),
        retry: RetryConfig {
            attempts: model.max_retries + 1,
            ..RetryConfig::default()
        },
        budget: budget(&model.budget),
        cassette: tape_of_environment()?,
        ..ModelConfig::default()
    };
    let dialect = match model.provider {
        settings::Provider::OpenAi => Dialect::OpenAi,
        settings::Provider::Anthropic => Dialect::Anthropic,
    };
    let provider = ModelConfig::recognise(&model.base_url, dialect).unwrap_or_else(|| OWN.to_owned());
    let table = config.providers.entry(provider.clone()).or_default();
    provider_table(model, dialect, table)?;
    let named = |name: &str| -> Result<ModelRef, Failure> {
        let text = name
            .strip_prefix('@')
            .map_or_else(|| format!("{provider}/{name}"), str::to_owned);
        text.parse()
            .map_err(|e: String| Failure::config(e, "write NAME, or @PROVIDER/NAME"))
    };
    if !model.model.is_empty() {
        config.default = Some(named(&model.model)?);
    }
    for (role, name) in roles(&model.roles) {
        config.roles.insert(role.to_owned(), named(name)?);
    }
    if let Some(name) = &model.roles.embedding {
        config.embedding = Some(named(name)?);
    }
    Ok(config)
}

fn roles(roles: &settings::Roles) -> impl Iterator<Item = (&'static str, &str)> {
    let all = [
        ("planner", &roles.planner),
        ("critic", &roles.critic),
        ("executor", &roles.executor),
        ("specialist", &roles.specialist),
        ("assessor", &roles.assessor),
        ("reporter", &roles.reporter),
    ];
    all.into_iter()
        .filter_map(|(role, name)| Some((role, name.as_deref()?)))
}

/// Lays `[model]` over what is known of the provider.
fn provider_table(model: &Model, dialect: Dialect, table: &mut Map<String, Value>) -> Result<(), Failure> {
    let mut set = |key: &str, value: Value| table.insert(key.to_owned(), value);
    set("dialect", json!(dialect));
    set("base_url", json!(model.base_url));
    let key = [
        (&model.key_env, json!({ "env": model.key_env })),
        (&model.key_file, json!({ "file": model.key_file })),
        (
            &model.key_command,
            json!({ "command": ["sh", "-c", model.key_command] }),
        ),
    ];
    if let Some((_, key)) = key.into_iter().find(|(text, _)| !text.is_empty()) {
        set("key", key);
    }
    for (name, text) in [("ca_file", &model.ca_file), ("proxy", &model.proxy)] {
        if !text.is_empty() {
            set(name, json!(text));
        }
    }
    let host = model.base_url.split('/').nth(2).unwrap_or_default();
    if ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|local| host.starts_with(local))
    {
        set("free", json!(true));
    }
    let mut headers = Map::new();
    for (name, text) in model.headers.iter() {
        headers.insert(name.to_owned(), header(name, text)?);
    }
    if !headers.is_empty() {
        set("headers", Value::Object(headers));
    }
    Ok(())
}

/// A header's value: one variable at its end stays a name until it is sent, more are filled in now.
fn header(name: &str, text: &str) -> Result<Value, Failure> {
    if let Some((prefix, variable)) = text.split_once("${")
        && let Some(variable) = variable.strip_suffix('}')
        && !variable.contains('}')
        && !prefix.ends_with('$')
    {
        return Ok(json!({ "env": variable, "prefix": prefix }));
    }
    expand(text, &|variable| std::env::var(variable).ok())
        .map(Value::String)
        .map_err(|variable| {
            Failure::config(
                format!("model.headers.{name}: {variable} is not set"),
                "export it, or change the header",
            )
        })
}

fn timeouts(timeouts: &settings::ModelTimeouts) -> Timeouts {
    Timeouts {
        connect_s: timeouts.connect_s as f64,
        first_token_s: timeouts.first_token_s as f64,
        idle_s: timeouts.idle_s as f64,
        total_s: timeouts.total_s as f64,
    }
}

fn budget(budget: &settings::Budget) -> Budget {
    let limit = |n: u64| (n > 0).then_some(n);
    Budget {
        tokens: limit(budget.tokens),
        usd: (budget.cost_usd > 0.0).then_some(budget.cost_usd),
        calls: limit(budget.calls),
        seconds: limit(budget.seconds).map(|s| s as f64),
    }
}

/// True when models are recorded or replayed.
///
/// # Errors
/// When the variable makes no sense.
pub fn on_tape() -> Result<bool, Failure> {
    Ok(tape_of_environment()?.mode != CassetteMode::Off)
}

fn tape_of_environment() -> Result<CassetteConfig, Failure> {
    cassette(std::env::var("NOCTUI_CASSETTE").ok().as_deref())
}

fn cassette(text: Option<&str>) -> Result<CassetteConfig, Failure> {
    let Some(text) = text.filter(|t| !t.is_empty()) else {
        return Ok(CassetteConfig::default());
    };
    let (mode, matching, file) = match text.split_once(':') {
        Some(("record", file)) => (CassetteMode::Record, Matching::Exact, file),
        Some(("replay", file)) => (CassetteMode::Replay, Matching::Exact, file),
        Some(("replay-sequence", file)) => (CassetteMode::Replay, Matching::Sequence, file),
        _ => {
            let next = "write record:FILE, replay:FILE or replay-sequence:FILE";
            return Err(Failure::config(
                format!("NOCTUI_CASSETTE={text:?} is no cassette"),
                next,
            ));
        }
    };
    Ok(CassetteConfig {
        mode,
        file: Some(file.into()),
        matching,
    })
}

fn read<T: serde::de::DeserializeOwned + Default>(path: &Path) -> Result<T, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map_err(|e| {
            let first = e.message().lines().next().unwrap_or_default().to_owned();
            Failure::config(
                format!("{}: {first}", path.display()),
                "compare it with the built-in file of that name",
            )
        }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
        Err(e) => Err(Failure::config(
            format!("{}: {e}", path.display()),
            "check its permissions",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_one_variable_as_a_name() {
        assert_eq!(
            header("h", "Bearer ${TOKEN}").unwrap(),
            json!({"env": "TOKEN", "prefix": "Bearer "})
        );
        assert_eq!(header("h", "plain").unwrap(), json!("plain"));
        assert_eq!(header("h", "$${X}").unwrap(), json!("${X}"));
        assert!(header("h", "${NOCTUI_NOT_SET} and more").is_err());
    }

    #[test]
    fn a_cassette_is_named_by_mode_and_file() {
        assert_eq!(cassette(None).unwrap().mode, CassetteMode::Off);
        let replay = cassette(Some("replay:/a:b")).unwrap();
        assert_eq!(
            (replay.mode, replay.file),
            (CassetteMode::Replay, Some("/a:b".into()))
        );
        assert!(cassette(Some("tape")).is_err());
    }
}
