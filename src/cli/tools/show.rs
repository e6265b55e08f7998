//! `noctui tools list`, `describe` and `find`: the registry on the screen.

use serde_json::{Value, json};

use super::super::{Exit, Failure, print};
use super::pretty;
use crate::agent::model::{Purpose, Risk};
use crate::tools::{Capability, McpToolbox, Search};

/// Arguments of `noctui tools list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Also what the profile does not admit
    #[arg(long)]
    all: bool,
    /// Only this server
    #[arg(long)]
    server: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noctui tools describe`.
#[derive(Debug, clap::Args)]
pub(super) struct DescribeArgs {
    /// The tool: `server.tool`
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `noctui tools find`.
#[derive(Debug, clap::Args)]
pub(super) struct FindArgs {
    /// Words to look for
    words: Vec<String>,
    /// Only this category: inventory, interfaces, routing, logs, …
    #[arg(long, value_parser = category)]
    category: Option<Purpose>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Leave out what can interrupt service
    #[arg(long)]
    exclude_dangerous: bool,
    /// Most results
    #[arg(short = 'n', long, default_value_t = 10)]
    max_results: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn category(text: &str) -> Result<Purpose, String> {
    serde_json::from_value(Value::String(text.to_lowercase())).map_err(|error| error.to_string())
}

pub(super) async fn list(args: &ListArgs, tools: &McpToolbox) -> Result<Exit, Failure> {
    let profile = tools.guard().options.profile;
    let mut all = tools.registry().all();
    all.retain(|tool| args.server.as_ref().is_none_or(|server| tool.server == *server));
    let (shown, hidden): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|tool| args.all || profile.admits(tool));
    if args.json {
        print::line(pretty(&shown)?)?;
        return Ok(Exit::Healthy);
    }
    let mut text = String::new();
    for tool in &shown {
        text.push_str(&row(tool));
    }
    print::out(text)?;
    if !hidden.is_empty() {
        print::hint(format_args!(
            "{} more are not admitted by the profile: --all shows them",
            hidden.len()
        ));
    }
    for status in tools.hub().statuses() {
        if let Some(error) = status.last_error.filter(|_| status.tools == 0) {
            print::hint(error);
        }
    }
    Ok(if shown.is_empty() {
        Exit::Failed
    } else {
        Exit::Healthy
    })
}

fn row(tool: &Capability) -> String {
    let about = tool.description.lines().next().unwrap_or_default();
    let about: String = about.chars().take(100).collect();
    format!(
        "{:<40} {:<13} {:<12} {about}\n",
        tool.id,
        risk_word(tool.judgement.risk),
        category_word(tool.purpose)
    )
}

fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly => "read-only",
        Risk::ChangesState => "changes",
        Risk::Dangerous => "dangerous",
    }
}

fn category_word(purpose: Purpose) -> String {
    serde_json::to_value(purpose)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

pub(super) async fn describe(args: &DescribeArgs, tools: &McpToolbox) -> Result<Exit, Failure> {
    let registry = tools.registry();
    let Some(entry) = registry.get(&args.id) else {
        let next = match registry.nearest(&args.id) {
            near if near.is_empty() => "`noctui tools list --all` shows all".to_owned(),
            near => format!("nearest: {}", near.join(", ")),
        };
        return Err(Failure::usage(
            format!("no server offers the tool \"{}\"", args.id),
            next,
        ));
    };
    let tool = &entry.capability;
    let admitted = tools.guard().options.profile.admits(tool);
    let figures = crate::tools::performance::summarise(&tools.performance().records());
    let figures = figures.into_iter().find(|row| row.tool == tool.id);
    if args.json {
        let body = json!({"capability": tool, "admitted": admitted, "figures": figures});
        print::line(pretty(&body)?)?;
        return Ok(Exit::Healthy);
    }
    let judgement = &tool.judgement;
    let mut text = format!("{}\n{}\n\n", tool.id, tool.description.trim());
    let mut field = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    field(
        "server",
        tool.version
            .clone()
            .map_or(tool.server.clone(), |v| format!("{} ({v})", tool.server)),
    );
    field("category", category_word(tool.purpose));
    field("tags", tool.tags.join(", "));
    field(
        "risk",
        format!(
            "{}, according to {}",
            risk_word(judgement.risk),
            source_word(tool)
        ),
    );
    field(
        "profile",
        if admitted {
            "admits it"
        } else {
            "does not admit it"
        }
        .to_owned(),
    );
    field("duration", format!("about {} ms", tool.budget.estimated_ms));
    field("cache", format!("{} s", tool.budget.cache_ttl_ms / 1000));
    for example in &tool.examples {
        field("example", example.to_string());
    }
    text.push_str(&format!("\narguments\n{}\n", pretty(&tool.input_schema)?));
    print::out(text)?;
    Ok(Exit::Healthy)
}

fn source_word(tool: &Capability) -> &'static str {
    match tool.judgement.source {
        crate::tools::RiskSource::Profile => "the profile",
        crate::tools::RiskSource::Name => "its name",
        crate::tools::RiskSource::Annotation => "its server",
        crate::tools::RiskSource::Unknown => "nobody",
    }
}

pub(super) async fn find(args: &FindArgs, tools: &McpToolbox) -> Result<Exit, Failure> {
    let search = Search {
        text: args.words.join(" "),
        category: args.category,
        tag: args.tag.clone(),
        exclude_dangerous: args.exclude_dangerous,
        max_results: args.max_results,
    };
    let found = tools.registry().find(&search);
    if args.json {
        let body: Vec<Value> = found
            .iter()
            .map(|hit| json!({"score": hit.score, "capability": *hit.capability}))
            .collect();
        print::line(pretty(&body)?)?;
        return Ok(Exit::Healthy);
    }
    let mut text = String::new();
    for hit in &found {
        text.push_str(&format!("{:>5.1}  {}", hit.score, row(&hit.capability)));
    }
    print::out(text)?;
    if found.is_empty() {
        print::hint("nothing found: `noctui tools list --all` shows everything");
    }
    Ok(Exit::Healthy)
}
