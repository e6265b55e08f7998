//! Calls that need grant: once, always within a scope, withdrawn, declined.

use super::*;

/// Runs a plan of two steps on xrd-1 and xrd-2 whose calls all want grant, until somebody is asked or it
/// is over. `made` collects the calls that were let through.
fn run_until_asked(state: &mut State, made: &mut Vec<ToolCall>) {
    for _ in 0..300 {
        let Some(effect) = outstanding(state).into_iter().next() else {
            return;
        };
        let in_step = |call: CallId| state.execution.call(call).is_some_and(|r| r.call.step.is_some());
        let reply = match &effect {
            Effect::Call { call, .. } if in_step(*call) => {
                let call = &state.execution.call(*call).unwrap().call;
                if call.approved {
                    made.push(call.clone());
                    outcome(json!({"status": "success", "data": {}}))
                } else {
                    failure(ErrorKind::NeedsApproval)
                }
            }
            Effect::Plan { .. } => {
                let Reply::Draft(mut draft) = answer(state, &effect, 0) else {
                    panic!("no draft")
                };
                draft
                    .steps
                    .insert(1, step("look again", StepKind::Instruction, Scope::Targets));
                Reply::Draft(draft)
            }
            _ => answer(state, &effect, 0),
        };
        advance(state, Input::Replied { effect, reply }, at(1));
    }
}

fn asked_first() -> (State, Vec<ToolCall>) {
    let mut state = State::default();
    let mut made = Vec::new();
    advance(&mut state, open(Options::default()), at(0));
    run_until_asked(&mut state, &mut made);
    (state, made)
}

fn reply_to(state: &mut State, question: QuestionId, answer: Answer) {
    let by = Author::Human;
    advance(state, Input::Answered { question, answer, by }, at(2));
}

fn like(pattern: &str) -> Answer {
    Answer::Always {
        grant: Grant {
            tool: "lab.get_system_info".into(),
            arguments: ArgumentScope::Like(pattern.into()),
        },
    }
}

fn approvals(state: &State) -> usize {
    let kind =
        |asked: &&crate::agent::state::Asked| matches!(asked.question.kind, QuestionKind::Approval { .. });
    state.dialogue.asked.iter().filter(kind).count()
}

#[test]
fn the_question_shows_the_exact_call_and_yes_allows_it_once() {
    let (mut state, mut made) = asked_first();
    let question = state.open_questions()[0].clone();
    assert_eq!(
        question.text,
        "Allow this call? lab.get_system_info {\"device_name\":\"xrd-1\"}"
    );
    assert_eq!(approvals(&state), 2, "one for each device");
    reply_to(&mut state, question.id, Answer::Approve);
    run_until_asked(&mut state, &mut made);
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].arguments["device_name"], "xrd-1");
    assert!(approvals(&state) >= 3, "the second step asks again");
}

#[test]
fn an_always_answers_what_it_covers_and_asks_nothing_again() {
    let (mut state, mut made) = asked_first();
    let first = state.open_questions()[0].id;
    reply_to(&mut state, first, like("*"));
    assert!(
        state.open_questions().is_empty(),
        "the other question is covered too"
    );
    run_until_asked(&mut state, &mut made);
    assert!(state.is_ended());
    assert_eq!((approvals(&state), made.len()), (2, 4));
    let later: Vec<&ToolCall> = made.iter().filter(|call| call.follows.is_none()).collect();
    assert!(later.iter().all(|call| call.grant == Some(first)), "{later:?}");
    assert_eq!(later.len(), 2, "the second step was not even asked for");
}

#[test]
fn an_always_within_a_scope_covers_nothing_else() {
    let (mut state, mut made) = asked_first();
    let first = state.open_questions()[0].id;
    reply_to(&mut state, first, like("{\"device_name\":\"xrd-1*\"}"));
    assert_eq!(state.open_questions().len(), 1, "xrd-2 is still asked about");
    run_until_asked(&mut state, &mut made);
    assert!(made.iter().all(|call| call.arguments["device_name"] == "xrd-1"));
    let second = state.open_questions()[0].id;
    let too_narrow = like("{\"device_name\":\"xrd-7\"}");
    reply_to(&mut state, second, too_narrow);
    assert_eq!(
        state.open_questions().len(),
        1,
        "a scope that leaves the call out is no answer"
    );
}

#[test]
fn a_withdrawn_always_asks_again_and_a_resumed_one_does_not() {
    let (state, _) = asked_first();
    for withdrawn in [false, true] {
        let (mut state, mut made) = (state.clone(), Vec::new());
        let first = state.open_questions()[0].id;
        reply_to(&mut state, first, like("*"));
        if withdrawn {
            let steering = Steering::Withdraw { question: first };
            let decision = advance(&mut state, Input::Steered(steering.clone()), at(3));
            assert_eq!(decision.events.len(), 1);
            assert!(
                advance(&mut state, Input::Steered(steering), at(3))
                    .events
                    .is_empty()
            );
        }
        run_until_asked(&mut state, &mut made);
        assert_eq!(state.is_ended(), !withdrawn);
        assert_eq!(approvals(&state), if withdrawn { 4 } else { 2 });
    }
}

#[test]
fn a_declined_call_is_not_asked_for_again_in_the_session() {
    let (mut state, mut made) = asked_first();
    for question in state.open_questions().iter().map(|q| q.id).collect::<Vec<_>>() {
        reply_to(&mut state, question, Answer::Decline);
    }
    run_until_asked(&mut state, &mut made);
    assert_eq!((made.len(), approvals(&state)), (0, 2));
    let refused = state
        .ledger
        .notes
        .iter()
        .any(|note| note.text.contains("you declined this very call, see Q1"));
    assert!(refused, "{:?}", state.ledger.notes);
    let reasons: Vec<String> = state.unobserved().into_iter().map(|u| u.reason).collect();
    assert!(
        reasons.iter().any(|r| r.contains("you declined the call (Q1)")),
        "{reasons:?}"
    );
}

#[test]
fn edited_arguments_are_another_call_and_are_asked_for_again() {
    let (mut state, _) = asked_first();
    let question = state.open_questions()[0].id;
    reply_to(&mut state, question, Answer::Approve);
    let effect = outstanding(&state)
        .into_iter()
        .find(|e| matches!(e, Effect::Call { .. }))
        .unwrap();
    let reply = failure(ErrorKind::InvalidParameter);
    advance(&mut state, Input::Replied { effect, reply }, at(3));
    let failed = state
        .open_questions()
        .iter()
        .find(|q| matches!(q.kind, QuestionKind::ToolFailure { .. }))
        .unwrap()
        .id;
    let arguments = Map::from_iter([("device_name".to_owned(), "xrd-3".into())]);
    reply_to(&mut state, failed, Answer::EditArguments { arguments });
    let last = &state.execution.calls.values().next_back().unwrap().call;
    assert!(!last.approved, "the approval was for other arguments");
    assert_eq!(last.devices, ["xrd-3".into()]);
}
