//! The journal and what is kept beside it.

use super::*;
use crate::agent::event::{Event, Recorded};
use crate::agent::model::*;
use crate::agent::ports::{Journal, Recall};
use crate::agent::state::State;

fn opened(seq: u64, text: &str) -> Recorded {
    let query = Query {
        text: text.into(),
        devices: vec![],
        runbook: None,
    };
    Recorded {
        seq,
        at: Timestamp(5),
        event: Event::SessionOpened {
            query,
            options: Options::default(),
        },
    }
}

fn steered(seq: u64, words: &str) -> Recorded {
    let steering = Steering::Words { words: words.into() };
    Recorded {
        seq,
        at: Timestamp(6),
        event: Event::Steered { steering },
    }
}

fn id(text: &str) -> SessionId {
    SessionId(text.into())
}

#[test]
fn events_come_back_in_order_and_from_a_place() {
    let store = Store::in_memory().unwrap();
    let events = [opened(1, "BGP down"), steered(2, "look"), steered(3, "again")];
    store.append(&id("a"), &events[..2]).unwrap();
    store.append(&id("a"), &events[2..]).unwrap();
    assert_eq!(store.read(&id("a"), 0).unwrap(), events);
    assert_eq!(store.read(&id("a"), 2).unwrap(), events[2..]);
    assert_eq!(store.read(&id("b"), 0).unwrap(), []);
}

#[test]
fn two_processes_share_the_file_and_cannot_write_one_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/noctui.db");
    let (one, two) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
    one.append(&id("a"), &[opened(1, "first")]).unwrap();
    two.append(&id("b"), &[opened(1, "second")]).unwrap();
    assert_eq!(one.sessions("", 10).unwrap().len(), 2);
    one.append(&id("a"), &[steered(2, "mine")]).unwrap();
    let refused = two
        .append(&id("a"), &[steered(2, "no, mine"), steered(3, "more")])
        .unwrap_err();
    assert!(refused.0.contains("continued by another"), "{refused}");
    assert_eq!(
        one.read(&id("a"), 0).unwrap().len(),
        2,
        "nothing of a refused append is kept"
    );
}

#[test]
fn secrets_do_not_reach_the_disk() {
    let store = Store::in_memory().unwrap();
    store
        .append(&id("a"), &[opened(1, "login with password=hunter2 fails")])
        .unwrap();
    let kept = format!(
        "{:?} {:?}",
        store.read(&id("a"), 0).unwrap(),
        store.sessions("", 9).unwrap()
    );
    assert!(!kept.contains("hunter2"), "{kept}");
}

#[test]
fn sessions_are_found_named_and_deleted() {
    let store = Store::in_memory().unwrap();
    store
        .append(&id("20261122-030000-abcd"), &[opened(1, "BGP down on xrd-1")])
        .unwrap();
    store
        .append(&id("20261122-040000-efgh"), &[opened(1, "VRF CUST-A")])
        .unwrap();
    store
        .rename_session(&id("20261122-030000-abcd"), "the big one")
        .unwrap();
    assert_eq!(store.sessions("bgp XRD-1", 9).unwrap().len(), 1);
    for which in ["the big one", "20261122-03", "20261122-030000-abcd"] {
        assert_eq!(
            store.find_session(which).unwrap().query,
            "BGP down on xrd-1",
            "{which}"
        );
    }
    for which in ["20261122", "", "nothing"] {
        assert!(
            matches!(store.find_session(which), Err(MemoryError::UnknownSession(_))),
            "{which}"
        );
    }
    store.delete_session(&id("20261122-030000-abcd")).unwrap();
    assert_eq!(store.sessions("", 9).unwrap().len(), 1);
    assert!(store.delete_session(&id("20261122-030000-abcd")).is_err());
}

#[test]
fn a_file_of_a_newer_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("noctui.db");
    drop(Store::open(&path).unwrap());
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(
        Store::open(&path),
        Err(MemoryError::Newer { found: 99, .. })
    ));
}

#[tokio::test]
async fn incidents_are_found_by_what_they_are_about() {
    let store = Store::in_memory().unwrap();
    for (name, query, headline) in [
        ("a", "BGP to 100.100.100.107 flaps on xrd-1", "wrong AS on xrd-1"),
        ("b", "no route in VRF CUST-A", "import route target missing"),
    ] {
        let recorded = opened(1, query);
        store.append(&id(name), std::slice::from_ref(&recorded)).unwrap();
        let mut state = State::fold([&recorded]);
        state.ending.prose = Some(Prose {
            headline: headline.into(),
            body: String::new(),
        });
        store.remember(&id(name), &state).await.unwrap();
        store.remember(&id(name), &state).await.unwrap();
    }
    let state = State::fold([&opened(1, "check BGP neighbour 100.100.100.107")]);
    let found = store.similar(&state, 5).await.unwrap();
    assert_eq!(
        found.iter().map(|i| i.session.0.as_str()).collect::<Vec<_>>(),
        ["a"]
    );
    assert_eq!(found[0].summary, "wrong AS on xrd-1");
    // Of bgp, 100.100.100.107, flaps, xrd-1 and neighbour two words are shared.
    assert!((found[0].likeness - 0.4).abs() < 1e-9, "{}", found[0].likeness);
    assert!(!found[0].confirmed, "it has no verdict");
    assert!(
        store.incidents("the and of \" ) (", "", 5).unwrap().is_empty(),
        "no telling word, no syntax error"
    );
}

#[test]
fn ids_sort_by_time() {
    let early = new_session_id(Timestamp(1_795_000_000_000), 7);
    let late = new_session_id(Timestamp(1_795_000_001_000), 0);
    assert!(early < late);
    assert_eq!(early.0.len(), "20261118-110640-haaa".len());
}

#[test]
fn facts_hold_until_they_expire_or_are_forgotten() {
    let store = Store::in_memory().unwrap();
    let scope: crate::diagnosis::ontology::Resource = "session/xrd-8--10.0.0.9".parse().unwrap();
    let lasting = store
        .add_fact("decommissioned", &scope, Timestamp(10), None)
        .unwrap();
    store
        .add_fact("maintenance", &scope, Timestamp(10), Some(Timestamp(20)))
        .unwrap();
    assert_eq!(store.facts_at(Timestamp(15)).unwrap().len(), 2);
    let later = store.facts_at(Timestamp(20)).unwrap();
    assert_eq!(
        later.iter().map(|f| f.words.as_str()).collect::<Vec<_>>(),
        ["decommissioned"]
    );
    assert!(store.forget_fact(lasting).unwrap());
    assert!(!store.forget_fact(lasting).unwrap());
}

/// Two events a call, as a session would journal them; every tenth fails, every fifth comes from the cache.
fn called(seq: u64, number: u32, payload: &serde_json::Value) -> [Recorded; 2] {
    let call = ToolCall {
        id: CallId(number),
        lane: None,
        step: None,
        tool: if number.is_multiple_of(2) {
            "s.even"
        } else {
            "s.odd"
        }
        .into(),
        arguments: serde_json::Map::new(),
        devices: vec![],
        why: String::new(),
        approved: false,
        grant: None,
        follows: None,
    };
    let at = |ms: i64| Timestamp(1000 + ms);
    let mut outcome = CallOutcome::success(payload.clone(), at(0), at(i64::from(number)));
    outcome.cached = number.is_multiple_of(5);
    if number.is_multiple_of(10) {
        outcome.failure = Some(CallFailure {
            kind: ErrorKind::CircuitOpen,
            message: "open".into(),
        });
    }
    let ended = Event::CallEnded {
        call: call.id,
        attempt: 0,
        outcome: Box::new(outcome),
    };
    let requested = Event::CallRequested { call: Box::new(call) };
    [(seq, requested), (seq + 1, ended)].map(|(seq, event)| Recorded {
        seq,
        at: Timestamp(7),
        event,
    })
}

#[test]
fn the_figures_of_a_long_journal_are_read_without_its_events() {
    let store = Store::in_memory().unwrap();
    let payload = serde_json::json!({"lines": vec!["%BGP-5-ADJCHANGE: neighbor 10.0.0.2 Down"; 100]});
    for session in 0..3 {
        let name = id(&format!("s{session}"));
        let mut events = vec![opened(1, "long")];
        for number in 1..=500 {
            events.extend(called(u64::from(number) * 2, number, &payload));
        }
        store.append(&name, &events).unwrap();
    }
    let started = std::time::Instant::now();
    let rows = store.calls_of_newest(200).unwrap();
    let newest = store.calls_of_newest(1).unwrap();
    let one = store.calls_of(&id("s2")).unwrap();
    // Reading their events would take far longer in a debug build.
    assert!(started.elapsed().as_millis() < 1000, "{:?}", started.elapsed());
    assert_eq!((rows.len(), newest.len(), one.len()), (1500, 500, 500));
    assert_eq!(one[9].tool, "s.even");
    assert_eq!((one[9].millis, one[9].cached), (10, true));
    assert_eq!(one[9].error, Some(ErrorKind::CircuitOpen));
    assert_eq!(
        (one[8].tool.as_str(), one[8].error, one[8].cached),
        ("s.odd", None, false)
    );
}
