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
    _master: Box<dyn MasterPty + Send>,
    _home: tempfile::TempDir,
}

fn some(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

impl Pty {
    /// Starts a command in a terminal of 120x40, with a home of its own.
    fn start(program: &str, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
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
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.cwd(home.path());
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
            _master: pair.master,
            _home: home,
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
    for signal in [Signal::HUP, Signal::TERM] {
        let mut pty = Pty::demo();
        pty.sees("What hurts?");
        kill_process(pty.pid(), signal).unwrap();
        assert_ne!(pty.ended(), 0, "{signal:?}");
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
