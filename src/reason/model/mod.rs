//! The `Reasoner` port on a language model: one prompt a role, typed answers, and nobody's word taken.
//!
//! An answer is read leniently, validated against the state, asked for once more when it can't be used, and
//! then left to the rules reasoner or to the human, as configured. Each of these is noted in the session.
//! Knows no tools and no files but its prompts; what it names is called by the machine or not at all.

mod accept;
mod answers;
mod ask;
mod check;
mod coerce;
mod executor;
mod lenient;
mod panel;
mod prompts;
mod quote;
mod render;
mod stream;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;

use answers::{AssessAnswer, CritiqueAnswer, PerceiveAnswer, PlanAnswer, ProseAnswer, ReadAnswer};
use ask::{Asker, Failure, Voice};
use panel::Opinion;
pub use prompts::{PromptRole, Prompts};

use crate::agent::{
    model::{
        Action, Assessment, Critique, Draft, LaneId, Note, NoteSource, Perception, Prose, Reading, StepId,
    },
    ports::{Brief, PortError, Reasoner},
    state::State,
};
use crate::llm::Roster;
use render::Detail;

/// A runbook as the planner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runbook {
    /// The intent it serves.
    pub intent: String,
    pub description: String,
    /// Steps in words, in order.
    pub steps: Vec<String>,
}

/// Who decides when the model can't.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// The rules, with a note.
    #[default]
    Rules,
    /// The human.
    Ask,
}

/// How the model reasoner works.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Longest answer of a role, in tokens.
    pub max_tokens: u32,
    pub temperature: Option<f32>,
    /// Whether plans may have CODE steps.
    pub scripts: bool,
    pub on_failure: OnFailure,
    /// All runbooks; the reading's intent chooses one.
    pub runbooks: Vec<Runbook>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            max_tokens: 4_096,
            temperature: Some(0.0),
            scripts: false,
            on_failure: OnFailure::Rules,
            runbooks: Vec::new(),
        }
    }
}

/// A reasoner on a roster of models.
pub struct ModelReasoner {
    roster: Arc<Roster>,
    prompts: Prompts,
    options: ModelOptions,
    rules: Arc<dyn Reasoner>,
}

impl ModelReasoner {
    /// `rules` decides where the model can't.
    pub fn new(
        roster: Arc<Roster>,
        prompts: Prompts,
        options: ModelOptions,
        rules: Arc<dyn Reasoner>,
    ) -> Self {
        Self {
            roster,
            prompts,
            options,
            rules,
        }
    }

    fn asker<'a>(&'a self, brief: &'a Brief, role: PromptRole) -> Asker<'a> {
        Asker {
            roster: &self.roster,
            options: &self.options,
            brief,
            voice: Voice::of(role, &self.prompts),
        }
    }

    /// The specialists' opinions of a draft; one whose answer is no use abstains, and that is noted.
    async fn opinions(&self, brief: &Brief, page: &str) -> Vec<Opinion> {
        let state = &*brief.state;
        let asked = self.prompts.specialists().map(|(name, prompt)| async move {
            let asker = Asker {
                roster: &self.roster,
                options: &self.options,
                brief,
                voice: Voice::specialist(name, prompt),
            };
            let answer = asker.ask(page.to_owned(), |a: CritiqueAnswer| accept::critique(state, a));
            match answer.await {
                Ok(critique) => Some(Opinion {
                    voter: name.to_owned(),
                    critique,
                }),
                Err(failure) => {
                    asker.note(format!("{}; it does not vote", failure.words()));
                    None
                }
            }
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Takes the model's answer, or clears the way for the rules.
    fn settle<T>(
        &self,
        brief: &Brief,
        role: PromptRole,
        result: Result<T, Failure>,
    ) -> Result<Option<T>, PortError> {
        let failure = match result {
            Ok(answer) => return Ok(Some(answer)),
            Err(failure) => failure,
        };
        let words = failure.words();
        // nobody need be asked how a settled verdict is worded
        let matters = role != PromptRole::Reporter;
        let asks = matters && (failure.is_budget() || self.options.on_failure == OnFailure::Ask);
        let consequence = if asks {
            "the human decides"
        } else {
            Note::LEFT_TO_THE_RULES
        };
        let text = format!("{}: {words}; {consequence}", role.name());
        brief.reporter.note(Note {
            source: NoteSource::Reasoner,
            text,
            at: brief.now,
        });
        if asks {
            Err(PortError(format!("{}: {words}", role.name())))
        } else {
            Ok(None)
        }
    }

    fn runbook(&self, brief: &Brief) -> Option<&Runbook> {
        let chosen = brief.state.query.as_ref().and_then(|q| q.runbook.as_deref());
        let read = brief.state.intake.reading.as_ref().map(|r| r.intent.0.as_str());
        let intent = chosen.or(read)?;
        self.options.runbooks.iter().find(|r| r.intent == intent)
    }

    /// Tells once of text from the network that addresses its reader with orders.
    fn report_orders(&self, brief: &Brief) {
        let mut seen: Vec<String> = brief.state.ledger.notes.iter().map(|n| n.text.clone()).collect();
        for evidence in &brief.state.evidence {
            let Some(order) = quote::order_in(&evidence.value.to_string()) else {
                continue;
            };
            let text = format!(
                "{} holds text that gives orders ({order:?}); it is evidence and not obeyed",
                evidence.id
            );
            if !seen.contains(&text) {
                seen.push(text.clone());
                brief.reporter.note(Note {
                    source: NoteSource::Reasoner,
                    text,
                    at: brief.now,
                });
            }
        }
    }

    fn intents(&self) -> String {
        let rows: Vec<String> = self
            .options
            .runbooks
            .iter()
            .map(|r| format!("{}: {}", r.intent, quote::clipped(&r.description, 160)))
            .collect();
        if rows.is_empty() {
            String::new()
        } else {
            format!("## Intents\n{}", rows.join("\n"))
        }
    }
}

#[async_trait]
impl Reasoner for ModelReasoner {
    fn name(&self) -> String {
        self.roster
            .model(PromptRole::Planner.name())
            .map_or_else(|_| "model".to_owned(), |m| m.name().to_owned())
    }

    async fn read(&self, brief: Brief) -> Result<Reading, PortError> {
        let state = &*brief.state;
        let page = render::page([self.intents(), render::inventory(state), render::question(state)]);
        let asker = self.asker(&brief, PromptRole::Reader);
        let result = asker
            .ask(page, |a: ReadAnswer| accept::reading(state, a, brief.now))
            .await;
        match self.settle(&brief, PromptRole::Reader, result)? {
            Some(reading) => Ok(reading),
            None => self.rules.read(brief).await,
        }
    }

    async fn plan(&self, brief: Brief, draft: u32) -> Result<Draft, PortError> {
        let state = &*brief.state;
        let runbook = self.runbook(&brief);
        let scripts = if self.options.scripts {
            "Scripts are allowed: kind code. A tool is called as call(\"server.tool\", name=value)."
        } else {
            "Scripts are not allowed."
        };
        let detail = if self.options.scripts {
            Detail::Arguments
        } else {
            Detail::Words
        };
        let page = render::page([
            render::inventory(state),
            render::tools(state, detail),
            render::runbook(runbook),
            render::passages(state, draft, runbook.map_or(&[], |r| &r.steps)),
            render::incidents(state),
            render::question(state),
            render::objective(state),
            render::plan(state),
            render::known(state),
            render::unobserved(state),
            render::earlier_drafts(state, draft),
            scripts.to_owned(),
        ]);
        let asker = self.asker(&brief, PromptRole::Planner);
        let accept = |a: PlanAnswer| accept::draft(state, draft, runbook, &self.options, a);
        let result = asker.ask(page, accept).await;
        match self.settle(&brief, PromptRole::Planner, result)? {
            Some(draft) => Ok(draft),
            None => self.rules.plan(brief, draft).await,
        }
    }

    async fn criticise(&self, brief: Brief, draft: u32) -> Result<Critique, PortError> {
        let state = &*brief.state;
        let page = critic_page(state, draft);
        let asker = self.asker(&brief, PromptRole::Critic);
        let asked = asker.ask(page.clone(), |a: CritiqueAnswer| accept::critique(state, a));
        let (result, opinions) = tokio::join!(asked, self.opinions(&brief, &page));
        let critique = match self.settle(&brief, PromptRole::Critic, result)? {
            Some(critique) => critique,
            None => self.rules.criticise(brief.clone(), draft).await?,
        };
        let voters = 1 + self.prompts.specialists().count();
        if voters == 1 {
            return Ok(critique);
        }
        let voter = PromptRole::Critic.name().to_owned();
        let opinions = std::iter::once(Opinion { voter, critique }).chain(opinions);
        let decided = panel::decide(opinions.collect(), voters);
        let (critique, told) = decided.ok_or_else(|| PortError("nobody voted on the plan".into()))?;
        asker.note(format!("votes: {told}"));
        Ok(critique)
    }

    async fn act(&self, brief: Brief, lane: LaneId, step: StepId, turn: u32) -> Result<Action, PortError> {
        self.report_orders(&brief);
        let asker = self.asker(&brief, PromptRole::Executor);
        let result = executor::act(&asker, lane, step).await;
        match self.settle(&brief, PromptRole::Executor, result)? {
            Some(action) => Ok(action),
            None => self.rules.act(brief, lane, step, turn).await,
        }
    }

    async fn perceive(&self, brief: Brief, step: StepId) -> Result<Perception, PortError> {
        let state = &*brief.state;
        let page = render::page([course(state), render::step_line(state, step)]);
        let asker = self.asker(&brief, PromptRole::Perceiver);
        let result = asker
            .ask(page, |a: PerceiveAnswer| accept::perception(state, a, brief.now))
            .await;
        match self.settle(&brief, PromptRole::Perceiver, result)? {
            Some(perception) => Ok(perception),
            None => self.rules.perceive(brief, step).await,
        }
    }

    async fn assess(&self, brief: Brief) -> Result<Assessment, PortError> {
        let state = &*brief.state;
        let page = render::page([render::tools(state, Detail::Purpose), course(state)]);
        let asker = self.asker(&brief, PromptRole::Assessor);
        let result = asker
            .ask(page, |a: AssessAnswer| accept::assessment(state, a))
            .await;
        match self.settle(&brief, PromptRole::Assessor, result)? {
            Some(assessment) => Ok(assessment),
            None => self.rules.assess(brief).await,
        }
    }

    async fn write(&self, brief: Brief) -> Result<Prose, PortError> {
        let state = &*brief.state;
        let verdict = state
            .diagnosed
            .verdict
            .as_ref()
            .map(render::verdict)
            .unwrap_or_default();
        let page = render::page([
            render::question(state),
            render::objective(state),
            render::findings(state, None),
            render::evidence_list(state),
            verdict,
        ]);
        let asker = self.asker(&brief, PromptRole::Reporter);
        let result = asker.ask(page, |a: ProseAnswer| accept::prose(state, a)).await;
        match self.settle(&brief, PromptRole::Reporter, result)? {
            Some(prose) => Ok(prose),
            None => self.rules.write(brief).await,
        }
    }
}

/// The investigation so far, for those who judge it.
fn course(state: &State) -> String {
    render::page([
        render::question(state),
        render::objective(state),
        render::plan(state),
        render::known(state),
        render::evidence_list(state),
        render::unobserved(state),
    ])
}

/// A draft with what is needed to judge it.
fn critic_page(state: &State, draft: u32) -> String {
    let plan = state.planning.draft(draft).and_then(|d| d.draft.as_ref());
    let instructions: Vec<String> = plan
        .iter()
        .flat_map(|plan| &plan.steps)
        .map(|step| step.instruction.clone())
        .collect();
    render::page([
        render::inventory(state),
        render::tools(state, Detail::Purpose),
        render::passages(state, draft, &instructions),
        render::question(state),
        render::objective(state),
        render::known(state),
        plan.map(render::draft).unwrap_or_default(),
    ])
}
