//! Somebody else has a word: another process steers through the journal, a policy answers for who does not come.

use noctui::runtime::stand_in;

use super::*;

async fn asking(store: &Arc<Store>) -> Handle {
    let handle = open(
        ports(store.clone(), store.clone(), Arc::default()),
        id(),
        query(),
        Options::default(),
    );
    handle.wait_for(|s| !s.open_questions().is_empty()).await.unwrap();
    handle
}

fn next(state: &State, event: Event) -> Recorded {
    Recorded {
        seq: state.seq + 1,
        at: Timestamp(99),
        event,
    }
}

#[tokio::test]
async fn steering_by_another_process_is_taken_in_before_the_next_step() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = asking(&store).await;
    let mut listener = handle.subscribe(0);
    let steering = Steering::Words {
        words: "look at r1 only".into(),
    };
    let foreign = next(&handle.state(), Event::Steered { steering });
    store.append(&id(), std::slice::from_ref(&foreign)).unwrap();
    let state = attend(&handle, policy()).await.unwrap();
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    assert_eq!(state.dialogue.steering, ["look at r1 only"]);
    let events = store.read(&id(), 0).unwrap();
    assert_eq!(events[usize::try_from(foreign.seq).unwrap() - 1], foreign);
    assert_eq!(State::fold(&events).ending, state.ending);
    let mut heard = Vec::new();
    while let Some(signal) = listener.next().await {
        if let Signal::Event(recorded) = signal {
            heard.push(recorded.seq);
        }
    }
    assert_eq!(
        heard,
        (1..=events.len() as u64).collect::<Vec<_>>(),
        "listeners hear it in its place"
    );
}

#[tokio::test]
async fn a_session_that_another_process_goes_on_with_is_given_up() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = asking(&store).await;
    let question = handle.state().open_questions()[0].id;
    let foreign = Event::QuestionAnswered {
        question,
        answer: Answer::Skip,
        by: Author::Human,
    };
    store.append(&id(), &[next(&handle.state(), foreign)]).unwrap();
    handle.answer(question, Answer::Skip, Author::Human);
    let error = handle.ended().await.unwrap_err();
    assert!(error.to_string().contains("continued by another"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_question_nobody_answers_in_time_takes_its_default() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = asking(&store).await;
    let patience = Duration::from_secs(60);
    tokio::spawn(stand_in(&handle, Policy::defaults(), patience));
    tokio::time::sleep(patience - Duration::from_secs(1)).await;
    assert_eq!(handle.state().open_questions().len(), 1, "there is a second left");
    let state = handle.ended().await.unwrap();
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    let by_policy = |a: &Asked| matches!(a.answer, Some((_, Author::Policy, _)));
    assert!(
        state.dialogue.asked.iter().all(by_policy),
        "{:?}",
        state.dialogue.asked
    );
    let answers: Vec<&Answer> = state
        .dialogue
        .asked
        .iter()
        .map(|a| &a.answer.as_ref().unwrap().0)
        .collect();
    assert_eq!(
        answers,
        [&Answer::Skip, &Answer::Retry, &Answer::Skip],
        "r2: once more, then without"
    );
}

#[tokio::test(start_paused = true)]
async fn who_stands_in_does_not_keep_a_session_alive() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = asking(&store).await;
    let waiting = tokio::spawn(stand_in(&handle, Policy::defaults(), Duration::from_secs(3600)));
    drop(handle);
    tokio::time::timeout(Duration::from_secs(1), waiting)
        .await
        .unwrap()
        .unwrap();
    assert!(!State::fold(&store.read(&id(), 0).unwrap()).is_ended());
}
