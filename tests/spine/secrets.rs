//! What a person types, pastes or once wrote down: its secrets leave by no exit.

use noctui::report;

use super::*;

const SECRETS: &str = include_str!("../fixtures/redaction/secrets.txt");

/// Notes that somebody wrote passwords into.
struct Careless;

#[async_trait]
impl Corpus for Careless {
    async fn search(&self, _: &[String], _: usize) -> Result<Vec<Passage>, PortError> {
        Ok(vec![Passage {
            source: "notes/night.md".into(),
            heading: "Logins".into(),
            text: SECRETS.lines().skip(1).collect::<Vec<_>>().join("\n"),
            score: 1.0,
        }])
    }
}

#[tokio::test]
async fn no_secret_of_the_corpus_leaves_by_any_exit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let store = Arc::new(Store::open(&path).unwrap());
    let lines: Vec<&str> = SECRETS
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("# "))
        .collect();
    let asked = Query {
        text: format!("look at them\n{}", lines.join("\n")),
        devices: vec![],
        runbook: None,
    };
    let ports = Ports {
        corpus: Arc::new(Careless),
        ..ports(store.clone(), store.clone(), Arc::default())
    };
    let handle = open(ports, id(), asked, Options::default());
    let mut screen = handle.subscribe(0);
    handle.wait_for(|s| !s.open_questions().is_empty()).await.unwrap();
    handle.steer(lines.join("\n"));
    let policy = Policy {
        answers: [format!("r1 and r2\n{}", lines.join("\n"))].into(),
        ..Policy::default()
    };
    let state = attend(&handle, policy).await.unwrap();
    let pasted = json!({"config": lines, "text": lines.join("\n"), "password": "SEKRIT"});
    let answer = Answer::Supply { value: pasted };
    handle.answer(state.open_questions()[0].id, answer, Author::Human);
    let state = attend(&handle, super::policy()).await.unwrap();
    assert!(state.is_ended());
    assert!(
        state
            .evidence
            .iter()
            .any(|e| matches!(e.origin, Origin::Human { .. }))
    );

    // The screen and models see the state and its events; reports are written from it.
    let mut shown = format!("{state:?}");
    while let Some(signal) = screen.next().await {
        shown.push_str(&format!("{signal:?}"));
    }
    leaks("screen and prompt", &shown);
    for format in [
        report::Format::Text,
        report::Format::Markdown,
        report::Format::Json,
        report::Format::Html,
    ] {
        leaks(&format!("{format:?}"), &report::write(format, &id(), &state));
    }
    assert!(
        state
            .planning
            .drafts
            .iter()
            .any(|d| d.passages.iter().flatten().next().is_some())
    );
    drop((handle, state));
    drop(store);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        leaks(&file.display().to_string(), &String::from_utf8_lossy(&bytes));
    }
}

fn leaks(exit: &str, text: &str) {
    if let Some(at) = text.find("SEKRIT") {
        let from = text[..at].char_indices().rev().nth(80).map_or(0, |(i, _)| i);
        let line: String = text[from..].chars().take(160).collect();
        panic!("leaked by {exit}: …{line}…");
    }
}
