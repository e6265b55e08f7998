//! The report for programs. The shape is stable: members are added, never renamed.

use serde_json::{Value, json};

use crate::agent::model::{Origin, SessionId, Step};
use crate::agent::state::{Asked, CallRecord, State};

pub(super) fn write(session: &SessionId, state: &State) -> String {
    let report = report(session, state);
    serde_json::to_string_pretty(&report).unwrap_or_else(|_| "{}".to_owned())
}

fn report(session: &SessionId, state: &State) -> Value {
    let reading = state.intake.reading.as_ref();
    let plan = state.planning.current();
    json!({
        "format": "noctui-report.1",
        "session": session,
        "query": state.query.as_ref().map(|q| &q.text),
        "context": state.options.context,
        "reasoner": state.options.reasoner,
        "outcome": state.ending.outcome,
        "objective": plan.map(|p| &p.objective).or(reading.map(|r| &r.objective)),
        "intent": reading.map(|r| &r.intent),
        "runbook": plan.and_then(|p| p.runbook.as_ref()),
        "targets": state.intake.targets,
        "window": reading.map(|r| r.window),
        "headline": super::headline(state),
        "verdict": state.diagnosed.verdict,
        "report": state.ending.prose.as_ref().map(|p| &p.body),
        "findings": state.diagnosed.findings,
        "hypotheses": state.diagnosed.hypotheses,
        "plans": plans(state),
        "loops": loops(state),
        "calls": state.execution.calls.values().map(call).collect::<Vec<_>>(),
        "evidence": evidence(state),
        "questions": state.dialogue.asked.iter().map(question).collect::<Vec<_>>(),
        "perceptions": state.judgement.perceptions.iter().map(|(step, p)| json!({"step": step, "perception": p}))
            .collect::<Vec<_>>(),
        "assessments": state.judgement.assessments,
        "tool_limitations": state.judgement.limitations,
        "incidents": state.intake.incidents,
        "notes": state.ledger.notes,
        "usage": state.ledger.usage,
        "timings": {
            "opened_at": state.opened_at,
            "updated_at": state.updated_at,
            "elapsed_ms": state.elapsed_ms(),
            "tool_calls": state.execution.attempts(),
        },
    })
}

fn plans(state: &State) -> Vec<Value> {
    let versions = state.planning.versions.iter();
    versions
        .map(|plan| {
            json!({
                "version": plan.version,
                "reason": plan.reason,
                "objective": plan.objective,
                "runbook": plan.runbook,
                "strategy": plan.strategy,
                "at": plan.at,
                "steps": plan.steps.iter().map(|step| self::step(state, step)).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn step(state: &State, step: &Step) -> Value {
    let runs: Vec<Value> = state
        .execution
        .runs
        .iter()
        .filter(|((_, id), _)| *id == step.id)
        .map(|((lane, _), run)| {
            json!({
                "lane": lane,
                "device": state.lane_device(*lane),
                "calls": run.turns.iter().flat_map(|t| &t.calls).collect::<Vec<_>>(),
                "summary": run.summary,
                "limitation": run.limitation,
            })
        })
        .collect();
    let mut value = serde_json::to_value(step).unwrap_or_default();
    value["runs"] = runs.into();
    value
}

fn loops(state: &State) -> Vec<Value> {
    let drafts = state.planning.drafts.iter().enumerate();
    drafts
        .map(|(number, record)| {
            json!({
                "draft": number,
                "steps": record.draft.as_ref().map(|d| d.steps.len()),
                "rationale": record.draft.as_ref().map(|d| &d.rationale),
                "critique": record.critique,
                "passages": record.passages,
            })
        })
        .collect()
}

fn call(record: &CallRecord) -> Value {
    json!({
        "id": record.call.id,
        "step": record.call.step,
        "lane": record.call.lane,
        "function": record.call.tool,
        "params": record.call.arguments,
        "why": record.call.why,
        "evidence": record.evidence,
        "error": record.outcome().and_then(|o| o.failure.as_ref()),
        "device_failures": record.outcome().map(|o| &o.device_failures),
        "attempts": record.outcomes.len(),
        "elapsed_ms": record.elapsed_ms(),
        "trace": record.outcome().map(|o| &o.trace),
        "follows": record.call.follows,
    })
}

fn evidence(state: &State) -> Vec<Value> {
    let all = state.evidence.iter();
    all.map(|e| {
        let session = match &e.origin {
            Origin::Session { session, .. } => Some(session),
            Origin::Tool { .. } | Origin::Human { .. } => None,
        };
        json!({
            "id": e.id,
            "call": e.origin.call(),
            "human_supplied": matches!(e.origin, Origin::Human { .. }),
            "from_session": session,
            "devices": e.devices,
            "at": e.at,
            "truncated": e.truncated,
            "value": e.value,
        })
    })
    .collect()
}

fn question(asked: &Asked) -> Value {
    let answer = asked.answer.as_ref();
    json!({
        "id": asked.question.id,
        "kind": asked.question.kind.name(),
        "text": asked.question.text,
        "answer": answer.map(|(answer, ..)| answer),
        "by": answer.map(|(_, by, _)| by),
    })
}
