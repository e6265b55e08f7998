//! Answers that go well: pieces as they are released, cancellation, ledgers, budgets, tapes.

use std::{sync::Arc, time::Duration};

use noctui::llm::{
    Budget, CassetteConfig, CassetteMode, ChatModel, Delta, Dialect, Embedder, ErrorKind, Matching,
    ModelConfig, Provider, ProviderConfig, Roster, Stop, redact_secrets,
};
use tokio::sync::mpsc;

use crate::fake::*;

const DIALECTS: [Dialect; 2] = [Dialect::OpenAi, Dialect::Anthropic];

#[tokio::test]
async fn each_piece_is_seen_before_the_next_is_sent() {
    for dialect in DIALECTS {
        let script = vec![
            stream_head(),
            chunk(text_event(dialect, "Look").as_bytes()),
            Step::Gate,
            chunk(text_event(dialect, "ing").as_bytes()),
            Step::Gate,
            chunk(end_events(dialect).as_bytes()),
            last_chunk(),
        ];
        let fake = Fake::start(vec![script]).await;
        let provider = fake.provider(dialect);
        let (sender, mut pieces) = mpsc::unbounded_channel();
        let call = tokio::spawn(async move {
            provider
                .chat(&request(), &mut |delta| sender.send(delta).unwrap())
                .await
        });
        for expected in ["Look", "ing"] {
            assert_eq!(
                pieces.recv().await.unwrap(),
                Delta::Text {
                    text: expected.into()
                }
            );
            assert!(pieces.try_recv().is_err(), "nothing comes before the gate");
            fake.open_gate();
        }
        let reply = call.await.unwrap().unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("Looking", Stop::End));
        assert!(reply.timing.first_token_ms.is_some());
    }
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    for dialect in DIALECTS {
        let script = vec![
            stream_head(),
            chunk(text_event(dialect, "Look").as_bytes()),
            Step::AwaitClose,
        ];
        let fake = Fake::start(vec![script]).await;
        let config: ModelConfig = toml::from_str(&format!(
            "default = 'own/m'\n[providers.own]\ndialect = '{}'\nbase_url = '{}'\nfree = true",
            if dialect == Dialect::OpenAi {
                "openai"
            } else {
                "anthropic"
            },
            fake.url
        ))
        .unwrap();
        let roster = Roster::assemble(&config, Arc::new(redact_secrets)).unwrap();
        let model = roster.model("planner").unwrap();
        let (sender, mut pieces) = mpsc::unbounded_channel();
        let call =
            tokio::spawn(async move { model.chat(&request(), &mut |d| sender.send(d).unwrap()).await });
        pieces.recv().await.unwrap();
        call.abort();
        tokio::time::timeout(Duration::from_secs(5), fake.client_closed())
            .await
            .expect("still open");
        let _ = call.await;
        let records = roster.ledger().records();
        assert_eq!(records[0].error, Some(ErrorKind::Cancelled));
        assert!(
            records[0].usage.estimated && records[0].usage.output > 0,
            "what was read is charged"
        );
    }
}

#[tokio::test]
async fn a_character_cut_between_chunks_is_whole_again() {
    for dialect in DIALECTS {
        // serde_json leaves é as UTF-8, so the event holds the two bytes
        let event = format!("{}{}", text_event(dialect, "état 😀"), end_events(dialect));
        let bytes = event.as_bytes();
        let cut = event.find('é').unwrap() + 1;
        let script = vec![
            stream_head(),
            chunk(&bytes[..cut]),
            chunk(&bytes[cut..]),
            last_chunk(),
        ];
        let fake = Fake::start(vec![script]).await;
        let reply = fake
            .provider(dialect)
            .chat(&request(), &mut ignore)
            .await
            .unwrap();
        assert_eq!(reply.text, "état 😀");
    }
}

#[tokio::test]
async fn an_answer_that_comes_whole_is_read_too() {
    let bodies = [
        r#"{"model":"m","choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get","arguments":"{\"d\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
        r#"{"model":"m","content":[{"type":"tool_use","id":"a","name":"get","input":{"d":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}"#,
    ];
    for (dialect, body) in DIALECTS.into_iter().zip(bodies) {
        let fake = Fake::start(vec![json_response(body)]).await;
        let config = ProviderConfig {
            stream: false,
            ..ProviderConfig::local(&fake.url, dialect)
        };
        let reply = provider(config).chat(&request(), &mut ignore).await.unwrap();
        assert!(!fake.seen(0).body.contains("\"stream\""));
        assert_eq!(
            (reply.calls[0].name.as_str(), reply.calls[0].arguments.as_str()),
            ("get", "{\"d\":1}")
        );
        assert_eq!((reply.stop, reply.usage.total()), (Stop::ToolCalls, 7));
    }
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let dialect = Dialect::OpenAi;
    let event = text_event(dialect, &"BGP BGP BGP ".repeat(8_000));
    let mut script = vec![stream_head()];
    script.extend(std::iter::repeat_n(chunk(event.as_bytes()), 60));
    script.push(Step::AwaitClose);
    let fake = Fake::start(vec![script]).await;
    let error = fake
        .provider(dialect)
        .chat(&request(), &mut ignore)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
}

fn own(fake: &Fake) -> ModelConfig {
    let text = format!(
        "default = 'own/m'\nembedding = 'own/e'\n[providers.own]\ndialect = 'openai'\nbase_url = '{}'\n\
         [prices]\n'own/m' = {{ input = 1.0, output = 10.0 }}",
        fake.url
    );
    toml::from_str(&text).unwrap()
}

#[tokio::test]
async fn tokens_and_money_are_counted_and_the_budget_stops() {
    let fake = Fake::start(vec![answer(Dialect::OpenAi, "ok")]).await;
    let config = ModelConfig {
        budget: Budget {
            tokens: Some(20),
            ..Budget::default()
        },
        ..own(&fake)
    };
    let roster = Roster::assemble(&config, Arc::new(redact_secrets)).unwrap();
    let model = roster.model("planner").unwrap();
    for _ in 0..2 {
        model.chat(&request(), &mut ignore).await.unwrap();
    }
    let error = model.chat(&request(), &mut ignore).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Budget);
    assert!(
        error.to_string().contains("stopped by budget: 24 of 20 tokens"),
        "{error}"
    );
    assert_eq!(fake.requests(), 2);
    let totals = roster.ledger().totals();
    assert_eq!((totals.usage.input, totals.usage.output), (20, 4));
    assert!((totals.cost_usd - 60.0 / 1e6).abs() < 1e-12);
}

#[tokio::test]
async fn a_recorded_session_replays_without_a_network() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tape.jsonl");
    let vectors = r#"{"data":[{"index":1,"embedding":[0.5,1]},{"index":0,"embedding":[1,0]}]}"#;
    let fake = Fake::start(vec![answer(Dialect::OpenAi, "the plan"), json_response(vectors)]).await;
    let cassette = |mode| CassetteConfig {
        mode,
        file: Some(file.clone()),
        matching: Matching::Exact,
    };
    let texts = ["a".to_owned(), "b".to_owned()];

    let config = ModelConfig {
        cassette: cassette(CassetteMode::Record),
        ..own(&fake)
    };
    let roster = Roster::assemble(&config, Arc::new(redact_secrets)).unwrap();
    let recorded = roster
        .model("planner")
        .unwrap()
        .chat(&request(), &mut ignore)
        .await
        .unwrap();
    let embedded = roster.embedder().unwrap().embed(&texts).await.unwrap();
    assert_eq!(embedded, [[1.0, 0.0], [0.5, 1.0]]);

    let config = ModelConfig {
        cassette: cassette(CassetteMode::Replay),
        ..own(&fake)
    };
    let roster = Roster::assemble(&config, Arc::new(redact_secrets)).unwrap();
    let replayed = roster
        .model("planner")
        .unwrap()
        .chat(&request(), &mut ignore)
        .await
        .unwrap();
    assert_eq!(replayed, recorded);
    assert_eq!(roster.embedder().unwrap().embed(&texts).await.unwrap(), embedded);
    assert_eq!(fake.requests(), 2, "the replay asked nobody");
    let error = roster
        .model("planner")
        .unwrap()
        .chat(&request(), &mut ignore)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cassette);
}

#[tokio::test]
async fn vectors_that_do_not_fit_are_refused() {
    for body in [
        r#"{"data":[]}"#,
        r#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#,
        r#"{"data":[{"embedding":[]}]}"#,
    ] {
        let fake = Fake::start(vec![json_response(body)]).await;
        let error = fake
            .provider(Dialect::OpenAi)
            .embed(&["a".into(), "b".into()])
            .await
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{body}");
    }
}

#[tokio::test]
async fn the_offered_models_are_listed() {
    let fake = Fake::start(vec![json_response(
        r#"{"data":[{"id":"b"},{"id":"a\u001b[1m"}]}"#,
    )])
    .await;
    let provider: Provider = fake.provider(Dialect::OpenAi);
    assert_eq!(provider.models().await.unwrap(), ["a\u{fffd}[1m", "b"]);
    assert!(fake.seen(0).head.starts_with("GET /v1/models "));
}
