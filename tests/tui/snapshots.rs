//! Pictures of the screen.

use super::harness::{Harness, ansi};
use super::session;

#[test]
fn dump() {
    let Ok(folder) = std::env::var("NOCTUI_PICTURES") else {
        return;
    };
    let save = |name: &str, h: &mut Harness| {
        std::fs::write(format!("{folder}/{name}.ansi"), ansi(h.draw())).unwrap()
    };
    save("welcome", &mut Harness::new(120, 40));
    save(
        "executing",
        &mut Harness::on(120, 40, &session::executing().events),
    );
    save("asking", &mut Harness::on(120, 40, &session::asking().events));
    save("finished", &mut Harness::on(120, 40, &session::finished().events));
    let mut h = Harness::on(120, 40, &session::finished().events);
    for (key, name) in [
        ("2", "plan"),
        ("d", "plan-diff"),
        ("5", "evidence"),
        ("6", "map"),
        ("7", "timeline"),
        ("8", "verdict"),
        ("9", "report"),
        ("0", "loops"),
        ("T", "tools"),
        ("L", "log"),
        ("?", "help"),
    ] {
        h.press(key);
        save(name, &mut h);
    }
    h.press("esc :").typed("evid");
    save("palette", &mut h);
    save("narrow", &mut Harness::on(80, 24, &session::asking().events));
    save("tiny", &mut Harness::on(40, 10, &session::asking().events));
    save("wide", &mut Harness::on(200, 60, &session::finished().events));
}
