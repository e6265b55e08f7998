//! A guard against frames that grow with the session. The real figures come from `benches/tui.rs`; the
//! bounds here are those of a debug build on a busy machine.

use std::time::{Duration, Instant};

use super::harness::Harness;
use super::large;

#[test]
fn a_frame_does_not_grow_with_the_session() {
    let events = large::session(500, 20_000);
    let mut h = Harness::new(200, 60);
    h.session(&events[..events.len() - 400]);
    let mut times = Vec::new();
    for batch in events[events.len() - 400..].chunks(8) {
        h.feed(batch);
        let start = Instant::now();
        h.draw();
        times.push(start.elapsed());
    }
    times.sort();
    let median = times[times.len() / 2];
    assert!(
        median < Duration::from_millis(400),
        "a frame after 20,000 events takes {median:?}"
    );
    for key in ["3", "4", "L"] {
        h.press(key).draw();
        let start = Instant::now();
        h.draw();
        assert!(
            start.elapsed() < Duration::from_millis(400),
            "page {key} takes {:?}",
            start.elapsed()
        );
    }
}
