//! What keys do, told as a user would.

use std::sync::Arc;
use std::time::Duration;

use noctui::agent::model::{Answer, ArgumentScope, Grant, QuestionId, SessionId, Steering, Timestamp};
use noctui::tui::app::{Effect, Ending, Msg, Occasion, Player, TabId, seek};
use noctui::tui::dialogs::{Confirm, Dialog, Setup};
use noctui::tui::source::{Answers, Feed, Say, SessionRow, Thinker};
use noctui::tui::story::Story;

use super::harness::Harness;
use super::session;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn a_query_is_typed_and_started() {
    let mut h = Harness::new(120, 40);
    h.typed("Check BGP").press("enter");
    assert!(
        matches!(&h.effects[1], Effect::Open(TabId(0), q) if q.text == "Check BGP"),
        "{:?}",
        h.effects
    );
    h.send(Msg::Opened(TabId(0), Ok(SessionId("S1".into()))));
    h.feed(&session::planned().events)
        .wait_until("a plan", |s| s.contains("1 Confirm the sessions"));
}

#[test]
fn an_opening_that_fails_says_why() {
    let mut h = Harness::new(120, 40);
    h.typed("x").press("enter");
    h.send(Msg::Opened(
        TabId(0),
        Err("the journal cannot be written: disk full".into()),
    ));
    h.sees("disk full");
}

#[test]
fn a_question_swallows_keys_until_the_keyboard_is_quiet() {
    let events = session::asking().events;
    let (before, question) = events.split_at(events.len() - 1);
    let mut h = Harness::on(120, 40, before);
    h.feed(question).press("r");
    assert!(
        h.effects.iter().all(|e| !matches!(e, Effect::Say(..))),
        "the key was on its way already"
    );
    h.sees("waiting for a quiet keyboard - 1 key not counted");
    h.pass(ms(399)).press("r").pass(ms(300)).press("r");
    assert!(
        h.effects.iter().all(|e| !matches!(e, Effect::Say(..))),
        "each key starts the quiet time anew"
    );
    h.pass(ms(400)).press("r");
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Say(TabId(0), Say::Answer(QuestionId(1), Answer::Retry)))
    );
}

#[test]
fn a_question_arms_at_the_latest_after_a_second_and_a_half() {
    let events = session::asking().events;
    let (before, question) = events.split_at(events.len() - 1);
    let mut h = Harness::on(120, 40, before);
    h.feed(question);
    for _ in 0..15 {
        h.pass(ms(100)).press("s");
    }
    let said = h.effects.iter().filter(|e| matches!(e, Effect::Say(..))).count();
    assert_eq!(said, 1, "and only once");
}

#[test]
fn a_question_does_not_take_the_keys_of_someone_who_types() {
    let events = session::asking().events;
    let (before, question) = events.split_at(events.len() - 1);
    let mut h = Harness::on(120, 40, before);
    h.press("i")
        .typed("look at xrd-5 to")
        .feed(question)
        .pass(ms(2_000))
        .typed("o")
        .press("enter");
    assert!(
        h.effects
            .iter()
            .all(|e| !matches!(e, Effect::Say(_, Say::Answer(..))))
    );
    let steered = Say::Steer(Steering::Words {
        words: "look at xrd-5 too".into(),
    });
    assert!(
        h.effects.contains(&Effect::Say(TabId(0), steered)),
        "{:?}",
        h.effects
    );
    h.sees("? 1");
    h.press("! s");
    assert!(matches!(
        h.effects.last(),
        Some(Effect::Say(_, Say::Answer(_, Answer::Skip)))
    ));
}

#[test]
fn esc_answers_nothing_but_an_approval() {
    for kind in ["clarification", "step_failure", "plan_approval", "elicitation"] {
        let mut h = Harness::on(120, 40, &session::question(kind).events);
        h.press("esc esc enter esc esc esc");
        assert!(
            h.effects.iter().all(|e| !matches!(e, Effect::Say(..))),
            "{kind}: {:?}",
            h.effects
        );
    }
}

#[test]
fn an_approval_takes_its_own_key_only() {
    let mut h = Harness::on(120, 40, &session::question("approval").events);
    h.press("r")
        .sees("not an answer to this question (approval): use y w d");
    h.press("y");
    assert!(matches!(
        h.effects.last(),
        Some(Effect::Say(_, Say::Answer(_, Answer::Approve)))
    ));
}

#[test]
fn a_known_answer_is_used_or_not_by_a_key() {
    for (key, answer) in [("y", Answer::Approve), ("s", Answer::Skip)] {
        let mut h = Harness::on(120, 40, &session::question("known_answer").events);
        h.sees("[y] use it   [s] run anyway")
            .sees("the report stands on the evidence of session 20261121-2200-abcd")
            .press("esc enter esc");
        assert!(
            h.effects.iter().all(|e| !matches!(e, Effect::Say(..))),
            "Esc leaves it open"
        );
        h.press("!").press(key);
        assert_eq!(
            h.effects.last(),
            Some(&Effect::Say(TabId(0), Say::Answer(QuestionId(1), answer)))
        );
    }
}

#[test]
fn esc_declines_an_approval_once_it_is_armed() {
    let events = session::question("approval").events;
    let (before, question) = events.split_at(events.len() - 1);
    let mut h = Harness::on(120, 40, before);
    h.feed(question).press("esc");
    assert!(
        h.effects.iter().all(|e| !matches!(e, Effect::Say(..))),
        "a key meant for something else declines nothing"
    );
    h.pass(ms(2_000)).sees("exactly collector.get_logs").press("esc");
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Say(
            TabId(0),
            Say::Answer(QuestionId(1), Answer::Decline)
        ))
    );
}

#[test]
fn always_shows_its_scope_and_is_withdrawn_by_a_key() {
    let mut s = session::question("approval");
    let mut h = Harness::on(120, 40, &s.events);
    let exact = "{\"device_name\":\"xrd-1\",\"keywords\":\"BGP\",\"minutes\":60}";
    h.press("w").sees("exactly these arguments").sees(exact);
    h.typed("oops")
        .press("ctrl-s")
        .sees("this does not cover the call");
    h.press("backspace backspace backspace backspace ctrl-s");
    let grant = Grant {
        tool: "collector.get_logs".into(),
        arguments: ArgumentScope::Exactly(exact.into()),
    };
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Say(
            TabId(0),
            Say::Answer(QuestionId(1), Answer::Always { grant })
        ))
    );
    h.press("W").sees("nothing is allowed always");
    let at = s.events.len();
    s.add(
        "question_answered",
        serde_json::json!({"question": 1, "by": "human", "answer": {"answer": "always", "grant":
            {"tool": "collector.get_logs", "arguments": {"are": "exactly", "text": exact}}}}),
    );
    h.feed(&s.events[at..]);
    h.press("T")
        .sees("allowed always  collector.get_logs with exactly");
    h.press("W")
        .sees("allowed for the rest of this session")
        .pass(ms(2_000))
        .press("W");
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Say(
            TabId(0),
            Say::Steer(Steering::Withdraw {
                question: QuestionId(1)
            })
        ))
    );
}

#[test]
fn a_script_is_shown_before_it_is_approved() {
    let mut s = session::executing();
    s.add(
        "plan_drafted",
        serde_json::json!({"draft": 2, "plan": {"objective": "o", "strategy": "conservative", "rationale": "r",
            "steps": [{"id": 0, "title": "Count", "instruction": "Count.", "kind": "code",
                "source": "down = call(\"gnmi.get_routing_info\")\nif down:\n    emit(down)\n",
                "scope": {"over": "targets"}, "provenance": [{"from": "reasoner"}]}]}}),
    );
    s.add(
        "question_asked",
        serde_json::json!({"question": {"id": 1, "kind": "plan_approval", "version": 2, "at": 0,
            "text": "Run plan v2 (1 steps, one a script)? o"}}),
    );
    let mut h = Harness::on(120, 40, &s.events);
    h.sees("script 1 down = call(\"gnmi.get_routing_info\")")
        .sees("    emit(down)");
}

#[test]
fn arguments_are_edited_as_json_and_checked() {
    let mut h = Harness::on(120, 40, &session::asking().events);
    h.press("e").sees("\"minutes\": 60");
    h.typed("oops").press("ctrl-s").sees("not JSON");
    for _ in 0..4 {
        h.press("backspace");
    }
    h.press("up end").typed(".5").press("ctrl-s");
    h.sees("the tool does not take this: /minutes");
    h.press("backspace backspace ctrl-s");
    match h.effects.last() {
        Some(Effect::Say(_, Say::Answer(_, Answer::EditArguments { arguments }))) => {
            assert_eq!(arguments["keywords"], "BGP");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pasted_result_is_kept_as_it_is() {
    let mut h = Harness::on(120, 40, &session::asking().events);
    h.send(Msg::Paste("RP/0/0: %BGP-5-ADJCHANGE\nsecond line".into()));
    h.sees("The result, as the device shows it").press("ctrl-s");
    let value = serde_json::json!("RP/0/0: %BGP-5-ADJCHANGE\nsecond line");
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Say(
            TabId(0),
            Say::Answer(QuestionId(1), Answer::Supply { value })
        ))
    );
}

#[test]
fn evidence_and_findings_lead_to_each_other() {
    let mut h = Harness::on(120, 40, &session::executing().events);
    h.press("3 g").press("/").typed("remote AS").press("enter enter");
    h.sees("E3 of").sees("\"remote_as\": 65001,").sees("◂ F2");
    h.press("b").sees("▲ remote AS 65001 is configured");
    h.press("enter c").sees("◂ F1");
}

#[test]
fn copies_are_clean() {
    let mut h = Harness::on(120, 40, &session::executing().events);
    h.press("3 g /").typed("is ACTIVE").press("enter y");
    let copied = Effect::Copy(
        "F1 critical: session to 100.100.100.107 is ACTIVE, group RR".into(),
        "the row".into(),
    );
    assert_eq!(h.effects.last(), Some(&copied), "no gutter, no wrap");
}

#[test]
fn ctrl_c_cancels_first_and_then_offers_to_quit() {
    let mut h = Harness::on(120, 40, &session::executing().events);
    h.press("ctrl-c");
    assert!(matches!(
        h.effects.last(),
        Some(Effect::Say(_, Say::Steer(Steering::Stop { .. })))
    ));
    h.press("ctrl-c")
        .sees("Sure?")
        .press("enter")
        .press("esc")
        .misses("Sure?");
    assert!(!h.effects.contains(&Effect::End(Ending::Quit)));
    h.pass(ms(5_000)).press("ctrl-q q");
    assert_eq!(h.effects.last(), Some(&Effect::End(Ending::Quit)));
}

#[test]
fn several_investigations_stand_side_by_side() {
    let mut h = Harness::on(120, 40, &session::executing().events);
    h.press("i").typed("How are my PEs?").press("alt-enter");
    assert!(
        matches!(h.effects.last(), Some(Effect::Open(TabId(1), _))),
        "{:?}",
        h.effects
    );
    h.sees("Check BGP neighbo…");
    let rest = session::asking().events[session::executing().events.len()..].to_vec();
    for event in rest {
        h.send(Msg::Feed(TabId(0), Feed::Event(Arc::new(event))));
    }
    h.sees("? 1");
    assert!(h.effects.contains(&Effect::Alert(
        Occasion::Question,
        "needs you: Check BGP neighbours on xrd-1".into()
    )));
    h.press("esc alt-left").sees("Needs you (1)");
}

#[test]
fn a_pinned_view_counts_what_is_new() {
    let mut h = Harness::on(80, 24, &session::planned().events);
    h.press("L g");
    let seen = session::planned().events.len();
    h.feed(&session::finished().events[seen..]);
    let new = session::finished().events.len() - seen;
    h.sees(&format!("{new} new ↓")).press("G").misses("new ↓");
}

#[test]
fn a_recording_plays_pauses_and_goes_back() {
    let mut h = Harness::new(120, 40);
    let events: Arc<[_]> = session::finished().events.into();
    h.app.tab_mut().opening = true;
    h.send(Msg::Loaded(TabId(0), Ok(events.clone())));
    h.wait_until("the question in the recording", |s| s.contains("Needs you (1)"));
    h.press("! s").sees("this is a recording");
    h.wait_until("the verdict", |s| s.contains("FAULT FOUND"));
    h.press("(")
        .misses("FAULT FOUND")
        .press("space")
        .press(")")
        .sees("FAULT FOUND")
        .sees("52/52");
    let now = h.app.clock.now;
    let tab = h.app.tab_mut();
    tab.player = Some(Player::new(events, 1.0, now));
    seek(tab, 10, now);
    assert_eq!(tab.story.state.seq, 10);
}

#[test]
fn sessions_can_be_filtered_resumed_and_deleted_with_care() {
    let row = |n: u32, query: &str, open: bool| SessionRow {
        id: SessionId(format!("S{n}")),
        name: None,
        query: query.into(),
        opened: Timestamp(session::START),
        found: if open {
            String::new()
        } else {
            "bgp_remote_as_wrong on session/xrd-1".into()
        },
        ended: if open {
            "can go on".into()
        } else {
            "reported".into()
        },
        open,
    };
    let mut h = Harness::new(120, 40);
    h.press("esc S");
    assert_eq!(h.effects.last(), Some(&Effect::ListSessions));
    h.send(Msg::Sessions(Ok(vec![
        row(1, "Check BGP", false),
        row(2, "Interfaces of xrd-2", true),
    ])));
    h.sees("2026-11-22 02:13")
        .press("/")
        .typed("interf")
        .press("enter")
        .misses("Check BGP");
    h.press("enter");
    assert!(
        matches!(h.effects.last(), Some(Effect::Resume(_, id)) if id.0 == "S2"),
        "{:?}",
        h.effects
    );
    h.press("S d").sees("cannot be undone").press("enter y esc");
    assert!(!h.effects.iter().any(|e| matches!(e, Effect::Delete(_))));
    h.press("d D");
    assert_eq!(h.effects.last(), Some(&Effect::Delete(SessionId("S2".into()))));
}

#[test]
fn an_idle_screen_asks_for_no_frame() {
    let mut h = Harness::on(120, 40, &session::finished().events);
    h.pass(ms(60_000));
    assert_eq!(h.app.next_wake(), None);
    let mut fresh = Harness::new(120, 40);
    fresh.pass(ms(60_000));
    assert_eq!(fresh.app.next_wake(), None);
    let mut waiting = Harness::on(120, 40, &session::asking().events);
    waiting.pass(ms(60_000));
    assert_eq!(
        waiting.app.next_wake(),
        None,
        "a question that waits moves nothing"
    );
}

#[test]
fn the_cursor_stands_where_the_next_letter_goes() {
    let mut h = Harness::new(120, 40);
    h.typed("光モ x");
    h.draw();
    let at = h.terminal.backend().cursor_position();
    assert_eq!((at.x, at.y), (3 + 6, 1));
}

#[test]
fn disabled_keys_say_why() {
    let mut h = Harness::on(120, 40, &session::executing().events);
    h.press("!")
        .sees("no question waits")
        .press("2 d")
        .sees("the plan has one version only");
    h.press("?").sees("(the plan has one version only)");
}

#[test]
fn the_set_up_asks_three_questions_and_writes_once() {
    let mut h = Harness::new(120, 40);
    h.press("esc :").typed("app.setup").press("enter").sees("1 of 3");
    h.typed("/etc/noctui/routers.json").press("enter").sees("2 of 3");
    h.press("m")
        .sees("Which model?")
        .typed("nonsense")
        .press("enter")
        .sees("an address with ://");
    for _ in 0.."nonsense".len() {
        h.press("backspace");
    }
    h.typed("http://127.0.0.1:8080/v1 qwen3 MY_KEY")
        .press("enter")
        .sees("3 of 3");
    let before = h.app.looks.theme.name().to_owned();
    h.press("down");
    assert_ne!(
        h.app.looks.theme.name(),
        before,
        "a theme is shown as one goes over it"
    );
    h.press("esc").sees("Which model?");
    assert_eq!(h.app.looks.theme.name(), before, "and taken back");
    h.press("enter").press("enter");
    let expected = Answers {
        inventory: "/etc/noctui/routers.json".into(),
        thinker: Thinker::Model {
            base_url: "http://127.0.0.1:8080/v1".into(),
            name: "qwen3".into(),
            key_env: "MY_KEY".into(),
        },
        theme: "dark".into(),
    };
    assert_eq!(h.effects.last(), Some(&Effect::Configure(expected)));
    h.press("enter enter");
    let written = h
        .effects
        .iter()
        .filter(|e| matches!(e, Effect::Configure(_)))
        .count();
    assert_eq!(written, 1, "while it writes, nothing is sent again");
    h.send(Msg::Configured(Err(
        "routers.json: no such file - name another".into()
    )));
    h.sees("1 of 3")
        .sees("no such file")
        .press("enter enter enter enter");
    h.send(Msg::Configured(Ok("wrote config.toml".into())));
    h.misses("of 3").sees("wrote config.toml");
}

#[test]
fn the_first_run_offers_the_demo_and_esc_just_opens() {
    let offered = || {
        let mut h = Harness::new(80, 24);
        h.app.query.focused = false;
        let setup = Setup::offered(&h.app, &Answers::default());
        h.app.layers.open(Dialog::Setup(Box::new(setup)));
        h
    };
    let ends = |keys: &str| {
        let mut h = offered();
        h.sees("Nothing is set up yet").press(keys);
        h.effects.pop()
    };
    assert_eq!(ends("d"), Some(Effect::End(Ending::Demo)));
    assert_eq!(ends("enter"), Some(Effect::End(Ending::Demo)));
    assert_eq!(ends("n"), Some(Effect::End(Ending::Open)));
    assert_eq!(ends("esc"), Some(Effect::End(Ending::Open)));
    assert_eq!(ends("ctrl-c"), Some(Effect::End(Ending::Quit)));
    let mut h = offered();
    h.press("s")
        .sees("1 of 3")
        .press("esc")
        .sees("Nothing is set up yet");
    h.press("s enter enter enter");
    h.send(Msg::Configured(Ok("wrote it".into())));
    assert_eq!(h.effects.last(), Some(&Effect::End(Ending::Open)));
}

#[test]
fn a_session_that_was_cut_short_goes_on_with_one_key_but_not_by_accident() {
    let mut h = Harness::new(120, 40);
    let row = &super::scenes::rows()[0];
    let now = h.app.clock.now;
    let offer = Dialog::Confirm(Confirm::resume(row, "2 min"));
    h.app.layers.interrupt(offer, now);
    h.sees("was cut short").press("r");
    assert!(
        !h.effects.iter().any(|e| matches!(e, Effect::Resume(..))),
        "the key was meant for something else"
    );
    h.pass(ms(500)).press("enter").press("r");
    assert_eq!(h.effects.last(), Some(&Effect::Resume(TabId(0), row.id.clone())));
}

#[test]
fn sessions_are_compared_by_what_they_found_and_did() {
    let mut h = Harness::new(150, 50);
    h.press("esc S");
    h.send(Msg::Sessions(Ok(super::scenes::rows())));
    h.press("c down c");
    let ids: Vec<SessionId> = super::scenes::rows().into_iter().map(|r| r.id).collect();
    assert_eq!(
        h.effects.last(),
        Some(&Effect::Compare(ids[0].clone(), ids[1].clone()))
    );
    let stories =
        |a: session::Session, b: session::Session| Box::new([Story::of(&a.events), Story::of(&b.events)]);
    h.send(Msg::Compared(Ok(stories(
        session::finished(),
        session::finished(),
    ))));
    h.sees("Both found the same.").press("esc");
    h.send(Msg::Compared(Ok(stories(session::finished(), session::asking()))));
    h.sees("Not both have a verdict.")
        .sees("left only")
        .sees("can go on");
    h.sees("get_logs").sees("1 failed");
}

#[test]
fn what_ended_quietly_folds_itself_and_unfolds_by_a_key() {
    let mut h = Harness::on(120, 40, &session::quiet_sweep().events);
    h.press("3").sees("▸ xrd-1").misses("get_interface_info");
    h.press("g")
        .press("/")
        .typed("xrd-1")
        .press("enter")
        .press("right");
    h.sees("▾ xrd-1").sees("get_interface_info");
    h.press("left").misses("get_interface_info");
}

#[test]
fn a_guide_leads_from_the_query_to_the_report() {
    let mut h = Harness::new(120, 40);
    h.app.setting.guided = true;
    h.sees("press Enter");
    h.typed("x").press("enter").sees("starts the tool servers");
    h.session(&session::planned().events).sees("critic objects");
    let all = session::finished().events;
    let (planned, executing, asking) = (
        session::planned().events.len(),
        session::executing().events.len(),
        session::asking().events.len(),
    );
    h.feed(&all[planned..executing]).sees("Read-only checks run");
    h.feed(&all[executing..asking])
        .sees("press s to go on without it");
    h.feed(&all[asking..]).sees("The verdict stands");
    h.press("9").sees("E exports it");
}

#[test]
fn the_mouse_is_released_and_taken_by_one_key_and_the_wheel_pins() {
    use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
    let mut h = Harness::on(80, 24, &session::finished().events);
    h.press("m").sees("mouse released");
    assert_eq!(h.effects.last(), Some(&Effect::Mouse(false)));
    h.press("m");
    assert_eq!(h.effects.last(), Some(&Effect::Mouse(true)));
    h.press("L").draw();
    let wheel = |kind| MouseEvent {
        kind,
        column: 20,
        row: 10,
        modifiers: KeyModifiers::NONE,
    };
    let before = h.screen();
    h.mouse(wheel(MouseEventKind::ScrollUp));
    assert_ne!(h.screen(), before, "the wheel scrolls");
    h.mouse(wheel(MouseEventKind::ScrollDown)).press("G");
    assert!(h.screen().contains("outcome") || h.screen().contains("ended"));
}

#[test]
fn files_are_looked_at_again_when_the_window_gets_the_focus() {
    let mut h = Harness::new(80, 24);
    h.send(Msg::WindowFocus(false)).send(Msg::WindowFocus(true));
    assert_eq!(h.effects.last(), Some(&Effect::Reload { if_changed: true }));
    h.press("f5");
    assert_eq!(h.effects.last(), Some(&Effect::Reload { if_changed: false }));
}
