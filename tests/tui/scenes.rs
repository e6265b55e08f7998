//! Every pane, every dialog and every moment of a session as a scene: what is set up and pressed before the
//! picture is taken.

use noctui::agent::model::{SessionId, Timestamp};
use noctui::tui::app::{Msg, Player};
use noctui::tui::dialogs::{Confirm, Dialog, Setup};
use noctui::tui::source::{Answers, ServerHealth, ServerRow, SessionRow};
use noctui::tui::story::Story;

use super::harness::Harness;
use super::session;

/// A scene: its name and how a fresh screen becomes it.
pub type Scene = (&'static str, fn(&mut Harness));

fn finished(h: &mut Harness) {
    h.session(&session::finished().events);
}

fn asking(h: &mut Harness) {
    h.session(&session::asking().events);
}

macro_rules! pressed {
    ($on:expr, $keys:literal) => {
        |h| {
            $on(h);
            h.press($keys);
        }
    };
}

macro_rules! question {
    ($kind:literal) => {
        |h| {
            h.session(&session::question($kind).events);
        }
    };
}

macro_rules! setup {
    ($how:ident, $keys:literal) => {
        |h| {
            h.app.query.focused = false;
            let setup = Setup::$how(&h.app, &Answers::default());
            h.app.layers.open(Dialog::Setup(Box::new(setup)));
            h.press($keys);
        }
    };
}

/// Sessions for the browser.
pub fn rows() -> Vec<SessionRow> {
    let row = |n: u32, name: Option<&str>, query: &str, found: &str, ended: &str| SessionRow {
        id: SessionId(format!("20261122-0213{n:02}-abcd")),
        name: name.map(str::to_owned),
        query: query.into(),
        opened: Timestamp(session::START + i64::from(n) * 60_000),
        found: found.into(),
        ended: ended.into(),
        open: ended == "can go on",
    };
    let wrong = "CONFIRMED: bgp_remote_as_wrong on session/xrd-1/100.100.100.107";
    vec![
        row(3, None, "Interfaces of xrd-2", "", "can go on"),
        row(
            2,
            Some("the night of the RR"),
            "Check BGP neighbours on xrd-1",
            wrong,
            "reported",
        ),
        row(
            1,
            None,
            "How are my PEs?",
            "HEALTHY: nothing out of order",
            "reported",
        ),
    ]
}

fn browsing(h: &mut Harness) {
    h.press("esc S");
    h.send(Msg::Sessions(Ok(rows())));
}

fn comparing(h: &mut Harness) {
    browsing(h);
    let pair = [
        Story::of(&session::finished().events),
        Story::of(&session::asking().events),
    ];
    h.send(Msg::Compared(Ok(Box::new(pair))));
}

fn replaying(h: &mut Harness) {
    let events: std::sync::Arc<[_]> = session::finished().events.into();
    h.app.query.focused = false;
    let now = h.app.clock.now;
    let tab = h.app.tab_mut();
    tab.player = Some(Player::new(events, 4.0, now));
    noctui::tui::app::seek(tab, 30, now);
}

fn servers(h: &mut Harness) {
    finished(h);
    let row = |name: &str, health, tools, line: Option<&str>| ServerRow {
        name: name.into(),
        health,
        tools,
        last_line: line.map(str::to_owned),
    };
    let rows = vec![
        row("gnmi", ServerHealth::Ready, 4, None),
        row("netbox", ServerHealth::Starting, 0, None),
        row(
            "syslog",
            ServerHealth::Failed,
            0,
            Some("connection refused: 127.0.0.1:9000"),
        ),
        row("old", ServerHealth::Disabled, 0, None),
    ];
    let id = h.app.tab().id;
    h.send(Msg::Feed(id, noctui::tui::source::Feed::Servers(rows)));
    h.press("T");
}

/// All of them.
pub const SCENES: &[Scene] = &[
    ("welcome", |_| {}),
    ("welcome-guided", |h| h.app.setting.guided = true),
    ("completing", |h| {
        h.typed("check_").press("tab");
    }),
    ("planned", |h| {
        h.session(&session::planned().events);
    }),
    ("executing", |h| {
        h.session(&session::executing().events);
    }),
    ("asking", asking),
    ("finished", finished),
    ("guided-asking", |h| {
        h.app.setting.guided = true;
        asking(h);
    }),
    ("guided-finished", |h| {
        h.app.setting.guided = true;
        finished(h);
    }),
    ("replay", replaying),
    ("plan", pressed!(finished, "2")),
    ("plan-diff", pressed!(finished, "2 d")),
    ("steps", pressed!(finished, "3")),
    ("devices", pressed!(finished, "4")),
    ("devices-grid", pressed!(finished, "4 v")),
    ("evidence", pressed!(finished, "5")),
    ("map", pressed!(finished, "6")),
    ("timeline", pressed!(finished, "7")),
    ("verdict", pressed!(finished, "8")),
    ("report", pressed!(finished, "9")),
    ("loops", pressed!(finished, "0")),
    ("tools", servers),
    ("sessions", browsing),
    ("log", pressed!(finished, "L")),
    ("question-clarification", question!("clarification")),
    ("question-approval", question!("approval")),
    ("question-step_failure", question!("step_failure")),
    ("question-plan_approval", question!("plan_approval")),
    ("question-elicitation", question!("elicitation")),
    ("question-known_answer", question!("known_answer")),
    ("question-details", pressed!(asking, "enter")),
    ("edit-arguments", pressed!(asking, "e")),
    ("answer-in-words", |h| {
        h.session(&session::question("elicitation").events);
        h.press("a");
    }),
    ("help", pressed!(finished, "?")),
    ("palette", |h| {
        finished(h);
        h.press(":").typed("evid");
    }),
    ("find", |h| {
        finished(h);
        h.press("3 /").typed("remote");
    }),
    ("export", pressed!(finished, "E")),
    ("quit", pressed!(asking, "q")),
    ("resume", |h| {
        let offer = Confirm::resume(&rows()[0], "2 min");
        let now = h.app.clock.now;
        h.app.layers.interrupt(Dialog::Confirm(offer), now);
    }),
    ("rename", pressed!(browsing, "r")),
    ("delete", pressed!(browsing, "d")),
    ("compare", comparing),
    ("setup-offer", setup!(offered, "")),
    ("setup-inventory", setup!(asked, "")),
    ("setup-thinker", setup!(asked, "enter")),
    ("setup-model", setup!(asked, "enter m")),
    ("setup-theme", setup!(asked, "enter r")),
];
