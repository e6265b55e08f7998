//! Failed calls: tried again, asked about, skipped, supplied, edited.

use super::*;

#[test]
fn a_transient_failure_is_tried_again_before_the_human_is_asked() {
    let state = fail_first_call(ErrorKind::Network);
    let question = state.open_questions()[0].clone();
    let QuestionKind::ToolFailure { call, .. } = question.kind else {
        panic!("{question:?}")
    };
    assert_eq!(state.execution.call(call).unwrap().outcomes.len(), 2);
}

#[test]
fn a_lasting_failure_is_asked_at_once_and_skipping_it_is_told() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let answer_it = Input::Answered {
        question: id,
        answer: Answer::Skip,
        by: Author::Human,
    };
    advance(&mut state, answer_it.clone(), at(2));
    assert!(state.unobserved().iter().any(|u| u.device.as_str() == "xrd-1"));
    let before = state.seq;
    advance(&mut state, answer_it, at(3));
    assert_eq!(
        state.seq, before,
        "the second answer to the same question changes nothing"
    );
}

#[test]
fn a_pasted_result_is_evidence_of_the_human() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let answer = Answer::Supply {
        value: json!("BGP is up, I looked"),
    };
    advance(
        &mut state,
        Input::Answered {
            question: id,
            answer,
            by: Author::Human,
        },
        at(2),
    );
    assert!(matches!(
        state.evidence.last().unwrap().origin,
        Origin::Human { .. }
    ));
    assert!(state.unobserved().is_empty());
}

#[test]
fn edited_arguments_make_another_call() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let mut arguments = Map::new();
    arguments.insert("device_name".into(), "xrd-3".into());
    let answer = Answer::EditArguments {
        arguments: arguments.clone(),
    };
    advance(
        &mut state,
        Input::Answered {
            question: id,
            answer,
            by: Author::Human,
        },
        at(2),
    );
    let last = state.execution.calls.values().next_back().unwrap();
    assert_eq!(
        (last.call.arguments.clone(), last.call.follows.is_some()),
        (arguments, true)
    );
}
