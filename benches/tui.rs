//! The screen under load: 200x60, 500 devices, 100,000 events. `cargo bench --bench tui`
//!
//! Criterion gives the usual times; the figures at the end (p50, p99, memory) are printed as a table for
//! `docs/performance.md`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark reports on stdout and may panic"
)]

#[path = "../tests/tui/large.rs"]
mod large;
#[path = "../tests/tui/session.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod session;

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use noctui::agent::event::{Event, Recorded};
use noctui::agent::model::{Outcome, SessionId, Timestamp};
use noctui::tui::app::{App, Clock, Looks, Msg, Setting, TabId, update};
use noctui::tui::keymap::Keymap;
use noctui::tui::source::Feed;
use noctui::tui::story::Story;
use noctui::tui::terminal::ColorDepth;
use noctui::tui::theme::ThemeSet;
use noctui::tui::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const DEVICES: u32 = 500;
const EVENTS: usize = 100_000;

fn empty() -> App {
    let themes = ThemeSet::built_in().unwrap();
    let theme = themes.get("dark").unwrap().at_depth(ColorDepth::True);
    let looks = Looks {
        theme,
        themes,
        depth: ColorDepth::True,
        keymap: Keymap::shipped().unwrap(),
        motion: true,
    };
    let now = tokio::time::Instant::now();
    let clock = Clock {
        now,
        wall: Timestamp(session::START),
        start: now,
    };
    App::new(looks, Setting::default(), Vec::new(), clock)
}

fn loaded(events: &[Recorded]) -> App {
    let mut app = empty();
    app.query.focused = false;
    update(&mut app, Msg::Opened(TabId(0), Ok(SessionId("S1".into()))));
    for event in events {
        update(
            &mut app,
            Msg::Feed(TabId(0), Feed::Event(Arc::new(event.clone()))),
        );
    }
    app
}

fn press(app: &mut App, keys: &str) {
    for key in keys.split_whitespace() {
        update(app, Msg::Key(key.parse().unwrap()));
    }
}

fn screen() -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(200, 60)).unwrap()
}

fn frames(c: &mut Criterion) {
    let events = large::session(DEVICES, EVENTS);
    let mut app = loaded(&events);
    let mut terminal = screen();
    let mut group = c.benchmark_group("frame 200x60, 100,000 events, 500 devices");
    for (name, keys) in [
        ("overview", "1"),
        ("steps", "3"),
        ("device grid", "4 v"),
        ("evidence", "5"),
        ("log", "L"),
    ] {
        press(&mut app, keys);
        group.bench_function(name, |b| {
            b.iter(|| terminal.draw(|f| view::draw(&mut app, f)).unwrap().count)
        });
    }
    group.finish();
    c.bench_function("first frame", |b| {
        b.iter(|| {
            let mut app = empty();
            screen().draw(|f| view::draw(&mut app, f)).unwrap().count
        });
    });
    let (before, last) = events.split_at(events.len() - 1);
    let story = Story::of(before);
    c.bench_function("take in one event after 100,000", |b| {
        b.iter_batched_ref(
            || story.clone(),
            |s| s.apply(&last[0]),
            criterion::BatchSize::LargeInput,
        );
    });
}

/// Frames that an ended session on the screen asks for in a minute in which nothing happens.
fn idle_draws(app: &mut App) -> u32 {
    let start = app.clock.now;
    let mut frames = 0;
    while let Some(at) = app.next_wake().filter(|at| *at < start + Duration::from_secs(60)) {
        app.clock.now = at;
        update(app, Msg::Wake);
        frames += 1;
    }
    frames
}

/// From nothing to the first frame: themes and keys read, the model made, everything drawn.
fn first_frame() -> Duration {
    let start = Instant::now();
    let mut app = empty();
    screen().draw(|f| view::draw(&mut app, f)).unwrap();
    start.elapsed()
}

/// Resident memory in MB, where the system tells.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Streams the second half of a session at 5,000 events a second of session time, a frame each 33 ms.
fn figures() {
    let first = first_frame();
    let before = memory();
    let events = large::session(DEVICES, EVENTS);
    let recorded = memory();
    let mut app = loaded(&events[..EVENTS / 2]);
    let mut terminal = screen();
    let mut times: Vec<Duration> = Vec::new();
    let mut busy = Duration::ZERO;
    let batches: Vec<&[Recorded]> = events[EVENTS / 2..].chunks(165).collect();
    let seconds = batches.len() as f64 / 30.0;
    for batch in batches {
        let start = Instant::now();
        for event in batch {
            update(
                &mut app,
                Msg::Feed(TabId(0), Feed::Event(Arc::new(event.clone()))),
            );
        }
        let drawn = Instant::now();
        terminal.draw(|f| view::draw(&mut app, f)).unwrap();
        times.push(drawn.elapsed());
        busy += start.elapsed();
    }
    times.sort();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    // A remark at the bottom goes after a few seconds; that is a frame too, so the minute begins after it.
    let last = &events[events.len() - 1];
    let end = Recorded {
        seq: last.seq + 1,
        at: last.at,
        event: Event::SessionEnded {
            outcome: Outcome::Reported,
        },
    };
    update(&mut app, Msg::Feed(TabId(0), Feed::Event(Arc::new(end))));
    app.clock.now += Duration::from_secs(10);
    update(&mut app, Msg::Wake);
    let idle = idle_draws(&mut app);
    println!("| figure | value |\n|---|---|");
    println!(
        "| first frame after the start | {:.1} ms |",
        first.as_secs_f64() * 1e3
    );
    println!("| draws in an idle minute | {idle} |");
    println!("| frame while streaming, p50 | {:.2} ms |", at(50));
    println!("| frame while streaming, p99 | {:.2} ms |", at(99));
    println!(
        "| CPU at 5,000 events a second | {:.0} % |",
        100.0 * busy.as_secs_f64() / seconds
    );
    if let (Some(before), Some(recorded), Some(now)) = (before, recorded, memory()) {
        println!(
            "| memory of the screen after 100,000 events | {:.0} MB |",
            now - recorded
        );
        println!("| the recording itself | {:.0} MB |", recorded - before);
    }
}

criterion_group!(benches, frames);

fn main() {
    figures();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
