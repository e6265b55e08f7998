//! What must answer: the MCP servers and the language model.

use std::time::Duration;

use super::super::{Context, Failure, compose, model_config::model_config};
use super::Finding;
use crate::llm::{Check, Provider, probe};
use crate::settings::ReasonerKind;
use crate::tools::hub::{ServerState, ServerStatus};

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let Ok(settings) = context.settings() else {
        return Vec::new();
    };
    let patience = Duration::from_secs(settings.tools.start_timeout_s);
    let mut found = servers(context, patience).unwrap_or_else(|f| vec![Finding::failure("server", f)]);
    found.push(model(context, settings.reasoner.kind).unwrap_or_else(|f| Finding::failure("model", f)));
    found
}

/// Starts every server as an investigation would, waits until each has answered or failed, and ends them.
fn servers(context: &Context, patience: Duration) -> Result<Vec<Finding>, Failure> {
    let statuses = context.block_on(async {
        let (toolbox, _) = compose::tools(context, &compose::Place::Network).await?;
        let hub = toolbox.hub().clone();
        hub.settled(patience).await;
        let statuses = hub.statuses();
        hub.close().await;
        Ok(statuses)
    })?;
    if statuses.is_empty() {
        let next = "name one in mcp.json (`noctui config path` shows where)";
        return Ok(vec![Finding::warn("server", "none is configured", next)]);
    }
    let without_inventory = super::super::gnmi::inventory_in_force(context).is_err();
    Ok(statuses.iter().map(|s| server(s, without_inventory)).collect())
}

fn server(status: &ServerStatus, without_inventory: bool) -> Finding {
    const CHECK: &str = "server";
    let name = &status.name;
    if status.state == ServerState::Ready {
        let version = status.version.as_deref().unwrap_or("no version");
        return Finding::ok(CHECK, format!("{name}: {} tools, {version}", status.tools));
    }
    let said = status.last_error.as_ref().or(status.last_stderr.as_ref());
    let seen = match said {
        Some(said) => format!("{name}: {said}"),
        None => format!("{name}: did not answer in time"),
    };
    if without_inventory
        && status
            .last_stderr
            .as_ref()
            .is_some_and(|l| l.contains("inventory"))
    {
        return Finding::warn(CHECK, seen, "it wants the inventory: `noctui setup`");
    }
    Finding::fail(
        CHECK,
        seen,
        format!(
            "`noctui tools servers` shows more; switch it off in mcp.json with {{\"{name}\": {{\"disabled\": true}}}}"
        ),
    )
}

fn model(context: &Context, kind: ReasonerKind) -> Result<Finding, Failure> {
    const CHECK: &str = "model";
    if kind == ReasonerKind::Rules {
        return Ok(Finding::ok(CHECK, "none needed: the rules reason"));
    }
    let config = model_config(context)?;
    let Some(model) = config.default.clone() else {
        let next = "set model.model, or reasoner.kind = \"rules\"";
        return Ok(Finding::fail(CHECK, "none is chosen", next));
    };
    let provider = Provider::new(&model, config.provider(&model.provider)?, config.timeouts)?;
    let answer = context.block_on(async { Ok(probe(&provider, &provider, Check::Chat).await) })?;
    Ok(match answer.outcome {
        Ok(said) => Finding::ok(CHECK, format!("{model} answers in {} ms: {said}", answer.millis)),
        Err(error) => Finding::fail(
            CHECK,
            format!("{model}: {error}"),
            "`noctui models test` shows more; meanwhile `--reasoner rules` needs no model",
        ),
    })
}
