//! Answers that go well, what the model is shown, and what a failing model leads to.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::agent::state::Turn;
use crate::llm::{
    ErrorKind, Message,
    scripted::{call_reply, text_reply},
};

fn critique(verdict: &str) -> String {
    json!({"thinking": "t", "verdict": verdict, "confidence": 0.8, "missing": ["logs"],
           "next_search": ["bgp hold timer expired often", "a", "b", "c"], "risk_flags": []})
    .to_string()
}

fn plan() -> serde_json::Value {
    json!({"thinking": "t", "objective": "o", "strategy": "exploratory", "rationale": "r", "steps": [
        {"title": "BGP", "instruction": "Read BGP on xrd-2.", "kind": "instruction", "source": "", "over": "devices",
         "devices": ["xrd-2"], "aspects": ["bgp", "bgp"], "because": ["runbook:2", "passage:1", "F1", "H1", "own"]}]})
}

fn shown_to_model(bench: &Bench, n: usize) -> String {
    let requests = bench.model.requests();
    let texts = requests[n].messages.iter().map(|m| match m {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => text.clone(),
        Message::Assistant { text, calls } => format!("{text}{calls:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_plan_and_its_critique_cost_two_calls() {
    let bench = Bench::new(vec![
        Ok(text_reply(&plan().to_string())),
        Ok(text_reply(&critique("pass"))),
    ]);
    let draft = bench.reasoner.plan(bench.brief(), 0).await.unwrap();
    let verdict = bench.reasoner.criticise(bench.brief(), 0).await.unwrap();
    assert_eq!(bench.model.asked(), 2);
    assert_eq!(
        (draft.strategy.as_str(), draft.steps[0].aspects.len()),
        ("exploratory", 1)
    );
    assert_eq!(draft.steps[0].scope, Scope::Devices(vec!["xrd-2".into()]));
    assert_eq!(
        draft.steps[0].provenance,
        [
            Provenance::Runbook {
                intent: "check_bgp_neighbors".into(),
                step: 2
            },
            Provenance::Passage {
                source: "notes/bgp.md".into(),
                heading: "Idle".into()
            },
            Provenance::Finding {
                finding: FindingId(1)
            },
            Provenance::Hypothesis {
                hypothesis: HypothesisId(1)
            },
            Provenance::Reasoner,
        ]
    );
    assert!(verdict.pass);
    assert_eq!(verdict.next_search, ["bgp hold timer", "a", "b"]);
    assert!(
        bench.notes().is_empty(),
        "nothing was repaired: {:?}",
        bench.notes()
    );
    let usage = bench.listener.usage.lock().unwrap().clone();
    assert_eq!(
        usage.iter().map(|u| u.role.as_str()).collect::<Vec<_>>(),
        ["planner", "critic"]
    );
    assert!(
        usage
            .iter()
            .all(|u| u.calls == 1 && u.tokens_in == 100 && u.tokens_out > 0)
    );
}

#[tokio::test]
async fn a_repair_request_costs_one_more_call_and_says_why() {
    let mut invented = plan();
    invented["steps"][0]["devices"] = json!(["xrd-99"]);
    let bench = Bench::new(vec![
        Ok(text_reply(&invented.to_string())),
        Ok(text_reply(&plan().to_string())),
    ]);
    bench.reasoner.plan(bench.brief(), 0).await.unwrap();
    assert_eq!(bench.model.asked(), 2);
    assert!(shown_to_model(&bench, 1).contains("there is no device \"xrd-99\" in the inventory"));
    assert_eq!(bench.notes().len(), 1);
    assert!(bench.notes()[0].starts_with("planner: answer refused, asked once more: there is no device"));
}

#[tokio::test]
async fn specialists_vote_and_who_has_no_answer_abstains() {
    let sure = |verdict: &str, confidence: f64| {
        let mut answer: serde_json::Value = serde_json::from_str(&critique(verdict)).unwrap();
        answer["confidence"] = json!(confidence);
        Ok(text_reply(&answer.to_string()))
    };
    let mut bench = Bench::new(vec![
        sure("pass", 0.6),
        Ok(text_reply("no JSON")),
        Ok(text_reply("still none")),
        sure("fail", 0.9),
        sure("pass", 0.9),
    ]);
    let chosen = ["safety", "coverage", "cost"].map(str::to_owned);
    bench.reasoner.prompts = Prompts::load(std::path::Path::new("/nowhere"), &chosen).unwrap();
    let verdict = bench.reasoner.criticise(bench.brief(), 0).await.unwrap();
    assert!(verdict.pass);
    assert!(
        verdict.risk_flags.iter().any(|f| f.risk == "coverage: logs"),
        "{verdict:?}"
    );
    assert_eq!(bench.model.asked(), 5);
    let notes = bench.notes();
    assert!(notes[0].starts_with("critic/safety: answer refused"), "{notes:?}");
    assert!(
        notes[1].ends_with("; it does not vote") && notes[1].starts_with("critic/safety: "),
        "{notes:?}"
    );
    assert_eq!(
        notes[2],
        "critic: votes: critic pass 0.60, coverage fail 0.90, cost pass 0.90: pass with 62 % of the votes"
    );
    let roles: Vec<String> = bench
        .listener
        .usage
        .lock()
        .unwrap()
        .iter()
        .map(|u| u.role.clone())
        .collect();
    assert_eq!(
        roles,
        [
            "critic",
            "critic/safety",
            "critic/safety",
            "critic/coverage",
            "critic/cost"
        ]
    );
    let shown = bench.listener.shown.lock().unwrap().clone();
    assert_eq!(
        shown.matches("verdict:").count(),
        1,
        "the critic's words alone are streamed"
    );
}

#[tokio::test]
async fn the_words_of_a_plan_are_shown_as_they_come() {
    let bench = Bench::new(vec![Ok(text_reply(&plan().to_string()))]);
    bench.reasoner.plan(bench.brief(), 0).await.unwrap();
    let shown = bench.listener.shown.lock().unwrap().clone();
    assert!(
        shown.contains("objective: o") && shown.contains("instruction: Read BGP on xrd-2."),
        "{shown}"
    );
    assert!(!shown.contains('{'), "{shown}");
}

#[tokio::test]
async fn device_text_is_quoted_and_its_orders_are_reported() {
    let bench = Bench::new(vec![
        Ok(call_reply("read_evidence", "{\"evidence\":\"[E1]\"}")),
        Ok(call_reply("finish_step", "{\"summary\":\"Idle [E1].\"}")),
    ]);
    let action = bench
        .reasoner
        .act(bench.brief(), LaneId(1), StepId(1), 0)
        .await
        .unwrap();
    assert_eq!(
        action,
        Action::Finish {
            summary: "Idle [E1].".into()
        }
    );
    let shown = shown_to_model(&bench, 1);
    let answer = shown.rsplit("<<DATA E1").next().unwrap();
    assert_eq!(answer.matches("DATA>>").count(), 1, "{answer}");
    let orders: Vec<String> = bench
        .notes()
        .into_iter()
        .filter(|n| n.contains("gives orders"))
        .collect();
    assert_eq!(orders.len(), 1, "{:?}", bench.notes());
    assert!(orders[0].starts_with("E1 holds text that gives orders"));
}

#[tokio::test]
async fn calls_are_offered_by_safe_names_and_proposed_by_id() {
    let bench = Bench::new(vec![Ok(call_reply(
        "lab_get_bgp_info",
        "{\"device_name\":\"xrd-1\"}",
    ))]);
    let action = bench
        .reasoner
        .act(bench.brief(), LaneId(1), StepId(1), 0)
        .await
        .unwrap();
    let Action::Call { calls } = action else {
        panic!("{action:?}")
    };
    assert_eq!(
        (calls[0].tool.as_str(), calls[0].arguments["device_name"].as_str()),
        ("lab.get_bgp_info", Some("xrd-1"))
    );
    let offered: Vec<String> = bench.model.requests()[0]
        .tools
        .iter()
        .map(|t| t.name.clone())
        .collect();
    assert_eq!(
        offered,
        [
            "lab_get_bgp_info",
            "lab_get_logs",
            "finish_step",
            "give_up",
            "ask_human",
            "read_evidence"
        ]
    );
}

#[tokio::test]
async fn earlier_turns_and_their_refusals_are_told() {
    let mut bench = Bench::new(vec![Ok(call_reply(
        "give_up",
        "{\"limitation\":\"No such tool.\"}",
    ))]);
    let mut state = fixture();
    let run = state.execution.runs.get_mut(&(LaneId(1), StepId(1))).unwrap();
    run.turns.push(Turn {
        action: Action::Call { calls: vec![] },
        objections: vec!["lab.get_logs was called with these arguments already".into()],
        calls: vec![],
    });
    bench.state = Arc::new(state);
    let action = bench
        .reasoner
        .act(bench.brief(), LaneId(1), StepId(1), 1)
        .await
        .unwrap();
    assert_eq!(
        action,
        Action::GiveUp {
            limitation: "No such tool.".into()
        }
    );
    assert!(shown_to_model(&bench, 0).contains("Refused of your last answer: lab.get_logs was called"));
}

#[tokio::test]
async fn reading_evidence_has_an_end() {
    let read = || Ok(call_reply("read_evidence", "{\"evidence\":\"E1\"}"));
    let bench = Bench::new(std::iter::repeat_with(read).take(20).collect());
    let action = bench
        .reasoner
        .act(bench.brief(), LaneId(1), StepId(1), 0)
        .await
        .unwrap();
    assert_eq!(
        action,
        Action::Finish {
            summary: BY_RULES.into()
        }
    );
    assert_eq!(bench.model.asked(), 5);
}

#[tokio::test]
async fn a_failing_model_leaves_it_to_the_rules_or_to_the_human() {
    let down = || {
        Err(LlmError::new(
            ErrorKind::Connect,
            "own",
            "no connection",
            "start it",
        ))
    };
    let bench = Bench::new(vec![down()]);
    assert_eq!(
        bench.reasoner.plan(bench.brief(), 0).await.unwrap().objective,
        BY_RULES
    );
    assert_eq!(
        bench.notes(),
        ["planner: own: no connection - start it; the rules decide this"]
    );

    let bench = Bench::with(vec![down()], OnFailure::Ask, Budget::default());
    let error = bench.reasoner.plan(bench.brief(), 0).await.unwrap_err();
    assert_eq!(error.to_string(), "planner: own: no connection - start it");
    assert!(bench.notes()[0].ends_with("the human decides"));
}

#[tokio::test]
async fn a_spent_budget_is_never_silent() {
    let budget = Budget {
        calls: Some(0),
        ..Budget::default()
    };
    let bench = Bench::with(vec![], OnFailure::Rules, budget);
    let error = bench.reasoner.plan(bench.brief(), 0).await.unwrap_err();
    assert!(
        error.to_string().contains("stopped by budget: 0 of 0 calls"),
        "{error}"
    );
    assert_eq!(bench.model.asked(), 0);
}

#[tokio::test]
async fn names_are_taken_from_the_question_only() {
    let answer = json!({"intent": "check_bgp_neighbors", "objective": "o", "result_requirement": "r",
        "devices": ["XRD-1"], "roles": [], "patterns": [], "whole_network": false, "vrfs": ["CUST_A"], "interfaces": [],
        "protocols": ["BGP"], "peers": [], "minutes_back": 20, "wants_change": false, "unclear": ["a", "b", "c"]});
    let bench = Bench::new(vec![Ok(text_reply(&answer.to_string()))]);
    let reading = bench.reasoner.read(bench.brief()).await.unwrap();
    assert_eq!(reading.targets, Targets::Names(vec!["XRD-1".into()]));
    assert_eq!(
        (
            reading.entities.vrfs.len(),
            reading.window.minutes(),
            reading.unclear.len()
        ),
        (0, 20, 2)
    );
}
