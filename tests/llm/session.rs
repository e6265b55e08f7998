//! Faults on the wire as a session meets them: told in a note, and then the rules or the human go on.

use std::sync::{Arc, Mutex};

use futures::StreamExt as _;
use noctui::agent::{
    event::{Event, Recorded},
    model::{Note, Query, Timestamp, Usage},
    ports::{Brief, Reasoner, Reporter},
    state::State,
};
use noctui::llm::{Dialect, ModelConfig, Roster, redact_secrets};
use noctui::reason::{
    model::{ModelOptions, ModelReasoner, OnFailure, Prompts},
    rules::Rules,
};

use crate::{
    fake::*,
    faults::{CASES, Case},
};

/// Keeps the notes.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Reporter for Notes {
    fn delta(&self, _: &str, _: &str) {}
    fn note(&self, note: Note) {
        self.0.lock().unwrap().push(note.text);
    }
    fn usage(&self, _: Usage) {}
    fn progress(&self, _: Option<f64>, _: &str) {}
}

fn state() -> State {
    let query = Query {
        text: "Check BGP neighbors on xrd-1".into(),
        devices: vec![],
        runbook: None,
    };
    let event = Event::SessionOpened {
        query,
        options: Default::default(),
    };
    State::fold(&[Recorded {
        seq: 1,
        at: Timestamp(1),
        event,
    }])
}

fn reasoner(fake: &Fake, dialect: Dialect, on_failure: OnFailure) -> ModelReasoner {
    let dialect = match dialect {
        Dialect::OpenAi => "openai",
        Dialect::Anthropic => "anthropic",
    };
    let config: ModelConfig = toml::from_str(&format!(
        "default = 'own/m'\nretry = {{ attempts = 1 }}\n[timeouts]\nconnect_s = 20.0\nfirst_token_s = 20.0\nidle_s = 20.0\n\
         total_s = 60.0\n[providers.own]\ndialect = '{dialect}'\nbase_url = '{}'\nkey = {{ command = ['echo', '{KEY}'] }}",
        fake.url
    ))
    .unwrap();
    let roster = Roster::assemble(&config, Arc::new(redact_secrets)).unwrap();
    let options = ModelOptions {
        on_failure,
        ..ModelOptions::default()
    };
    ModelReasoner::new(
        Arc::new(roster),
        Prompts::default(),
        options,
        Arc::new(Rules::default()),
    )
}

async fn check(case: &Case, dialect: Dialect, on_failure: OnFailure) {
    let fake = Fake::start(vec![(case.script)(dialect)]).await;
    fake.open_gate();
    let notes = Arc::new(Notes::default());
    let brief = Brief {
        state: Arc::new(state()),
        now: Timestamp(2),
        reporter: notes.clone(),
    };
    let result = reasoner(&fake, dialect, on_failure).read(brief).await;
    let told = notes.0.lock().unwrap().join("\n");
    let place = format!("{} {dialect:?} {on_failure:?}: {told}", case.name);
    assert!(told.starts_with("reader: own: "), "{place}");
    assert!(told.contains(case.says), "{place}");
    assert!(!told.contains(KEY), "{place}");
    match on_failure {
        OnFailure::Rules => {
            assert_eq!(result.unwrap().intent.0, "check_bgp_neighbors", "{place}");
            assert!(told.ends_with("the rules decide this"), "{place}");
        }
        OnFailure::Ask => {
            assert!(result.unwrap_err().to_string().contains(case.says), "{place}");
            assert!(told.ends_with("the human decides"), "{place}");
        }
    }
}

#[tokio::test]
async fn every_fault_is_told_and_the_session_goes_on_or_asks() {
    let mut checks = Vec::new();
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        for case in CASES {
            checks.push(check(case, dialect, OnFailure::Rules));
            checks.push(check(case, dialect, OnFailure::Ask));
        }
    }
    // side by side, as most of the time is spent waiting
    futures::stream::iter(checks)
        .buffer_unordered(8)
        .collect::<Vec<()>>()
        .await;
}
