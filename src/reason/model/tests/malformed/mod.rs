//! Every role against every bad habit of a model, three times: with a good second answer, and with the same bad
//! one again, when the rules stand behind the model and when the human does.
//!
//! Nothing may panic or hang, no invented tool or device may come through, and each case ends as repaired,
//! re-asked, fallen back or asked, with a note that says which.

use std::time::Duration;

use serde_json::{Value, json};

mod own;
mod texts;

use super::*;
use crate::llm::{
    ChatReply,
    scripted::{call_reply, text_reply},
};
use own::own_cases;
use texts::texts;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoleUnderTest {
    Read,
    Plan,
    Criticise,
    Act,
    Perceive,
    Assess,
    Write,
}

use RoleUnderTest as R;

const ROLES: [R; 7] = [
    R::Read,
    R::Plan,
    R::Criticise,
    R::Act,
    R::Perceive,
    R::Assess,
    R::Write,
];

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    AsItWas,
    Repaired,
    ReAsked,
    FellBack,
    Asked,
}

fn good(role: R) -> Value {
    match role {
        R::Read => {
            json!({"intent": "check_bgp_neighbors", "objective": "Find the cause.", "result_requirement": "It.",
            "devices": ["xrd-1"], "roles": [], "patterns": [], "whole_network": false, "vrfs": [], "interfaces": [],
            "protocols": ["bgp"], "peers": [], "minutes_back": 60, "wants_change": false, "unclear": []})
        }
        R::Plan => {
            json!({"thinking": "t", "objective": "Find the cause.", "strategy": "conservative", "steps": [
            {"title": "BGP", "instruction": "Read BGP.", "kind": "instruction", "source": "", "over": "targets",
             "devices": [], "aspects": ["bgp"], "because": ["runbook:1"]}], "rationale": "r"})
        }
        R::Criticise => json!({"thinking": "t", "verdict": "fail", "confidence": 0.8, "missing": ["logs"],
            "next_search": [], "risk_flags": [{"risk": "flaps", "confidence": 0.5}]}),
        R::Act => json!({"device_name": "xrd-1", "minutes": 30}),
        R::Perceive => json!({"local_goal_achieved": true, "local_reasoning": "Read [E1].",
            "original_goal_achieved": false, "original_reasoning": "Not yet.", "summary": "Idle [E1].",
            "confidence": 0.5, "replan": ""}),
        R::Assess => json!({"objective_met": true, "reasoning": "Seen [E1].", "confidence": 0.9,
            "tool_limitations": [], "notes_for_report": [], "next": "report", "feedback": ""}),
        R::Write => json!({"headline": "xrd-1: the session is shut down (LIKELY).",
            "body": "The session of xrd-1 is idle [E1]."}),
    }
}

/// The reply a model gives when its answer is `text`: for the executor the arguments of a call.
fn reply(role: R, text: &str) -> ChatReply {
    if role == R::Act {
        call_reply("lab_get_logs", text)
    } else {
        text_reply(text)
    }
}

fn good_reply(role: R) -> ChatReply {
    reply(role, &good(role).to_string())
}

/// The first text field of a role, to put nonsense into.
fn text_field(role: R) -> &'static str {
    match role {
        R::Read | R::Plan => "objective",
        R::Criticise => "thinking",
        R::Act => "device_name",
        R::Perceive => "summary",
        R::Assess => "reasoning",
        R::Write => "body",
    }
}

fn with(role: R, field: &str, value: Value) -> String {
    let mut answer = good(role);
    answer[field] = value;
    answer.to_string()
}

/// What came back, reduced to what matters: who decided, and the tools and devices named.
async fn ask(bench: &Bench, role: R) -> Result<(bool, Vec<String>), PortError> {
    let brief = bench.brief();
    let reasoner = &bench.reasoner;
    Ok(match role {
        R::Read => {
            let reading = reasoner.read(brief).await?;
            (reading.intent.0 == BY_RULES, reading.entities.devices)
        }
        R::Plan => {
            let draft = reasoner.plan(brief, 0).await?;
            let devices = draft.steps.iter().flat_map(|s| match &s.scope {
                Scope::Devices(devices) => devices.iter().map(|d| d.0.clone()).collect(),
                _ => vec![],
            });
            (draft.objective == BY_RULES, devices.collect())
        }
        R::Criticise => {
            let critique = reasoner.criticise(brief, 0).await?;
            assert!((0.0..=1.0).contains(&critique.confidence));
            (critique.missing == [BY_RULES], vec![])
        }
        R::Act => match reasoner.act(brief, LaneId(1), StepId(1), 0).await? {
            Action::Call { calls } => {
                assert!(calls.len() <= 32);
                let state = fixture();
                assert!(
                    calls.iter().all(|c| state.intake.tool(&c.tool).is_some()),
                    "{calls:?}"
                );
                (
                    false,
                    calls
                        .iter()
                        .map(|c| c.arguments["device_name"].as_str().unwrap().to_owned())
                        .collect(),
                )
            }
            Action::Finish { summary } => (summary == BY_RULES, vec![]),
            Action::GiveUp { .. } | Action::Ask { .. } => (false, vec![]),
        },
        R::Perceive => (
            reasoner.perceive(brief, StepId(1)).await?.solution_summary == BY_RULES,
            vec![],
        ),
        R::Assess => (reasoner.assess(brief).await?.reasoning == BY_RULES, vec![]),
        R::Write => (reasoner.write(brief).await?.headline == BY_RULES, vec![]),
    })
}

/// How a case ended, from the notes that the session keeps; each names the role.
fn end_of(bench: &Bench, role: R, came: &Result<(bool, Vec<String>), PortError>) -> End {
    let notes = bench.notes();
    let told = |what: &str| {
        notes
            .iter()
            .any(|n| n.starts_with(name(role)) && n.contains(what))
    };
    match came {
        Err(error) => {
            assert!(told("the human decides"), "{notes:?}");
            assert!(
                error.to_string().contains("two answers could not be used"),
                "{error}"
            );
            End::Asked
        }
        Ok((true, _)) => {
            assert!(told("the rules decide this"), "{notes:?}");
            End::FellBack
        }
        Ok(_) if told("asked once more") => End::ReAsked,
        Ok(_) if told("answer repaired") => End::Repaired,
        Ok(_) => End::AsItWas,
    }
}

fn name(role: R) -> &'static str {
    match role {
        R::Read => "reader: ",
        R::Plan => "planner: ",
        R::Criticise => "critic: ",
        R::Act => "executor: ",
        R::Perceive => "perceiver: ",
        R::Assess => "assessor: ",
        R::Write => "reporter: ",
    }
}

async fn run(role: R, name: &str, answers: Vec<ChatReply>, on_failure: OnFailure) -> End {
    let bench = Bench::with(
        answers.into_iter().map(Ok).collect(),
        on_failure,
        Budget::default(),
    );
    let came = tokio::time::timeout(Duration::from_secs(20), ask(&bench, role))
        .await
        .unwrap_or_else(|_| panic!("{role:?}, {name}: hangs"));
    for device in came.iter().flat_map(|(_, devices)| devices) {
        assert!(
            ["xrd-1", "xrd-2"].contains(&device.as_str()),
            "{role:?}, {name}: {device} came through"
        );
    }
    assert!(
        bench.model.asked() <= 2,
        "{role:?}, {name}: asked {} times",
        bench.model.asked()
    );
    end_of(&bench, role, &came)
}

/// What the same bad answer twice must come to. Nobody is asked how a settled verdict is worded.
fn end_of_two(role: R, first: End, on_failure: OnFailure) -> End {
    match (first, on_failure) {
        (End::ReAsked, OnFailure::Ask) if role != R::Write => End::Asked,
        (End::ReAsked, _) => End::FellBack,
        (other, _) => other,
    }
}

#[tokio::test]
async fn every_bad_answer_of_every_role_ends_honestly() {
    let mut cases = 0;
    let mut ends = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for role in ROLES {
        let common = texts(role)
            .into_iter()
            .map(|(name, text, end)| (name, reply(role, &text), end));
        for (name, bad, expected) in common.chain(own_cases(role)) {
            cases += 1;
            // a megabyte takes its time, and twice the same way
            let small = bad.text.len() < 100_000 && bad.calls.iter().all(|c| c.arguments.len() < 100_000);
            let twice = vec![bad.clone(), bad.clone()];
            let runs = [
                (vec![bad, good_reply(role)], OnFailure::Rules, expected),
                (
                    twice.clone(),
                    OnFailure::Rules,
                    end_of_two(role, expected, OnFailure::Rules),
                ),
                (twice, OnFailure::Ask, end_of_two(role, expected, OnFailure::Ask)),
            ];
            let runs = runs.into_iter().take(if small { 3 } else { 2 });
            for (n, (answers, on_failure, expected)) in runs.enumerate() {
                let end = run(role, name, answers, on_failure).await;
                *ends.entry(end).or_insert(0) += 1;
                if end != expected {
                    wrong.push(format!(
                        "{role:?}, {name}, run {n}: {end:?} instead of {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 200, "only {cases} cases");
    assert_eq!(ends.len(), 5, "{ends:?}");
    println!("{cases} malformed answers, three runs each, ended as {ends:?}");
}

#[tokio::test]
async fn every_good_answer_is_taken_as_it_is() {
    for role in ROLES {
        let end = run(role, "good", vec![good_reply(role)], OnFailure::Rules).await;
        assert_eq!(end, End::AsItWas, "{role:?}");
    }
}
