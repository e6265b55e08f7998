//! Execution: steps on lanes, turns within steps, calls within turns, stock-taking after steps.

use super::{diagnose, is_diagnosed, is_resolved, is_skipped, note, validate};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::{
    Action, Answer, LaneId, Proposal, Question, QuestionKind, Scope, Step, StepId, StepKind, ToolCall,
};
use crate::agent::state::{Asked, Phase, State, StepRun};

/// Clarifications that all steps together may ask for, per allowed round.
const QUESTIONS_A_ROUND: usize = 2;

pub(super) fn effects(state: &State) -> Vec<Effect> {
    let mut effects: Vec<Effect> = running(state)
        .into_iter()
        .filter(|(lane, step, run)| wants_turn(state, *lane, step, run))
        .map(|(lane, step, run)| turn_effect(lane, step, run))
        .collect();
    if is_diagnosed(state)
        && let Some(step) = unperceived(state)
    {
        effects.push(Effect::Perceive { step });
    }
    effects
}

fn turn_effect(lane: LaneId, step: &Step, run: &StepRun) -> Effect {
    let turn = u32::try_from(run.turns.len()).unwrap_or(u32::MAX);
    match step.kind {
        StepKind::Code { .. } => Effect::Script {
            lane,
            step: step.id,
            turn,
        },
        _ => Effect::Act {
            lane,
            step: step.id,
            turn,
        },
    }
}

/// Steps that have begun and not ended.
fn running(state: &State) -> Vec<(LaneId, &Step, &StepRun)> {
    let Some(plan) = state.planning.current() else {
        return Vec::new();
    };
    let runs = plan.steps.iter().flat_map(|step| {
        state
            .lanes_of(step)
            .into_iter()
            .filter_map(move |lane| Some((lane, step, state.run(lane, step.id)?)))
    });
    runs.filter(|(.., run)| run.summary.is_none()).collect()
}

/// True when the executor must choose again.
fn wants_turn(state: &State, lane: LaneId, step: &Step, run: &StepRun) -> bool {
    if !matches!(step.kind, StepKind::Instruction | StepKind::Code { .. }) {
        return false;
    }
    match run.turns.last() {
        None => true,
        Some(turn) => match &turn.action {
            Action::Call { calls } => {
                turn.calls.len() >= calls.len() && turn.calls.iter().all(|call| is_resolved(state, *call))
            }
            Action::Ask { .. } => clarifications(state, lane, step.id)
                .last()
                .is_some_and(|a| a.answer.is_some()),
            Action::Finish { .. } | Action::GiveUp { .. } => false,
        },
    }
}

fn clarifications(state: &State, lane: LaneId, step: StepId) -> Vec<&Asked> {
    let ours = |asked: &&Asked| {
        asked.question.lane == Some(lane)
            && asked.question.step == Some(step)
            && matches!(asked.question.kind, QuestionKind::Clarification { .. })
    };
    state.dialogue.asked.iter().filter(ours).collect()
}

pub(super) fn next(state: &State) -> Option<Event> {
    if let Some(event) = revise(state) {
        return Some(event);
    }
    if let Some(event) = running(state)
        .into_iter()
        .find_map(|(lane, step, run)| next_in_step(state, lane, step, run))
    {
        return Some(event);
    }
    if let Some(event) = start_step(state) {
        return Some(event);
    }
    if unperceived(state).is_some()
        && let Some(event) = diagnose(state)
    {
        return Some(event);
    }
    let plan = state.planning.current()?;
    let all_done = plan.steps.iter().all(|step| state.step_ended(step)) && unperceived(state).is_none();
    let achieved = state
        .judgement
        .perceptions
        .last()
        .is_some_and(|(_, p)| p.original_goal.achieved);
    (all_done || achieved).then_some(Event::PhaseEntered {
        phase: Phase::Assessment,
    })
}

/// A new plan version: wanted by the human, or by perception while there are revisions left.
pub(super) fn revise(state: &State) -> Option<Event> {
    if state.planning.revision.is_some() {
        return Some(Event::PhaseEntered {
            phase: Phase::Planning,
        });
    }
    let dialogue = &state.dialogue;
    if let Some(words) = dialogue
        .steering
        .get(dialogue.steering_seen..)
        .and_then(<[String]>::last)
    {
        return Some(Event::RevisionWanted {
            reason: format!("you asked: {words}"),
        });
    }
    if dialogue.replans() > state.planning.replans_seen {
        return Some(Event::RevisionWanted {
            reason: "you asked for a new plan".to_owned(),
        });
    }
    let (_, perception) = state.judgement.perceptions.last()?;
    let version = state.planning.current()?.at;
    let reason = perception
        .replan
        .as_ref()
        .filter(|_| perception.at >= version && revisions_left(state))?;
    let settled_since = state.planning.perceptions_at_settling < state.judgement.perceptions.len();
    settled_since.then(|| Event::RevisionWanted {
        reason: reason.clone(),
    })
}

/// Plan versions beyond the first that may still be made without the human asking.
pub(super) fn revisions_left(state: &State) -> bool {
    state.planning.revisions < state.options.limits.retries
}

/// The first step, in plan order, that ended on every lane without stock being taken.
fn unperceived(state: &State) -> Option<StepId> {
    let plan = state.planning.current()?;
    let done = |step: &&Step| {
        let worked = matches!(step.kind, StepKind::Instruction | StepKind::Code { .. });
        worked
            && state.step_ended(step)
            && !state.judgement.perceptions.iter().any(|(id, _)| *id == step.id)
            && !is_skipped(state, &Effect::Perceive { step: step.id })
    };
    plan.steps.iter().find(done).map(|step| step.id)
}

/// Starts the next step that nothing holds back. Device lanes go their own pace; a step for the network
/// waits for the device steps before it, and the other way round.
fn start_step(state: &State) -> Option<Event> {
    let plan = state.planning.current()?;
    for (index, step) in plan.steps.iter().enumerate() {
        for lane in state.lanes_of(step) {
            if state.run(lane, step.id).is_some() {
                continue;
            }
            let free = plan.steps[..index].iter().all(|earlier| {
                if is_for_network(earlier) == is_for_network(step) {
                    !state.lanes_of(earlier).contains(&lane)
                        || state
                            .run(lane, earlier.id)
                            .is_some_and(|run| run.summary.is_some())
                } else {
                    state.step_ended(earlier)
                }
            });
            if free {
                return Some(Event::StepStarted { lane, step: step.id });
            }
        }
    }
    None
}

fn is_for_network(step: &Step) -> bool {
    step.scope == Scope::Network || matches!(step.kind, StepKind::Conclude | StepKind::Nop { .. })
}

fn next_in_step(state: &State, lane: LaneId, step: &Step, run: &StepRun) -> Option<Event> {
    match &step.kind {
        StepKind::Conclude => return Some(ended(lane, step, "nothing more to look at".to_owned())),
        StepKind::Nop { question } => return clarify(state, lane, step, question, 1),
        StepKind::Instruction | StepKind::Code { .. } => {}
    }
    if is_skipped(state, &turn_effect(lane, step, run)) {
        return Some(limited(
            lane,
            step,
            format!("\"{}\" was skipped after a failure", step.title),
        ));
    }
    let turn = run.turns.last()?;
    match &turn.action {
        Action::Finish { summary } => Some(ended(lane, step, summary.clone())),
        Action::GiveUp { limitation } => Some(limited(lane, step, limitation.clone())),
        Action::Ask { question } => {
            let asks = run
                .turns
                .iter()
                .filter(|t| matches!(t.action, Action::Ask { .. }))
                .count();
            clarify(state, lane, step, question, asks)
        }
        Action::Call { calls } => match calls.get(turn.calls.len()) {
            Some(_) if state.execution.attempts() >= state.options.limits.tool_calls => {
                let limit = state.options.limits.tool_calls;
                Some(limited(
                    lane,
                    step,
                    format!("stopped by budget: {limit} tool calls"),
                ))
            }
            Some(proposal) => Some(Event::CallRequested {
                call: Box::new(call_for(state, lane, step.id, proposal)),
            }),
            None => {
                let turns = u32::try_from(run.turns.len()).unwrap_or(u32::MAX);
                let spent = turns >= state.options.limits.turns && wants_turn(state, lane, step, run);
                spent.then(|| {
                    limited(
                        lane,
                        step,
                        format!("stopped by budget: {turns} turns in one step"),
                    )
                })
            }
        },
    }
}

/// The call that a proposal asks for; allowed at once where a standing grant covers it.
fn call_for(state: &State, lane: LaneId, step: StepId, proposal: &Proposal) -> ToolCall {
    let grant = state.dialogue.grant_for(&proposal.tool, &proposal.arguments);
    ToolCall {
        id: state.execution.next_call(),
        lane: Some(lane),
        step: Some(step),
        tool: proposal.tool.clone(),
        arguments: proposal.arguments.clone(),
        devices: validate::devices_in(state, lane, &proposal.arguments),
        why: proposal.why.clone(),
        approved: grant.is_some(),
        grant,
        follows: None,
    }
}

/// Asks the `count`-th clarification of a step, and ends a NOP step with its answer.
fn clarify(state: &State, lane: LaneId, step: &Step, question: &str, count: usize) -> Option<Event> {
    let asked = clarifications(state, lane, step.id);
    if asked.len() < count {
        let rounds = usize::try_from(state.options.limits.clarification_rounds).unwrap_or(usize::MAX);
        let all = state
            .dialogue
            .asked
            .iter()
            .filter(|a| matches!(a.question.kind, QuestionKind::Clarification { .. }));
        if all.count() >= rounds.saturating_mul(QUESTIONS_A_ROUND) {
            return Some(limited(
                lane,
                step,
                format!("not clarified, too many questions: {question}"),
            ));
        }
        return Some(Event::QuestionAsked {
            question: Box::new(Question {
                id: state.dialogue.next_id(),
                kind: QuestionKind::Clarification {
                    round: u32::try_from(count).unwrap_or(u32::MAX),
                },
                text: question.to_owned(),
                suggestions: Vec::new(),
                lane: Some(lane),
                step: Some(step.id),
                at: state.updated_at,
            }),
        });
    }
    let (answer, ..) = asked.last()?.answer.as_ref()?;
    match (&step.kind, answer) {
        (StepKind::Nop { .. }, Answer::Text { text }) => Some(ended(lane, step, format!("you said: {text}"))),
        (StepKind::Nop { .. }, _) => Some(limited(lane, step, format!("not clarified: {question}"))),
        _ => None,
    }
}

fn ended(lane: LaneId, step: &Step, summary: String) -> Event {
    Event::StepEnded {
        lane,
        step: step.id,
        summary,
        limitation: None,
    }
}

fn limited(lane: LaneId, step: &Step, limitation: String) -> Event {
    Event::StepEnded {
        lane,
        step: step.id,
        summary: limitation.clone(),
        limitation: Some(limitation),
    }
}

/// What to record for an action: proposals validated, a second wholly refused answer is a failure.
pub(super) fn accept_action(
    state: &State,
    lane: LaneId,
    step: StepId,
    turn: u32,
    action: Action,
) -> Vec<Event> {
    let (action, objections) = validate::action(state, lane, step, action);
    let refused = matches!(&action, Action::Call { calls } if calls.is_empty()) && !objections.is_empty();
    let before = state.run(lane, step).and_then(|run| run.turns.last());
    let twice = refused && before.is_some_and(|t| t.calls.is_empty() && !t.objections.is_empty());
    let mut events = Vec::new();
    if !objections.is_empty() {
        events.push(note(state, format!("refused: {}", objections.join("; "))));
    }
    let effect = state
        .planning
        .step(step)
        .zip(state.run(lane, step))
        .map(|(s, run)| turn_effect(lane, s, run));
    match effect {
        Some(effect) if twice => events.push(Event::EffectFailed {
            effect,
            reason: objections.join("; "),
        }),
        _ => events.push(Event::ActionChosen {
            lane,
            step,
            turn,
            action,
            objections,
        }),
    }
    events
}
