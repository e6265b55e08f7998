//! Ports that fail, panic or hang, and a journal that cannot write.

use super::*;

#[tokio::test]
async fn a_failing_journal_ends_the_session_with_its_reason() {
    let store = Arc::new(Store::in_memory().unwrap());
    let journal = Arc::new(Cut {
        store: store.clone(),
        left: AtomicUsize::new(0),
    });
    let handle = open(
        ports(journal, store, Arc::default()),
        id(),
        query(),
        Options::default(),
    );
    let error = handle.ended().await.unwrap_err();
    assert_eq!(error.to_string(), "power failed");
}

#[test]
fn an_unknown_session_cannot_be_resumed() {
    let store = Arc::new(Store::in_memory().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let error = resume(ports(store.clone(), store, Arc::default()), id())
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("\"s1\""), "{error}");
}

/// Panics when asked to criticise.
struct Panics(Plain);

#[async_trait]
impl Reasoner for Panics {
    fn name(&self) -> String {
        "panics".into()
    }
    async fn read(&self, brief: Brief) -> Result<Reading, PortError> {
        self.0.read(brief).await
    }
    async fn plan(&self, brief: Brief, draft: u32) -> Result<Draft, PortError> {
        self.0.plan(brief, draft).await
    }
    async fn criticise(&self, _: Brief, _: u32) -> Result<Critique, PortError> {
        panic!("a defect")
    }
    async fn act(&self, brief: Brief, lane: LaneId, step: StepId, turn: u32) -> Result<Action, PortError> {
        self.0.act(brief, lane, step, turn).await
    }
    async fn perceive(&self, brief: Brief, step: StepId) -> Result<Perception, PortError> {
        self.0.perceive(brief, step).await
    }
    async fn assess(&self, brief: Brief) -> Result<Assessment, PortError> {
        self.0.assess(brief).await
    }
    async fn write(&self, brief: Brief) -> Result<Prose, PortError> {
        self.0.write(brief).await
    }
}

#[tokio::test]
async fn a_panicking_port_becomes_a_question() {
    let store = Arc::new(Store::in_memory().unwrap());
    let mut ports = ports(store.clone(), store, Arc::default());
    ports.reasoner = Arc::new(Panics(Plain));
    let handle = open(ports, id(), query(), Options::default());
    let state = attend(&handle, policy()).await.unwrap();
    let question = state.open_questions()[0].clone();
    assert!(
        matches!(question.kind, QuestionKind::StepFailure { .. }),
        "{question:?}"
    );
    assert!(question.text.contains("criticising the plan"), "{question:?}");
}

async fn with_seconds(seconds: u32) -> Handle {
    let store = Arc::new(Store::in_memory().unwrap());
    let mut ports = ports(store.clone(), store, Arc::default());
    ports.corpus = Arc::new(Hangs);
    let limits = Limits {
        seconds,
        ..Limits::default()
    };
    open(
        ports,
        id(),
        query(),
        Options {
            limits,
            ..Options::default()
        },
    )
}

struct Hangs;

#[async_trait]
impl Corpus for Hangs {
    async fn search(&self, _: &[String], _: usize) -> Result<Vec<Passage>, PortError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_budget_ends_in_a_report_and_waits_while_the_human_thinks() {
    let handle = with_seconds(5).await;
    let state = handle.wait_for(|s| !s.open_questions().is_empty()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!handle.state().is_ended(), "an hour of thinking costs nothing");
    let question = state.open_questions()[0].id;
    handle.answer(question, Answer::Text { text: "r1".into() }, Author::Human);
    let state = handle.ended().await.unwrap();
    assert_eq!(state.ending.outcome, Some(Outcome::Stopped));
    assert!(
        state
            .ledger
            .notes
            .iter()
            .any(|n| n.text == "stopped by budget: 5 s"),
        "{:?}",
        state.ledger.notes
    );
    assert!(state.ending.prose.is_some());
}
