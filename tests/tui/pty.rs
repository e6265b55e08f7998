//! The real program in a real pseudo-terminal: the demo to its verdict, signals, suspend and resume.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Everything takes long on a busy machine; nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(90);

struct Pty {
    parser: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    /// The line discipline before the program started, as the system describes it.
    line: String,
    home: Arc<tempfile::TempDir>,
}

fn some(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

impl Pty {
    /// Starts a command in a terminal of 120x40, with a home of its own.
    fn start(program: &str, arguments: &[&str]) -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().unwrap()), program, arguments, &[])
    }

    /// The same in a home that is there already.
    fn start_in(
        home: Arc<tempfile::TempDir>,
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let size = PtySize {
            rows: 40,
            cols: 120,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        for name in ["NO_COLOR", "TMUX", "EDITOR", "VISUAL", "NOCTUI_CONFIG"] {
            command.env_remove(name);
        }
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_CACHE_HOME",
        ] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars() {
            if name.starts_with("NOCTUI_") || name == "NETWORK_INVENTORY" {
                command.env_remove(name);
            }
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.cwd(home.path());
        let line = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(some(40), some(120), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (seen, bytes) = (parser.clone(), raw.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 {
                    break;
                }
                seen.lock().unwrap().process(&buffer[..n]);
                bytes.lock().unwrap().extend_from_slice(&buffer[..n]);
            }
        });
        Self {
            parser,
            raw,
            writer,
            child,
            master: pair.master,
            line,
            home,
        }
    }

    fn demo() -> Self {
        Self::start(env!("CARGO_BIN_EXE_noctui"), &["demo"])
    }

    fn screen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn wait(&self, what: &str, seen: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !seen(self) {
            assert!(
                start.elapsed() < PATIENCE,
                "never seen: {what}\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn sees(&self, text: &str) {
        self.wait(text, |p| p.screen().contains(text));
    }

    /// With `NOCTUI_SCREENS=folder` keeps a picture of the screen; this is how `docs/screens` is made.
    fn picture(&self, name: &str) {
        let Ok(folder) = std::env::var("NOCTUI_SCREENS") else {
            return;
        };
        std::thread::sleep(Duration::from_millis(300));
        let parser = self.parser.lock().unwrap();
        std::fs::write(format!("{folder}/{name}.svg"), super::svg::of(parser.screen())).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.process_id().unwrap()).unwrap()).unwrap()
    }

    fn alternate(&self) -> bool {
        self.parser.lock().unwrap().screen().alternate_screen()
    }

    /// Waits for the end and for the last bytes.
    fn ended(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.wait("the end of the alternate screen", |p| !p.alternate());
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "it does not end\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The terminal is as it was: every mode that was switched on is off.
    fn is_restored(&self) {
        let raw = String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned();
        for mode in ["1049", "2004", "1004", "1000", "1006", "2026", "25"] {
            let (on, off) = (format!("\x1b[?{mode}h"), format!("\x1b[?{mode}l"));
            let (last_on, last_off) = (raw.rfind(&on), raw.rfind(&off));
            let restored = if mode == "25" {
                last_on > last_off
            } else {
                last_off > last_on
            };
            assert!(restored, "mode {mode} is left as {last_on:?}/{last_off:?}");
        }
        let parser = self.parser.lock().unwrap();
        assert!(!parser.screen().hide_cursor() && !parser.screen().bracketed_paste());
        drop(parser);
        // The modes are left before the line discipline is given back.
        self.wait("the line discipline as it was", |p| {
            format!("{:?}", p.master.get_termios()) == p.line
        });
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // It has ended already in every test that passes.
        let _ = self.child.kill();
    }
}

#[test]
fn the_demo_reaches_its_verdict_by_keys() {
    let mut pty = Pty::demo();
    pty.sees("What hurts?");
    pty.send("\r");
    let start = Instant::now();
    while !pty.screen().contains("FAULT FOUND") {
        assert!(start.elapsed() < PATIENCE, "no verdict\n{}", pty.screen());
        // Longer than a prompt needs to arm.
        std::thread::sleep(Duration::from_millis(500));
        if pty.screen().contains("Needs you") {
            pty.picture("question");
            pty.send("s");
        }
    }
    pty.sees("CONFIRMED");
    pty.wait("the end of the session", |p| p.screen().contains("ended"));
    pty.picture("verdict");
    for (key, seen, name) in [
        ("6", "xrd-1", "map"),
        ("7", "asked about", "timeline"),
        ("9", "rt_export_mismatch", "report"),
        ("5", "Evidence E", "evidence"),
    ] {
        pty.send(key);
        pty.sees(seen);
        pty.picture(name);
    }
    pty.send("q");
    assert_eq!(pty.ended(), 0);
    pty.is_restored();
}

#[test]
fn signals_give_the_terminal_back() {
    for (signal, code) in [(Signal::HUP, 129), (Signal::TERM, 143)] {
        let mut pty = Pty::demo();
        pty.sees("What hurts?");
        kill_process(pty.pid(), signal).unwrap();
        assert_eq!(pty.ended(), code, "{signal:?}");
        pty.is_restored();
    }
}

#[test]
fn it_suspends_to_the_shell_and_comes_back() {
    let command = format!("{} demo; echo the shell goes on", env!("CARGO_BIN_EXE_noctui"));
    let mut pty = Pty::start("sh", &["-c", &command]);
    pty.sees("What hurts?");
    pty.send("\x1a");
    pty.wait("the normal screen", |p| !p.alternate());
    pty.is_restored();
    // Stopped: what is typed now has no effect until it goes on.
    kill_process_group(pty.pid(), Signal::CONT).unwrap();
    pty.wait("the alternate screen again", Pty::alternate);
    pty.sees("What hurts?");
    pty.send("\x1b");
    pty.sees("zoom");
    pty.send("q");
    pty.sees("the shell goes on");
    pty.is_restored();
}

#[test]
fn a_killed_session_is_offered_again_and_keeps_its_answers() {
    let mut pty = Pty::demo();
    pty.sees("What hurts?");
    pty.send("\r");
    pty.sees("Needs you (1)");
    // Longer than a prompt needs to arm.
    std::thread::sleep(Duration::from_millis(700));
    pty.send("s");
    pty.wait("the answer taken", |p| !p.screen().contains("Needs you"));
    kill_process(pty.pid(), Signal::KILL).unwrap();
    pty.child.wait().unwrap();
    let mut again = Pty::start_in(pty.home.clone(), env!("CARGO_BIN_EXE_noctui"), &[], &[]);
    again.sees("was cut short");
    std::thread::sleep(Duration::from_millis(700));
    again.send("r");
    // The status bar says whose network it goes on in: the lab of the killed process, not this one's.
    again.sees("lab S J02");
    let start = Instant::now();
    while !again.screen().contains("FAULT FOUND") {
        let screen = again.screen();
        assert!(start.elapsed() < PATIENCE, "no verdict\n{screen}");
        assert!(
            !screen.contains(" Q1 "),
            "the answered question is asked again\n{screen}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    again.wait("the end of the session", |p| p.screen().contains("ended"));
    again.send("q");
    assert_eq!(again.ended(), 0);
    again.is_restored();
}

#[test]
fn the_first_run_sets_up_and_goes_on() {
    let mut pty = Pty::start(env!("CARGO_BIN_EXE_noctui"), &[]);
    pty.sees("Nothing is set up yet");
    pty.send("s");
    pty.sees("1 of 3");
    pty.send("\r");
    pty.sees("2 of 3");
    pty.send("r");
    pty.sees("3 of 3");
    pty.send("\x1b[B\r");
    pty.sees("What hurts?");
    let file = pty.home.path().join(".config/noctui/config.toml");
    let written = std::fs::read_to_string(file).unwrap();
    assert!(
        written.contains("\nkind = \"rules\"\n") && written.contains("\ntheme = \""),
        "{written}"
    );
    assert!(written.contains("#max_loops = 3"), "commented, to go on from");
    pty.send("\x1b");
    pty.sees("zoom");
    pty.send("q");
    assert_eq!(pty.ended(), 0);
    pty.is_restored();
}

/// What a panic on the screen's own thread leaves behind. The child is this test binary running
/// [`panicking_child`]: the real event loop on the real terminal, and a voice that panics when it is let go.
#[test]
fn a_panic_gives_the_terminal_back() {
    let own = std::env::current_exe().unwrap();
    let arguments = [
        "--exact",
        "pty::panicking_child",
        "--nocapture",
        "--test-threads=1",
    ];
    let home = Arc::new(tempfile::tempdir().unwrap());
    let mut pty = Pty::start_in(
        home,
        own.to_str().unwrap(),
        &arguments,
        &[("TUI_PANICS", "1"), ("RUST_BACKTRACE", "0")],
    );
    pty.wait("the screen", Pty::alternate);
    pty.sees("Overview");
    // Closing the tab lets go of the voice on the thread that owns the screen.
    pty.send("\x1bw");
    assert_ne!(pty.ended(), 0);
    pty.is_restored();
    pty.sees("let go on the screen's thread");
}

#[test]
fn panicking_child() {
    if std::env::var_os("TUI_PANICS").is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let query = noctui::agent::model::Query {
        text: "anything".into(),
        devices: Vec::new(),
        runbook: None,
    };
    let options = noctui::tui::Options {
        start: noctui::tui::Start::Ask(query),
        ..noctui::tui::Options::default()
    };
    runtime
        .block_on(noctui::tui::run(Arc::new(panicking::Desk), options))
        .unwrap();
}

/// A desk whose sessions say nothing, and whose voice panics when it is dropped.
mod panicking {
    use std::sync::Arc;

    use async_trait::async_trait;
    use noctui::agent::event::Recorded;
    use noctui::agent::model::{Query, SessionId};
    use noctui::tui::source::{Answers, ExportFormat, Feed, Opened, Say, SessionRow, Source, Voice};

    pub struct Desk;
    struct Silent;
    struct Fragile;

    impl Drop for Fragile {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("let go on the screen's thread");
            }
        }
    }

    #[async_trait]
    impl Voice for Fragile {
        async fn say(&self, _: Say) -> Result<(), String> {
            Ok(())
        }
    }

    #[async_trait]
    impl Source for Silent {
        async fn next(&mut self) -> Feed {
            std::future::pending().await
        }
        fn voice(&self) -> Arc<dyn Voice> {
            Arc::new(Fragile)
        }
    }

    #[async_trait]
    impl noctui::tui::source::Desk for Desk {
        async fn open(&self, _: Query) -> Result<Opened, String> {
            Ok(Opened {
                id: SessionId("S1".into()),
                source: Box::new(Silent),
                servers: None,
            })
        }
        async fn sessions(&self) -> Result<Vec<SessionRow>, String> {
            Ok(Vec::new())
        }
        async fn resume(&self, _: &SessionId) -> Result<Opened, String> {
            Err("no".into())
        }
        async fn recording(&self, _: &SessionId) -> Result<Vec<Recorded>, String> {
            Err("no".into())
        }
        async fn rename(&self, _: &SessionId, _: &str) -> Result<(), String> {
            Err("no".into())
        }
        async fn delete(&self, _: &SessionId) -> Result<(), String> {
            Err("no".into())
        }
        async fn export(&self, _: &SessionId, _: ExportFormat) -> Result<String, String> {
            Err("no".into())
        }
        async fn configure(&self, _: Answers) -> Result<String, String> {
            Err("no".into())
        }
    }
}
