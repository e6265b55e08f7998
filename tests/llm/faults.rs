//! Every fault on the wire, in both dialects: the kind, a clear message, and a session that goes on.

use std::{sync::Arc, time::Duration};

use noctui::llm::{
    ChatModel, Delta, Dialect, ErrorKind, LlmError, ProviderConfig, Resilient, RetryConfig, Timeouts,
};

use crate::fake::*;

pub struct Case {
    pub name: &'static str,
    pub script: fn(Dialect) -> Vec<Step>,
    kind: ErrorKind,
    pub says: &'static str,
}

fn half_event(dialect: Dialect) -> Vec<u8> {
    let event = text_event(dialect, "Looking at the neighbours");
    event.as_bytes()[..event.len() / 2].to_vec()
}

pub const CASES: &[Case] = &[
    Case {
        name: "401",
        script: |_| {
            response(
                "401 Unauthorized",
                "",
                &format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"),
            )
        },
        kind: ErrorKind::Auth,
        says: "the key was refused (401 Unauthorized): bad key [redacted]",
    },
    Case {
        name: "404",
        script: |_| {
            response(
                "404 Not Found",
                "",
                "{\"error\":{\"message\":\"model m does not exist\"}}",
            )
        },
        kind: ErrorKind::NotFound,
        says: "model m does not exist",
    },
    Case {
        name: "400",
        script: |_| response("400 Bad Request", "", "{\"message\":\"context too long\"}"),
        kind: ErrorKind::BadRequest,
        says: "context too long",
    },
    Case {
        name: "429 with Retry-After",
        script: |_| {
            response(
                "429 Too Many Requests",
                "retry-after: 7\r\n",
                "{\"error\":{\"message\":\"slow down\"}}",
            )
        },
        kind: ErrorKind::RateLimited,
        says: "slow down - the server asks to wait 7 s",
    },
    Case {
        name: "429 without credit",
        script: |_| {
            let body = "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}";
            response("429 Too Many Requests", "", body)
        },
        kind: ErrorKind::Quota,
        says: "out of credit",
    },
    Case {
        name: "500",
        script: |_| response("500 Internal Server Error", "", "\u{1b}[31moops"),
        kind: ErrorKind::Server,
        says: "the server failed (500 Internal Server Error): \u{fffd}[31moops",
    },
    Case {
        name: "503",
        script: |_| response("503 Service Unavailable", "", ""),
        kind: ErrorKind::Overloaded,
        says: "overloaded (503 Service Unavailable)",
    },
    Case {
        name: "529",
        script: |_| {
            response(
                "529 Overloaded",
                "",
                "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}",
            )
        },
        kind: ErrorKind::Overloaded,
        says: "busy",
    },
    Case {
        name: "redirect",
        script: |_| response("302 Found", "location: http://127.0.0.1:1/steal\r\n", ""),
        kind: ErrorKind::NotFound,
        says: "the server sends us elsewhere",
    },
    Case {
        name: "reset before the answer",
        script: |_| vec![Step::Reset],
        kind: ErrorKind::Broken,
        says: "the connection broke",
    },
    Case {
        name: "reset in the middle",
        script: |d| {
            vec![
                stream_head(),
                chunk(text_event(d, "Look").as_bytes()),
                Step::Gate,
                Step::Reset,
            ]
        },
        kind: ErrorKind::Broken,
        says: "the connection broke",
    },
    Case {
        name: "half a chunk",
        script: |d| {
            let mut head = b"400\r\n".to_vec();
            head.extend(half_event(d));
            vec![stream_head(), Step::Send(head)]
        },
        kind: ErrorKind::Broken,
        says: "the connection broke",
    },
    Case {
        name: "half an event",
        script: |d| {
            vec![
                stream_head(),
                chunk(text_event(d, "a").as_bytes()),
                chunk(&half_event(d)),
                last_chunk(),
            ]
        },
        kind: ErrorKind::Incomplete,
        says: "ended before the answer was finished, in the middle of an event",
    },
    Case {
        name: "no end",
        script: |d| vec![stream_head(), chunk(text_event(d, "a").as_bytes()), last_chunk()],
        kind: ErrorKind::Incomplete,
        says: "ended before the answer was finished",
    },
    Case {
        name: "invalid UTF-8",
        script: |_| {
            vec![
                stream_head(),
                chunk(b"data: {\"choices\":[\xff\xfe\x00]}\n\n"),
                last_chunk(),
            ]
        },
        kind: ErrorKind::Malformed,
        says: "not valid UTF-8",
    },
    Case {
        name: "chunked garbage",
        script: |d| {
            vec![
                stream_head(),
                chunk(text_event(d, "a").as_bytes()),
                Step::Send(b"ZZZ not a size\r\n\x01\x02".to_vec()),
            ]
        },
        kind: ErrorKind::Malformed,
        says: "no proper HTTP",
    },
    Case {
        name: "not HTTP",
        script: |_| vec![Step::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())],
        kind: ErrorKind::Malformed,
        says: "no proper HTTP",
    },
    Case {
        name: "an event that is no JSON",
        script: |_| vec![stream_head(), chunk(b"data: {not json\n\n"), last_chunk()],
        kind: ErrorKind::Malformed,
        says: "an event is not JSON",
    },
    Case {
        name: "an error event",
        script: |_| {
            let event = b"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
            vec![stream_head(), chunk(event), last_chunk()]
        },
        kind: ErrorKind::Overloaded,
        says: "busy",
    },
    Case {
        name: "an empty answer",
        script: |_| vec![stream_head(), last_chunk()],
        kind: ErrorKind::Incomplete,
        says: "the answer is empty",
    },
    Case {
        name: "a login page",
        script: |_| {
            response(
                "200 OK",
                "content-type: text/html\r\n",
                "<html>\n<body>Sign in</body></html>\n",
            )
        },
        kind: ErrorKind::Malformed,
        says: "login page",
    },
    Case {
        name: "JSON that is cut",
        script: |_| json_response("{\"choices\": ["),
        kind: ErrorKind::Malformed,
        says: "not JSON",
    },
];

async fn fails(case: &Case, dialect: Dialect) -> (LlmError, Fake) {
    let fake = Fake::start(vec![(case.script)(dialect)]).await;
    let provider = fake.provider(dialect);
    let request = request();
    // the gate opens at the first delta, so a reset comes after the client has read some
    let mut opens = |_: Delta| fake.open_gate();
    let call = provider.chat(&request, &mut opens);
    let error = tokio::time::timeout(Duration::from_secs(10), call)
        .await
        .unwrap_or_else(|_| panic!("{}: hangs", case.name))
        .expect_err(case.name);
    (error, fake)
}

#[tokio::test]
async fn every_fault_has_its_kind_and_a_clear_message() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        for case in CASES {
            let (error, fake) = fails(case, dialect).await;
            let shown = error.to_string();
            assert_eq!(error.kind, case.kind, "{} {dialect:?}: {shown}", case.name);
            assert!(shown.contains(case.says), "{} {dialect:?}: {shown}", case.name);
            assert!(
                shown.starts_with("fake: ") && !shown.contains('\n'),
                "{}: {shown}",
                case.name
            );
            assert!(!shown.contains(KEY), "{}: the key is shown", case.name);
            assert_eq!(fake.requests(), 1, "{}: one attempt only", case.name);
        }
    }
}

#[tokio::test]
async fn a_transient_fault_is_retried_and_the_second_answer_counts() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        for case in CASES.iter().filter(|c| c.kind.is_transient()) {
            let mut faulty = (case.script)(dialect);
            if case.name == "429 with Retry-After" {
                faulty = response("429 Too Many Requests", "retry-after-ms: 5\r\n", "");
            }
            let fake = Fake::start(vec![faulty, answer(dialect, "BGP is up")]).await;
            let retry = RetryConfig {
                first_delay_s: 0.001,
                ..RetryConfig::default()
            };
            let model = Resilient::new(Arc::new(fake.provider(dialect)), retry);
            let mut shown = String::new();
            let reply = model
                .chat(&request(), &mut |delta| match delta {
                    Delta::Text { text } => {
                        shown.push_str(&text);
                        fake.open_gate();
                    }
                    Delta::Retry { attempt, reason, .. } => {
                        assert_eq!(attempt, 2);
                        assert!(!reason.is_empty());
                        shown.clear();
                    }
                    _ => {}
                })
                .await
                .unwrap_or_else(|e| panic!("{} {dialect:?}: {e}", case.name));
            assert_eq!(
                (reply.text.as_str(), shown.as_str()),
                ("BGP is up", "BGP is up"),
                "{}",
                case.name
            );
            assert_eq!((reply.usage.input, reply.usage.output), (10, 2));
        }
    }
}

#[tokio::test]
async fn a_lasting_fault_is_not_retried() {
    for case in CASES.iter().filter(|c| !c.kind.is_transient()) {
        let fake = Fake::start(vec![
            (case.script)(Dialect::OpenAi),
            answer(Dialect::OpenAi, "never"),
        ])
        .await;
        let model = Resilient::new(Arc::new(fake.provider(Dialect::OpenAi)), RetryConfig::default());
        assert_eq!(
            model.chat(&request(), &mut ignore).await.unwrap_err().kind,
            case.kind,
            "{}",
            case.name
        );
        assert_eq!(fake.requests(), 1, "{}", case.name);
    }
}

#[tokio::test]
async fn silence_is_told_apart_by_where_it_falls() {
    let quick = Timeouts {
        connect_s: 2.0,
        first_token_s: 0.15,
        idle_s: 0.15,
        total_s: 20.0,
    };
    let total = Timeouts {
        connect_s: 2.0,
        first_token_s: 5.0,
        idle_s: 5.0,
        total_s: 0.15,
    };
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        let start = chunk(text_event(dialect, "Look").as_bytes());
        let cases = [
            (vec![Step::AwaitClose], quick, ErrorKind::FirstTokenTimeout),
            (
                vec![stream_head(), Step::AwaitClose],
                quick,
                ErrorKind::FirstTokenTimeout,
            ),
            (
                vec![stream_head(), start.clone(), Step::AwaitClose],
                quick,
                ErrorKind::IdleTimeout,
            ),
            (
                vec![stream_head(), start, Step::AwaitClose],
                total,
                ErrorKind::TotalTimeout,
            ),
        ];
        for (script, timeouts, kind) in cases {
            let fake = Fake::start(vec![script]).await;
            let config = ProviderConfig::local(&fake.url, dialect);
            let provider = noctui::llm::Provider::new(&model(), config, timeouts).unwrap();
            assert_eq!(
                provider.chat(&request(), &mut ignore).await.unwrap_err().kind,
                kind
            );
            // the connection is not left behind
            tokio::time::timeout(Duration::from_secs(5), fake.client_closed())
                .await
                .expect("still open");
        }
    }
}

#[tokio::test]
async fn nobody_listening_is_a_connect_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = provider(ProviderConfig::local(url, Dialect::OpenAi))
        .chat(&request(), &mut ignore)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connect);
    assert!(error.to_string().contains("is the server running"), "{error}");
}
