//! The hub against servers of every kind.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use noctui::agent::model::ErrorKind;
use noctui::tools::ServerSpec;
use noctui::tools::hub::{Hub, ServerState};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

use crate::bench::{hub, hub_call, spec, wait_until};

fn state(hub: &Hub, name: &str) -> ServerState {
    hub.statuses()
        .into_iter()
        .find(|status| status.name == name)
        .unwrap()
        .state
}

fn last_error(hub: &Hub, name: &str) -> String {
    hub.statuses()
        .into_iter()
        .find(|status| status.name == name)
        .unwrap()
        .last_error
        .unwrap()
}

#[tokio::test]
async fn a_good_server_lists_and_answers_in_spite_of_noise() {
    let hub = hub(vec![spec("srv", "noisy")]).await;
    assert_eq!(state(&hub, "srv"), ServerState::Ready);
    assert!(hub.tools()[0].1.iter().any(|tool| tool.name == "get_echo"));
    let result = hub
        .call(&hub_call("srv", "get_echo", json!({"n": 7})))
        .await
        .unwrap();
    assert_eq!(result.structured_content.unwrap()["echo"]["n"], 7);
    let (stderr, noise) = hub.diagnostics("srv").unwrap();
    assert!(
        noise.contains(&"starting up, please wait".to_owned()),
        "{noise:?}"
    );
    assert_eq!(stderr.len(), 20, "the last lines are kept, and only those");
    hub.close().await;
    assert_eq!(hub.tasks(), 0);
    assert_eq!(state(&hub, "srv"), ServerState::Stopped);
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_a_clear_error() {
    let hub = hub(vec![ServerSpec::stdio(
        "gnmibuddy",
        "uvx-that-is-not-there",
        vec![],
    )])
    .await;
    assert_eq!(state(&hub, "gnmibuddy"), ServerState::Failed);
    let failure = hub
        .call(&hub_call("gnmibuddy", "x", json!({})))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Configuration);
    assert_eq!(
        failure.message,
        "server \"gnmibuddy\": command \"uvx-that-is-not-there\" not found"
    );
    assert_eq!(
        failure.hint.as_deref(),
        Some("install it, or correct \"command\" in mcp.json")
    );
    hub.close().await;
}

#[tokio::test]
async fn a_server_that_dies_at_start_tells_its_last_words() {
    let hub = hub(vec![spec("srv", "dies-at-start")]).await;
    let error = last_error(&hub, "srv");
    assert!(error.contains("ended at start (exit status: 3)"), "{error}");
    assert!(error.contains("inventory: file not found"), "{error}");
    assert!(error.contains("run it by hand"), "{error}");
    hub.close().await;
}

#[tokio::test]
async fn servers_that_never_shake_hands_fail_in_time() {
    let quick = |mut spec: ServerSpec| {
        spec.start_timeout = Duration::from_millis(400);
        spec
    };
    let started = Instant::now();
    let hub = hub(vec![
        quick(spec("mute", "mute")),
        quick(spec("garbage", "garbage")),
    ])
    .await;
    assert!(started.elapsed() < Duration::from_secs(5));
    for name in ["mute", "garbage"] {
        let error = last_error(&hub, name);
        assert!(
            error.contains("did not finish its handshake within 0.4 s"),
            "{error}"
        );
    }
    let error = last_error(&hub, "garbage");
    assert!(error.contains("this is no MCP server ␛[31m"), "{error:?}");
    hub.close().await;
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_call_is_told_and_the_server_comes_back() {
    let hub = hub(vec![spec("srv", "crashes")]).await;
    let call = hub_call("srv", "get_echo", json!({}));
    assert!(hub.call(&call).await.is_ok() && hub.call(&call).await.is_ok());
    let failure = hub.call(&call).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::ServiceUnavailable);
    assert!(failure.message.contains("exit status: 17"), "{failure}");
    assert!(
        failure.message.contains("segmentation fault in call 3"),
        "{failure}"
    );
    assert!(
        hub.call(&call).await.is_ok(),
        "the next call waits for the restart"
    );
    assert_eq!(hub.statuses()[0].restarts, 1);
    hub.close().await;
}

#[tokio::test]
async fn a_call_that_hangs_times_out_and_the_server_stays() {
    let hub = hub(vec![spec("srv", "hangs")]).await;
    let mut call = hub_call("srv", "get_echo", json!({}));
    call.timeout = Some(Duration::from_millis(150));
    for _ in 0..2 {
        let failure = hub.call(&call).await.unwrap_err();
        assert_eq!(failure.kind, ErrorKind::Timeout, "{failure}");
    }
    assert_eq!(
        hub.statuses()[0].restarts,
        0,
        "it answers pings, so it is not killed"
    );
    hub.close().await;
}

#[tokio::test]
async fn a_server_that_is_stuck_as_a_whole_is_replaced() {
    let hub = hub(vec![spec("srv", "hangs-hard")]).await;
    let mut call = hub_call("srv", "get_echo", json!({}));
    call.timeout = Some(Duration::from_millis(100));
    assert_eq!(hub.call(&call).await.unwrap_err().kind, ErrorKind::Timeout);
    wait_until("the stuck server is replaced", || hub.statuses()[0].restarts == 1).await;
    let error = last_error(&hub, "srv");
    assert!(error.contains("answers no ping"), "{error}");
    hub.close().await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    let hub = hub(vec![spec("srv", "good")]).await;
    let call = hub_call("srv", "get_slow", json!({}));
    assert!(
        tokio::time::timeout(Duration::from_millis(30), hub.call(&call))
            .await
            .is_err()
    );
    let told = || {
        hub.diagnostics("srv")
            .unwrap()
            .0
            .contains(&"cancelled by the client".to_owned())
    };
    wait_until("the server hears of it", told).await;
    assert!(hub.call(&hub_call("srv", "get_echo", json!({}))).await.is_ok());
    hub.close().await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_fails_its_call_at_once() {
    let mut spec = spec("srv", "huge");
    spec.max_message = 1_000_000;
    let hub = hub(vec![spec]).await;
    let failure = hub
        .call(&hub_call("srv", "get_echo", json!({})))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::ResourceExhausted, "{failure}");
    assert!(
        hub.call(&hub_call("srv", "get_counted", json!({}))).await.is_ok(),
        "the connection is still good"
    );
    hub.close().await;
}

#[tokio::test]
async fn a_changed_tool_list_is_followed() {
    let hub = hub(vec![spec("srv", "changes")]).await;
    let mut generations = hub.generations();
    generations.borrow_and_update();
    for _ in 0..2 {
        hub.call(&hub_call("srv", "get_echo", json!({}))).await.unwrap();
    }
    tokio::time::timeout(Duration::from_secs(10), generations.changed())
        .await
        .unwrap()
        .unwrap();
    assert!(hub.tools()[0].1.iter().any(|tool| tool.name == "get_fresh"));
    let failure = hub
        .call(&hub_call("srv", "get_gone", json!({})))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::ToolNotFound);
    hub.close().await;
}

#[tokio::test]
async fn a_serial_server_gets_more_processes_when_calls_wait() {
    let hub = hub(vec![spec("srv", "good").serial_processes(3)]).await;
    assert_eq!(hub.statuses()[0].processes, 1, "one is enough until calls wait");
    let slow = hub_call("srv", "get_slow", json!({}));
    let many = futures::future::join_all((0..6).map(|_| hub.call(&slow))).await;
    assert!(many.iter().all(Result::is_ok));
    assert_eq!(hub.statuses()[0].processes, 3);
    hub.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn closing_ends_the_whole_process_group() {
    let hub = hub(vec![spec("srv", "grandchild")]).await;
    let pid = || {
        let (stderr, _) = hub.diagnostics("srv").unwrap();
        stderr
            .iter()
            .find_map(|line| line.strip_prefix("grandchild ").map(str::to_owned))
    };
    wait_until("the grandchild is known", || pid().is_some()).await;
    let stat = format!("/proc/{}/stat", pid().unwrap());
    assert!(Path::new(&stat).exists());
    hub.close().await;
    // A killed orphan may stay a zombie where nobody reaps; it runs no more.
    let gone = || std::fs::read_to_string(&stat).map_or(true, |text| text.contains(") Z "));
    wait_until("the grandchild is gone", gone).await;
}

#[tokio::test]
async fn names_are_checked() {
    for (specs, problem) in [
        (vec![spec("a.b", "good")], "other characters"),
        (vec![spec("a", "good"), spec("a", "good")], "two servers"),
    ] {
        let Err(failure) = Hub::start(specs) else {
            panic!("accepted")
        };
        assert!(failure.message.contains(problem), "{failure}");
    }
}

#[tokio::test]
async fn streamable_http_works_and_a_refusal_is_told() {
    let service: StreamableHttpService<crate::server::BadServer, LocalSessionManager> =
        StreamableHttpService::new(
            || Ok(crate::server::BadServer::new("good")),
            Default::default(),
            StreamableHttpServerConfig::default(),
        );
    let gate = axum::middleware::from_fn(
        |request: axum::extract::Request, next: axum::middleware::Next| async move {
            if request.headers().get("x-key").is_none_or(|key| key != "k1") {
                return axum::response::IntoResponse::into_response((
                    axum::http::StatusCode::UNAUTHORIZED,
                    "no key",
                ));
            }
            next.run(request).await
        },
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let app = axum::Router::new().nest_service("/mcp", service).layer(gate);
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });
    let headers = BTreeMap::from([("x-key".to_owned(), "k1".to_owned())]);
    let hub = hub(vec![
        ServerSpec::http("open", url.as_str(), headers),
        ServerSpec::http("shut", url.as_str(), BTreeMap::new()),
        ServerSpec::http("nobody", "http://127.0.0.1:9/mcp", BTreeMap::new()),
    ])
    .await;
    let result = hub
        .call(&hub_call("open", "get_echo", json!({"n": 1})))
        .await
        .unwrap();
    assert_eq!(result.structured_content.unwrap()["echo"]["n"], 1);
    let refused = last_error(&hub, "shut");
    assert!(refused.contains("401"), "{refused}");
    let nobody = last_error(&hub, "nobody");
    assert!(
        nobody.contains("127.0.0.1:9") && nobody.contains("check the url"),
        "{nobody}"
    );
    hub.close().await;
    serving.abort();
}

#[tokio::test]
async fn a_server_that_dies_again_and_again_is_tried_ever_more_rarely() {
    let hub = hub(vec![spec("srv", "dies-at-start")]).await;
    let mut pauses = Vec::new();
    wait_until("it has failed three times", || {
        if let ServerState::Backoff { attempt, retry_in_ms } = state(&hub, "srv")
            && attempt as usize > pauses.len()
        {
            pauses.push(retry_in_ms);
        }
        pauses.len() >= 3
    })
    .await;
    assert!(
        pauses[0] <= 200 && pauses[1] > 200 && pauses[2] > 400,
        "{pauses:?}"
    );
    hub.close().await;
}

#[tokio::test]
async fn a_server_does_not_get_to_use_our_model() {
    let hub = hub(vec![spec("srv", "good")]).await;
    let result = hub
        .call(&hub_call("srv", "get_sampling", json!({})))
        .await
        .unwrap();
    let said = result.structured_content.unwrap();
    assert!(said["refused"].is_string(), "{said}");
    hub.close().await;
}
