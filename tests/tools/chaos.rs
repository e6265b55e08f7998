//! Six servers, five of them bad, five hundred calls at once: the good one must not notice.
//!
//! The storm has a process to itself. With `NOCTUI_WRITE_FIGURES` set the figures are written to `docs/reliability.md`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use noctui::agent::model::ErrorKind;
use noctui::tools::guard::{BreakerOptions, RateOptions};
use noctui::tools::performance::{CallRecord, summarise};
use noctui::tools::{GuardOptions, McpToolbox, ToolboxOptions};
use serde_json::json;

use crate::bench::{call, hub, run, spec, wait_until};

const MODES: [&str; 6] = ["good", "hangs", "crashes", "floods", "lies", "changes"];
const CALLS: usize = 500;
/// Timeout of a call; every call of the good server must be answered within it.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The flood is 100 MB; memory may grow by far less.
const MOST_GROWTH_KB: u64 = 60_000;

fn options() -> GuardOptions {
    GuardOptions {
        call_timeout: TIMEOUT,
        breaker: BreakerOptions {
            failures: 5,
            cooldown: Duration::from_secs(1),
        },
        rates: RateOptions {
            tool_per_minute: 0,
            server_per_minute: 0,
            device_per_minute: 0,
            global_per_minute: 0,
            max_in_flight: 32,
            ..RateOptions::default()
        },
        ..GuardOptions::default()
    }
}

/// Resident memory of this process, kB.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok())
        .unwrap_or(0)
}

/// Samples memory until told to stop.
struct Watch {
    peak: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Watch {
    fn start() -> Self {
        let watch = Self {
            peak: Arc::default(),
            stop: Arc::default(),
        };
        let (peak, stop) = (Arc::clone(&watch.peak), Arc::clone(&watch.stop));
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                peak.fetch_max(resident_kb(), Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        watch
    }

    fn finish(self) -> u64 {
        self.stop.store(true, Ordering::SeqCst);
        self.peak.load(Ordering::SeqCst)
    }
}

/// What a storm of calls brought.
struct Storm {
    records: BTreeMap<&'static str, Vec<CallRecord>>,
    seconds: f64,
    growth_kb: u64,
}

async fn storm(toolbox: &Arc<McpToolbox>) -> Storm {
    let before = resident_kb();
    let watch = Watch::start();
    let started = Instant::now();
    let calls: Vec<_> = (0..CALLS)
        .map(|n| {
            let toolbox = Arc::clone(toolbox);
            let mode = MODES[n % MODES.len()];
            tokio::spawn(async move {
                let asked = Instant::now();
                let outcome = run(&toolbox, &call(&format!("{mode}.get_echo"), json!({"n": n}))).await;
                let record = CallRecord {
                    tool: mode.to_owned(),
                    latency_ms: u64::try_from(asked.elapsed().as_millis()).unwrap(),
                    error: outcome.failure.map(|failure| failure.kind),
                    cached: outcome.cached,
                };
                (mode, record)
            })
        })
        .collect();
    let mut records: BTreeMap<&str, Vec<CallRecord>> = BTreeMap::new();
    for task in calls {
        let (mode, record) = task.await.unwrap();
        records.entry(mode).or_default().push(record);
    }
    let seconds = started.elapsed().as_secs_f64();
    Storm {
        records,
        seconds,
        growth_kb: watch.finish().saturating_sub(before),
    }
}

/// Set in the process that has the storm to itself: memory is measured for a whole process, and the other tests
/// of this binary use some too.
const ALONE: &str = "NOCTUI_CHAOS_ALONE";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_good_server_among_five_bad_ones_answers_every_call() {
    if std::env::var_os(ALONE).is_some() {
        return weather_the_storm().await;
    }
    let name = "chaos::one_good_server_among_five_bad_ones_answers_every_call";
    let output = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .await
        .unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

async fn weather_the_storm() {
    let metrics = tokio::runtime::Handle::current().metrics();
    let tasks_before = metrics.num_alive_tasks();
    let hub = hub(MODES.map(|mode| spec(mode, mode)).to_vec()).await;
    let toolbox = Arc::new(McpToolbox::new(
        Arc::clone(&hub),
        ToolboxOptions {
            guard: options(),
            ..ToolboxOptions::default()
        },
    ));
    let storm = storm(&toolbox).await;
    let figures = |mode: &str| summarise(&storm.records[mode]).remove(0);

    let good = figures("good");
    assert!((good.success_rate - 1.0).abs() < 1e-9, "{good:?}");
    let slowest = storm.records["good"]
        .iter()
        .map(|record| record.latency_ms)
        .max()
        .unwrap();
    assert!(
        u128::from(slowest) <= TIMEOUT.as_millis(),
        "the slowest good call took {slowest} ms"
    );

    let hangs = figures("hangs");
    assert!(
        hangs.success_rate.abs() < 1e-9 && hangs.errors.contains_key(&ErrorKind::Timeout),
        "{hangs:?}"
    );
    assert!(
        hangs.errors.contains_key(&ErrorKind::CircuitOpen),
        "the circuit opened: {hangs:?}"
    );
    let crashes = figures("crashes");
    assert!(
        crashes.errors.contains_key(&ErrorKind::ServiceUnavailable),
        "{crashes:?}"
    );
    assert!(
        crashes.success_rate > 0.0,
        "it answers between its crashes: {crashes:?}"
    );
    assert!(
        hub.statuses()
            .iter()
            .any(|status| status.name == "crashes" && status.restarts > 0)
    );
    for mode in ["lies", "changes"] {
        let row = figures(mode);
        // Calls of a tool that the changed list no longer has would be refused; this one stays.
        assert!((row.success_rate - 1.0).abs() < 1e-9, "{row:?}");
    }
    assert!(figures("floods").success_rate > 0.5, "{:?}", figures("floods"));
    assert!(
        storm.growth_kb < MOST_GROWTH_KB,
        "memory grew by {} kB",
        storm.growth_kb
    );

    hub.close().await;
    assert_eq!(hub.tasks(), 0);
    drop(toolbox);
    wait_until("every task is gone", || metrics.num_alive_tasks() <= tasks_before).await;
    report(&storm);
}

fn report(storm: &Storm) {
    let mut text = format!(
        "Six servers, {CALLS} calls started at once, timeout {} s, 32 places, circuit of 5 failures and 1 s. \
         The whole took {:.1} s; memory grew by {} MB at most while one server wrote 100 MB into its answer.\n\n\
         | server | calls | answered | p50 ms | p95 ms | failures |\n|---|---:|---:|---:|---:|---|\n",
        TIMEOUT.as_secs(),
        storm.seconds,
        storm.growth_kb / 1000,
    );
    for mode in MODES {
        let row = summarise(&storm.records[mode]).remove(0);
        let failures: Vec<String> = row
            .errors
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let answered = (row.success_rate * row.invocations as f64).round();
        text.push_str(&format!(
            "| {mode} | {} | {answered} | {} | {} | {} |\n",
            row.invocations,
            row.p50_ms.unwrap_or(0),
            row.p95_ms.unwrap_or(0),
            if failures.is_empty() {
                "none".to_owned()
            } else {
                failures.join(", ")
            },
        ));
    }
    println!("{text}");
    if std::env::var_os("NOCTUI_WRITE_FIGURES").is_some() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md");
        let page = std::fs::read_to_string(&file).unwrap();
        let (head, rest) = page.split_once("<!-- chaos -->\n").unwrap();
        let (_, tail) = rest.split_once("<!-- /chaos -->").unwrap();
        std::fs::write(
            &file,
            format!("{head}<!-- chaos -->\n{text}<!-- /chaos -->{tail}"),
        )
        .unwrap();
    }
}
