//! `noctui models`: which models are chosen and what they cost, and whether a provider works.

use clap::Subcommand;

use super::{Context, Exit, Failure, model_config::model_config, print};
use crate::llm::{Check, CheckResult, ModelConfig, ModelRef, PriceTable, Provider, neutralise, probe};

/// Arguments of `noctui models`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the chosen models with their prices, and the providers that are known
    List {
        /// Ask this provider which models it offers
        provider: Option<String>,
    },
    /// Try a model: chat, stream, tools, schema, embeddings
    Test {
        /// PROVIDER/MODEL; without it the model of the settings
        model: Option<String>,
        /// PROVIDER/MODEL that embeds; without it the one of the settings, or MODEL itself
        #[arg(long, value_name = "MODEL")]
        embedding: Option<String>,
        /// Print the results as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs `noctui models …`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let config = model_config(context)?;
    match args.action {
        Action::List { provider: None } => list(&config),
        Action::List { provider: Some(name) } => offered(&config, &name, context),
        Action::Test {
            model,
            embedding,
            json,
        } => test(&config, model, embedding, json, context),
    }
}

fn list(config: &ModelConfig) -> Result<Exit, Failure> {
    let prices = PriceTable::load(&config.prices)?;
    let mut text = String::new();
    let chosen = config.default.iter().map(|m| ("every role", m));
    let chosen = chosen.chain(config.roles.iter().map(|(role, m)| (role.as_str(), m)));
    let chosen: Vec<_> = chosen
        .chain(config.embedding.iter().map(|m| ("embedding", m)))
        .collect();
    if chosen.is_empty() {
        text.push_str("No model is chosen: set model.model and model.base_url, or go on with the rules.\n");
    }
    for (role, model) in chosen {
        text.push_str(&format!(
            "{role:<12} {:<44} {}\n",
            model.to_string(),
            price(config, &prices, model)
        ));
    }
    text.push_str(&format!(
        "\nPrices are estimates in US dollars per million tokens, as of {}.\n",
        prices.as_of
    ));
    text.push_str("\nProviders (choose one with model.model = \"@PROVIDER/MODEL\"):\n");
    for (name, note) in config.provider_names() {
        text.push_str(&format!("  {name:<20} {note}\n"));
    }
    print::out(text)?;
    Ok(Exit::Healthy)
}

fn price(config: &ModelConfig, prices: &PriceTable, model: &ModelRef) -> String {
    if config.provider(&model.provider).is_ok_and(|p| p.free) {
        return "free".to_owned();
    }
    prices.price(model).map_or_else(
        || "price unknown".to_owned(),
        |p| {
            let cached = p.cached.map_or_else(String::new, |c| format!(", cached {c}"));
            format!("in {}{cached}, out {}", p.input, p.output)
        },
    )
}

fn offered(config: &ModelConfig, name: &str, context: &Context) -> Result<Exit, Failure> {
    let model = ModelRef {
        provider: name.to_owned(),
        model: "-".to_owned(),
    };
    let provider = provider(config, &model)?;
    let names = context.block_on(async { Ok(provider.models().await?) })?;
    print::out(names.iter().map(|n| format!("{name}/{n}\n")).collect::<String>())?;
    Ok(Exit::Healthy)
}

fn provider(config: &ModelConfig, model: &ModelRef) -> Result<Provider, Failure> {
    Ok(Provider::new(
        model,
        config.provider(&model.provider)?,
        config.timeouts,
    )?)
}

fn test(
    config: &ModelConfig,
    model: Option<String>,
    embedding: Option<String>,
    json: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    let parse = |text: String| {
        let text = text.strip_prefix('@').unwrap_or(&text).to_owned();
        text.parse::<ModelRef>()
            .map_err(|e| Failure::usage(e, "`noctui models list` shows providers"))
    };
    let model = match model {
        Some(text) => parse(text)?,
        None => config.default.clone().ok_or_else(|| {
            Failure::usage(
                "no model is chosen",
                "name one: noctui models test ollama/qwen3:8b",
            )
        })?,
    };
    let chat = provider(config, &model)?;
    let embedding = match embedding {
        Some(text) => parse(text)?,
        None => config.embedding.clone().unwrap_or_else(|| model.clone()),
    };
    let embedder = provider(config, &embedding)?;
    if !json {
        print::line(format_args!("{model}"))?;
    }
    let mut results = Vec::new();
    for check in Check::ALL {
        let result = context.block_on(async { Ok(probe(&chat, &embedder, check).await) })?;
        if !json {
            print::line(line(&result))?;
        }
        results.push(result);
    }
    if json {
        print::line(as_json(&model, &results))?;
    }
    let works = |check| results.iter().any(|r| r.check == check && r.outcome.is_ok());
    Ok(if works(Check::Chat) {
        Exit::Healthy
    } else {
        Exit::Failed
    })
}

fn line(result: &CheckResult) -> String {
    let (sign, text) = match &result.outcome {
        Ok(text) => ("works", text),
        Err(text) => ("FAILS", text),
    };
    format!(
        "  {:<11} {sign}  {:>6} ms  {}",
        result.check.name(),
        result.millis,
        neutralise(text)
    )
}

fn as_json(model: &ModelRef, results: &[CheckResult]) -> serde_json::Value {
    let checks: Vec<_> = results
        .iter()
        .map(|r| {
            let (works, text) = match &r.outcome {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            serde_json::json!({"check": r.check.name(), "works": works, "detail": text, "millis": r.millis})
        })
        .collect();
    serde_json::json!({"model": model.to_string(), "checks": checks})
}
