//! The toolbox over a real server: every step of the guard seen from outside.

use std::time::Duration;

use noctui::agent::model::{CallId, CallOutcome, ErrorKind, Purpose, QuestionId};
use noctui::agent::ports::Toolbox;
use noctui::tools::GuardOptions;
use noctui::tools::guard::{Approval, BreakerOptions, Profile, RateOptions};
use serde_json::json;

use crate::bench::{Listener, call, run, toolbox};

fn kind(outcome: &CallOutcome) -> Option<ErrorKind> {
    outcome.failure.as_ref().map(|failure| failure.kind)
}

fn message(outcome: &CallOutcome) -> &str {
    outcome
        .failure
        .as_ref()
        .map(|failure| failure.message.as_str())
        .unwrap_or_default()
}

#[tokio::test]
async fn the_steps_are_walked_in_order_and_told() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let outcome = run(&toolbox, &call("srv.get_echo", json!({"device_name": "xrd-1"}))).await;
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.value.as_ref().unwrap()["echo"]["device_name"], "xrd-1");
    let starts = [
        "schema ok",
        "profile ok",
        "approval not needed",
        "cache miss",
        "rate ok",
        "circuit closed",
        "timeout 30 s",
        "call ",
        "result fits its schema",
        "size ",
        "sanitised",
        "redacted nothing",
    ];
    assert_eq!(outcome.trace.0.len(), starts.len(), "{:?}", outcome.trace);
    for (step, start) in outcome.trace.0.iter().zip(starts) {
        assert!(step.starts_with(start), "{step} / {start}");
    }
    toolbox.hub().close().await;
}

#[tokio::test]
async fn what_writes_is_not_even_listed_in_read_only() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let listed = toolbox.list().await.unwrap();
    // Its annotation claims that it only reads; its name says otherwise.
    assert!(listed.iter().all(|tool| tool.name != "set_config"), "{listed:?}");
    assert!(
        listed
            .iter()
            .any(|tool| tool.id == "srv.get_echo" && tool.purpose == Purpose::Other)
    );
    let outcome = run(&toolbox, &call("srv.set_config", json!({"line": "shutdown"}))).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::PermissionDenied));
    assert_eq!(outcome.trace.0, ["schema ok", "profile refused"]);
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_profile_that_allows_writing_asks_with_the_exact_call() {
    let options = GuardOptions {
        profile: Profile::All,
        approval: Approval::Changes,
        ..GuardOptions::default()
    };
    let toolbox = toolbox("good", options).await;
    let mut write = call("srv.set_config", json!({"line": "description x"}));
    let outcome = run(&toolbox, &write).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::NeedsApproval));
    assert_eq!(
        message(&outcome),
        "srv.set_config with {\"line\":\"description x\"} needs approval"
    );
    write.approved = true;
    let outcome = run(&toolbox, &write).await;
    assert_eq!(outcome.failure, None);
    assert!(outcome.trace.0.contains(&"approval by the operator".to_owned()));
    assert!(
        outcome.trace.0.contains(&"cache not used".to_owned()),
        "a write is never answered from the cache"
    );
    toolbox.hub().close().await;
}

#[tokio::test]
async fn wrong_arguments_and_unknown_tools_never_reach_a_server() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let outcome = run(
        &toolbox,
        &call("srv.get_counted", json!({"n": "seven", "extra": 1})),
    )
    .await;
    assert_eq!(kind(&outcome), Some(ErrorKind::InvalidParameter));
    assert!(
        message(&outcome).contains("extra") && message(&outcome).contains("/n"),
        "{}",
        message(&outcome)
    );
    let outcome = run(&toolbox, &call("srv.get_eco", json!({}))).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::ToolNotFound));
    assert!(
        message(&outcome).contains("nearest: srv.get_echo"),
        "{}",
        message(&outcome)
    );
    let counted = run(&toolbox, &call("srv.get_counted", json!({}))).await;
    assert_eq!(
        counted.value.unwrap()["count"],
        1,
        "it is the first call that the server sees"
    );
    toolbox.hub().close().await;
}

#[tokio::test]
async fn an_identical_read_is_cached_and_a_repeat_is_fresh() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let mut read = call("srv.get_counted", json!({}));
    assert_eq!(run(&toolbox, &read).await.value.unwrap()["count"], 1);
    let cached = run(&toolbox, &read).await;
    assert!(cached.cached);
    assert_eq!(cached.value.unwrap()["count"], 1);
    read.follows = Some(CallId(1));
    assert_eq!(run(&toolbox, &read).await.value.unwrap()["count"], 2);
    let records = toolbox.performance().records();
    assert_eq!(records.iter().filter(|record| record.cached).count(), 1);
    assert_eq!(records.len(), 3);
    toolbox.hub().close().await;
}

#[tokio::test]
async fn results_arrive_clean_and_without_secrets() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let outcome = run(&toolbox, &call("srv.get_text", json!({}))).await;
    let value = outcome.value.unwrap();
    let text = value.as_str().unwrap();
    assert_eq!(text, "␛]52;c;ZXZpbA==␇neighbor 10.0.0.1 password 7 <redacted>");
    assert!(outcome.trace.0.contains(&"redacted 1 strings".to_owned()));
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_failure_inside_a_success_is_a_failure_and_three_are_enough() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let failing = call("srv.get_failed", json!({"device_name": "xrd-9"}));
    for _ in 0..3 {
        let outcome = run(&toolbox, &failing).await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Network));
        assert_eq!(message(&outcome), "xrd-9: no answer after 5 s");
        assert_eq!(outcome.value, None);
    }
    let stopped = run(&toolbox, &failing).await;
    assert!(
        message(&stopped).starts_with("failed 3 times in the same way, not tried again"),
        "{}",
        message(&stopped)
    );
    assert!(!stopped.trace.0.iter().any(|step| step.starts_with("call ")));
    let absent = call(
        "srv.get_failed",
        json!({"device_name": "xrd-3", "status": "feature_not_available"}),
    );
    let outcome = run(&toolbox, &absent).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::NotAvailable));
    assert!(outcome.value.is_some(), "an absent feature is an answer");
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_dead_device_opens_its_circuit_and_no_other() {
    let breaker = BreakerOptions {
        failures: 2,
        cooldown: Duration::from_secs(30),
    };
    let toolbox = toolbox(
        "good",
        GuardOptions {
            breaker,
            ..GuardOptions::default()
        },
    )
    .await;
    for n in 0..2 {
        let outcome = run(
            &toolbox,
            &call("srv.get_failed", json!({"device_name": "dead", "n": n})),
        )
        .await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Network));
    }
    let outcome = run(&toolbox, &call("srv.get_echo", json!({"device_name": "dead"}))).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::CircuitOpen));
    assert!(
        message(&outcome).starts_with("srv/dead failed repeatedly"),
        "{}",
        message(&outcome)
    );
    let outcome = run(&toolbox, &call("srv.get_echo", json!({"device_name": "alive"}))).await;
    assert_eq!(outcome.failure, None);
    toolbox.hub().close().await;
}

#[tokio::test]
async fn an_empty_bucket_refuses_with_its_figures() {
    let rates = RateOptions {
        burst: 2,
        tool_per_minute: 1,
        patience: Duration::ZERO,
        ..RateOptions::default()
    };
    let toolbox = toolbox(
        "good",
        GuardOptions {
            rates,
            ..GuardOptions::default()
        },
    )
    .await;
    for n in 0..2 {
        assert_eq!(
            run(&toolbox, &call("srv.get_echo", json!({"n": n})))
                .await
                .failure,
            None
        );
    }
    let outcome = run(&toolbox, &call("srv.get_echo", json!({"n": 3}))).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::RateLimited));
    assert!(
        message(&outcome).contains("\"tool srv.get_echo\" is empty (limit 2)"),
        "{}",
        message(&outcome)
    );
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_large_result_is_cut_and_kept_whole_on_disk() {
    let home = tempfile::tempdir().unwrap();
    let options = GuardOptions {
        max_result_bytes: 10_000,
        spill: Some(home.path().to_owned()),
        ..GuardOptions::default()
    };
    let toolbox = toolbox("huge", options).await;
    let outcome = run(&toolbox, &call("srv.get_echo", json!({}))).await;
    assert!(outcome.truncated);
    assert_eq!(outcome.value.unwrap()["status"], "success");
    let step = outcome.trace.0.last().unwrap();
    let file = step.strip_prefix("whole result in ").unwrap();
    assert!(std::fs::metadata(file).unwrap().len() > 10_000, "{step}");
    toolbox.hub().close().await;
}

#[tokio::test]
async fn progress_and_questions_reach_the_context() {
    let toolbox = toolbox("good", GuardOptions::default()).await;
    let listener = Listener {
        answer: Some(json!({"confirm": true})),
        ..Listener::default()
    };
    let outcome = toolbox.call(&call("srv.get_slow", json!({})), &listener).await;
    assert_eq!(outcome.failure, None);
    let heard = listener.heard.lock().unwrap().clone();
    assert!(heard.contains(&(Some(0.5), "walking".to_owned())), "{heard:?}");
    let outcome = toolbox
        .call(&call("srv.get_question", json!({})), &listener)
        .await;
    assert_eq!(outcome.value.unwrap()["confirmed"], true);
    let asked = listener.asked.lock().unwrap().clone();
    assert_eq!(asked[0].message, "Really read ␛[31mall␛[0m?");
    assert_eq!(asked[0].schema["properties"]["confirm"]["type"], "boolean");
    let declined = Listener::default();
    let outcome = toolbox
        .call(&call("srv.get_question", json!({"n": 2})), &declined)
        .await;
    assert!(outcome.value.unwrap()["declined"].is_string());
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_result_that_breaks_its_schema_is_told_and_kept() {
    let toolbox = toolbox("lies", GuardOptions::default()).await;
    let outcome = run(&toolbox, &call("srv.get_echo", json!({}))).await;
    assert_eq!(outcome.failure, None);
    assert!(
        outcome
            .trace
            .0
            .iter()
            .any(|step| step.starts_with("result does not fit its schema")),
        "{:?}",
        outcome.trace
    );
    assert!(outcome.value.unwrap()["surprise"].is_array());
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_toolbox_without_a_living_server_says_why() {
    let toolbox = toolbox("dies-at-start", GuardOptions::default()).await;
    let error = toolbox.list().await.unwrap_err().to_string();
    assert!(
        error.contains("no tool is offered") && error.contains("inventory: file not found"),
        "{error}"
    );
    let outcome = run(&toolbox, &call("srv.get_echo", json!({}))).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::ServiceUnavailable));
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_read_lost_with_its_server_is_made_once_more_and_a_write_is_not() {
    let options = GuardOptions {
        profile: Profile::All,
        cache_ttl: Duration::ZERO,
        ..GuardOptions::default()
    };
    let toolbox = toolbox("crashes", options).await;
    let read = call("srv.get_echo", json!({}));
    for _ in 0..2 {
        assert_eq!(run(&toolbox, &read).await.failure, None);
    }
    // The third call of a process kills it.
    let lost = run(&toolbox, &read).await;
    assert_eq!(lost.failure, None, "{lost:?}");
    assert_eq!(lost.value.unwrap()["count"], 1, "the restarted server answered");
    let again = |step: &&String| step.starts_with("lost with its server after ");
    assert_eq!(lost.trace.0.iter().filter(again).count(), 1, "{:?}", lost.trace);
    assert_eq!(toolbox.performance().records().len(), 3, "it is one call");

    assert_eq!(run(&toolbox, &read).await.failure, None);
    let mut write = call("srv.set_config", json!({"line": "x"}));
    write.approved = true;
    let lost = run(&toolbox, &write).await;
    assert_eq!(kind(&lost), Some(ErrorKind::ServiceUnavailable));
    assert!(!lost.trace.0.iter().any(|step| again(&step)), "{:?}", lost.trace);
    assert_eq!(
        run(&toolbox, &read).await.value.unwrap()["count"],
        1,
        "nobody made the write again"
    );
    toolbox.hub().close().await;
}

#[tokio::test]
async fn a_standing_grant_is_named_in_the_trace() {
    let options = GuardOptions {
        profile: Profile::All,
        ..GuardOptions::default()
    };
    let toolbox = toolbox("good", options).await;
    let mut write = call("srv.set_config", json!({"line": "x"}));
    write.approved = true;
    write.grant = Some(QuestionId(7));
    let outcome = run(&toolbox, &write).await;
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.trace.0[2], "approval by the \"always\" of Q7");
    toolbox.hub().close().await;
}
