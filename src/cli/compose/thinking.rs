//! Who thinks: the rules, or a language model with the rules behind it; and who runs scripts.

use std::sync::Arc;

use super::super::{Context, Failure, model_config, plans};
use crate::agent::ports::{Reasoner, ScriptRunner};
use crate::llm::{Roster, redact_secrets};
use crate::reason::model::{ModelOptions, ModelReasoner, OnFailure, Prompts, Runbook};
use crate::reason::rules::Rules;
use crate::reason::script::{Limits, Scripts};
use crate::settings::{Fallback, ReasonerKind};

/// The reasoner of the settings, or the one that was asked for, within the budget of a session.
///
/// # Errors
/// When a model is asked for and none is chosen or it is set up wrongly, or a prompt can't be read.
pub(super) fn reasoner(context: &Context, kind: ReasonerKind) -> Result<Arc<dyn Reasoner>, Failure> {
    let rules: Arc<dyn Reasoner> = Arc::new(Rules::default());
    if kind == ReasonerKind::Rules {
        return Ok(rules);
    }
    let roster = model_config::roster(context)?;
    on_models(context, roster, rules)
}

/// The model reasoner for many sessions in a row: calls and seconds of the budget, which are a session's, are
/// lifted; tokens and dollars bound the whole.
///
/// # Errors
/// As [`reasoner`].
pub(in crate::cli) fn benchmark_model(context: &Context) -> Result<Arc<dyn Reasoner>, Failure> {
    let mut config = model_config::model_config(context)?;
    config.budget.calls = None;
    config.budget.seconds = None;
    let roster = Roster::assemble(&config, Arc::new(redact_secrets))?;
    on_models(context, roster, Arc::new(Rules::default()))
}

fn on_models(
    context: &Context,
    roster: Roster,
    rules: Arc<dyn Reasoner>,
) -> Result<Arc<dyn Reasoner>, Failure> {
    let settings = context.settings()?;
    let folder = context.folders()?.config.join("prompts");
    let prompts = Prompts::load(&folder, &settings.reasoner.specialists).map_err(|error| {
        Failure::config(
            error,
            "correct the prompt or the setting; without a file of its own a role has the built-in prompt",
        )
    })?;
    let books = plans::load(context)?;
    let books: Vec<Runbook> = books
        .names()
        .filter_map(|intent| books.get(intent).ok().flatten())
        .map(|book| Runbook {
            intent: book.intent.clone(),
            description: book.description.clone(),
            steps: book.steps.clone(),
        })
        .collect();
    let options = ModelOptions {
        max_tokens: settings.model.max_output_tokens,
        temperature: Some(settings.model.temperature as f32),
        scripts: true,
        on_failure: match settings.reasoner.fallback {
            Fallback::Rules => OnFailure::Rules,
            Fallback::Ask => OnFailure::Ask,
        },
        runbooks: books,
    };
    Ok(Arc::new(ModelReasoner::new(
        Arc::new(roster),
        prompts,
        options,
        rules,
    )))
}

/// Runs scripts in child processes of this program; `None` where it can't be found again.
pub(in crate::cli) fn scripts() -> Option<Arc<dyn ScriptRunner>> {
    let program = std::env::current_exe().ok()?;
    Some(Arc::new(Scripts::new(program, Limits::default())))
}
