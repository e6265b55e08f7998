//! The command line as a stranger meets it: the real binary, its exit codes, its two-line errors, and every
//! command that the README shows.
//!
//! Each run has a home of its own, so nothing of the machine is read or written.

#![allow(clippy::unwrap_used, reason = "a test may: the panic is the message")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home and a working folder for the binary.
struct Home(TempDir);

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path().join("work")).unwrap();
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noctui"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("NOCTUI_") {
                command.env_remove(name);
            }
        }
        command
            .env("NOCTUI_HOME", self.path())
            .env("RUST_BACKTRACE", "1")
            .current_dir(self.path().join("work"));
        command.stdin(Stdio::null()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// Runs and demands a failure of this code, in two lines that hold these words.
    fn fails(&self, args: &[&str], code: i32, what: &str, next: &str) {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
        let lines: Vec<&str> = ran.err.lines().collect();
        assert_eq!(lines.len(), 2, "{args:?}: {}", ran.err);
        assert!(
            lines[0].starts_with("noctui: ") && lines[0].contains(what),
            "{args:?}: {}",
            lines[0]
        );
        assert!(
            lines[1].starts_with("  next: ") && lines[1].contains(next),
            "{args:?}: {}",
            lines[1]
        );
    }
}

fn ran(output: Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

#[test]
fn broken_settings_are_two_lines_and_exit_code_2() {
    let home = Home::new();
    home.write("config/config.toml", "[agent]\nmax_lops = 3\n");
    home.fails(
        &["config", "show"],
        2,
        "config.toml: unknown key \"agent.max_lops\"",
        "\"agent.max_loops\"",
    );
    home.write("config/config.toml", "[agent]\nmax_loops = 99\n");
    home.fails(
        &["config", "show"],
        2,
        "expected an integer from 1 to 10, found 99",
        "config show agent.max_loops",
    );
    home.write("config/config.toml", "[agent\n");
    home.fails(&["config", "show"], 2, "config.toml: line 1", "correct that line");
    // The way to the broken file stays open.
    assert!(home.run(&["config", "path"]).out.contains("config.toml"));
    home.write("config/config.toml", "");
    home.write("work/noctui.toml", "[model]\nkey_command = \"curl evil\"\n");
    home.fails(
        &["config", "show"],
        2,
        "may not be set by a project file",
        "own file",
    );
    fs::remove_file(home.path().join("work/noctui.toml")).unwrap();
    home.fails(
        &["config", "show", "--config", "nope.toml"],
        2,
        "nope.toml: cannot be read",
        "check the name",
    );
    home.fails(
        &["config", "show", "--set", "agent.loops=1"],
        2,
        "--set: unknown key \"agent.loops\"",
        "max_loops",
    );
    home.fails(
        &["config", "show", "ui.them"],
        2,
        "nothing is set under \"ui.them\"",
        "ui.theme",
    );
    let output = home
        .command(&["config", "show"])
        .env("NOCTUI_AGENT_MAX_LOOPS", "many")
        .output()
        .unwrap();
    let wrong = ran(output);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong
            .err
            .contains("environment NOCTUI_AGENT_MAX_LOOPS: agent.max_loops"),
        "{}",
        wrong.err
    );
}

#[test]
fn settings_are_shown_with_their_origin_and_written_once() {
    let home = Home::new();
    let written = home.run(&["config", "init"]);
    assert_eq!(written.code, 0, "{}", written.err);
    home.fails(&["config", "init"], 2, "is already there", "--force");
    assert_eq!(home.run(&["config", "init", "--force"]).code, 0);
    home.write("work/noctui.toml", "[agent]\nmax_retries = 1\n");
    let mut command = home.command(&[
        "config",
        "show",
        "--origin",
        "agent",
        "--set",
        "agent.max_loops=2",
    ]);
    let shown = ran(command.env("NOCTUI_AGENT_MAX_CALLS", "7").output().unwrap());
    for (value, origin) in [
        ("agent.max_loops = 2", "--set"),
        ("agent.max_calls = 7", "environment NOCTUI_AGENT_MAX_CALLS"),
        ("agent.max_retries = 1", "noctui.toml"),
        ("agent.plan_approval = \"never\"", "built in"),
    ] {
        let found = shown
            .out
            .lines()
            .any(|line| line.starts_with(value) && line.contains(origin));
        assert!(found, "{value} from {origin}:\n{}", shown.out);
    }
}

#[test]
fn the_schema_accepts_what_is_built_in() {
    let home = Home::new();
    let schema: serde_json::Value = serde_json::from_str(&home.run(&["config", "schema"]).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let default: toml::Table = include_str!("../config/default.toml").parse().unwrap();
    assert!(validator.is_valid(&serde_json::to_value(&default).unwrap()));
    assert!(!validator.is_valid(&serde_json::json!({"agent": {"max_loops": "x"}})));
}

#[test]
fn wrong_usage_names_the_nearest_and_exits_2() {
    let home = Home::new();
    home.fails(&["plan"], 2, "unrecognized subcommand 'plan'", "plans");
    home.fails(&["plans", "show"], 2, "<INTENT>", "usage: noctui plans show");
    home.fails(&["config", "show", "--orign"], 2, "--orign", "--origin");
    home.fails(&["completions", "elvis"], 2, "elvis", "elvish");
    let hostile = format!("\u{1b}]0;evil\u{7}{}", "x".repeat(100_000));
    let ran = home.run(&[&hostile]);
    assert_eq!(ran.code, 2);
    assert!(
        !ran.err.contains('\u{1b}') && ran.err.len() < 4_000,
        "{} bytes",
        ran.err.len()
    );
    assert_eq!(ran.err.lines().count(), 2);
}

#[test]
fn runbooks_are_listed_shown_and_checked() {
    let home = Home::new();
    let list = home.run(&["plans", "list"]);
    assert_eq!(
        (list.code, list.out.lines().count(), list.err.as_str()),
        (0, 8, "")
    );
    let shown = home.run(&["plans", "show", "check_bgp_neighbors"]);
    assert!(shown.out.contains(" 1. List all BGP sessions"), "{}", shown.out);
    home.fails(
        &["plans", "show", "check_bgp"],
        2,
        "no runbook \"check_bgp\"",
        "check_bgp_neighbors",
    );
    assert_eq!(
        home.run(&["plans", "validate"])
            .out
            .lines()
            .filter(|line| line.starts_with("ok "))
            .count(),
        8
    );

    assert_eq!(home.run(&["plans", "new", "check_optics"]).code, 0);
    home.fails(
        &["plans", "new", "check_optics"],
        2,
        "is already there",
        "edit it",
    );
    home.fails(
        &["plans", "new", "Check Optics"],
        2,
        "lower-case",
        "noctui plans new",
    );
    home.fails(&["plans", "new", "../evil"], 2, "lower-case", "noctui plans new");
    home.fails(
        &["plans", "new", "mine", "--from", "review_pe"],
        2,
        "no runbook",
        "review_pe_device",
    );
    assert_eq!(
        home.run(&["plans", "new", "mine", "--from", "review_pe_device"])
            .code,
        0
    );
    assert!(home.run(&["plans", "list"]).out.contains("[user]"));

    home.write(
        "config/plans/broken.json",
        "{\"intent\": \"broken\", \"description\": \"d\", \"steps\": []}",
    );
    home.fails(
        &["plans", "show", "broken"],
        2,
        "broken.json: steps: must hold",
        "correct that field",
    );
    home.fails(
        &["plans", "validate"],
        2,
        "broken.json: steps",
        "correct that field",
    );
    // A broken one does not take the others with it.
    let list = home.run(&["plans", "list"]);
    assert_eq!((list.code, list.out.lines().count()), (0, 10));
    assert!(
        list.err.contains("broken: ") && list.err.lines().count() == 1,
        "{}",
        list.err
    );
    home.fails(
        &["plans", "validate", "nope.json"],
        2,
        "nope.json: file: cannot be read",
        "correct",
    );
}

#[test]
fn knowledge_finds_a_users_notes() {
    let home = Home::new();
    home.write(
        "config/notes/site.md",
        "# Site\n## Flux capacitor\nSits in row seven.\n",
    );
    let found = home.run(&["knowledge", "flux", "capacitor", "--full"]);
    assert!(
        found
            .out
            .starts_with("1.00  notes/site.md  Site › Flux capacitor"),
        "{}",
        found.out
    );
    assert!(found.out.contains("row seven"));
}

#[test]
fn completions_and_manual_come_from_the_definition_and_touch_nothing() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]);
        assert!(
            script.code == 0 && script.out.contains("plans") && script.out.contains("config"),
            "{shell}"
        );
    }
    let page = home.run(&["man"]);
    assert!(
        page.out.contains(".TH noctui") && page.out.contains("an anomaly was found"),
        "{}",
        page.out
    );
    let dir = home.path().join("pages");
    assert_eq!(home.run(&["man", "--dir", dir.to_str().unwrap()]).code, 0);
    assert!(dir.join("noctui-plans-show.1").is_file());
    for folder in ["config", "data", "state", "cache"] {
        assert!(!home.path().join(folder).exists(), "{folder} was made");
    }
}

#[test]
fn help_documents_every_exit_code() {
    let help = Home::new().run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for code in [
        "0  healthy",
        "1  an anomaly",
        "2  wrong usage",
        "3  needs input",
        "4  failed",
    ] {
        assert!(help.out.contains(code), "{code}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let home = Home::new();
    let mut child = home
        .command(&["config", "schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader is gone before the first byte.
    drop(child.stdout.take());
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_log_that_cannot_be_written_costs_a_hint_only() {
    let home = Home::new();
    home.write("state", "a file where a folder should be");
    let ran = home.run(&["config", "show", "agent"]);
    assert!(
        ran.code == 0 && ran.err.starts_with("noctui: no log: "),
        "{}",
        ran.err
    );
    assert_eq!(home.run(&["config", "show", "agent", "--quiet"]).err, "");
}

mod readme {
    use super::*;

    const README: &str = include_str!("../README.md");

    /// Commands that are run, not only parsed: they end by themselves and need no network.
    const HARMLESS: [&str; 5] = ["config", "plans", "knowledge", "completions", "man"];

    /// The commands of all `sh` blocks, comments taken off.
    fn commands() -> Vec<String> {
        let mut found = Vec::new();
        let mut inside = false;
        for line in README.lines() {
            if line.starts_with("```") {
                inside = line == "```sh";
            } else if inside {
                let line = line.split(" #").next().unwrap_or(line).trim();
                found.extend((!line.is_empty() && !line.starts_with('#')).then(|| line.to_owned()));
            }
        }
        found
    }

    /// Words as a shell cuts them: blanks, single and double quotes; a pipe or redirection ends the command.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
        for c in line.chars() {
            match (quote, c) {
                (None, '|' | '>' | '&' | ';') => break,
                (None, '\'' | '"') => (quote, open) = (Some(c), true),
                (Some(q), c) if c == q => quote = None,
                (None, ' ') if word.is_empty() && !open => {}
                (None, ' ') => {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
                (_, c) => word.push(c),
            }
        }
        words.extend((!word.is_empty() || open).then_some(word));
        words
    }

    /// The arguments of noctui in a command; none when it is no call of noctui.
    fn arguments(command: &str) -> Option<Vec<String>> {
        let mut words = words(command);
        let assignments = words
            .iter()
            .take_while(|word| word.contains('=') && !word.starts_with('-'))
            .count();
        words.drain(..assignments);
        let rest = match words.first().map(String::as_str) {
            Some("noctui") => 1,
            Some("cargo") if words.get(1).is_some_and(|w| w == "run") => {
                words.iter().position(|w| w == "--")? + 1
            }
            _ => return None,
        };
        Some(words.split_off(rest))
    }

    #[test]
    fn every_command_is_one_that_exists() {
        let commands = commands();
        assert!(
            commands.iter().any(|command| command == "cargo test"),
            "the test command is missing"
        );
        for command in &commands {
            let plain = ["cargo test", "cargo build --release", "cargo install --path ."];
            match arguments(command) {
                None => {
                    let other = ["git clone ", "cd ", "export "]
                        .iter()
                        .any(|start| command.starts_with(start));
                    assert!(
                        other || plain.contains(&command.as_str()),
                        "{command}: what is this?"
                    );
                }
                Some(arguments) => {
                    let parsed = noctui::cli::command()
                        .try_get_matches_from(std::iter::once("noctui".to_owned()).chain(arguments));
                    assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
                }
            }
        }
    }

    #[test]
    fn harmless_commands_do_what_they_say() {
        let home = Home::new();
        let mut count = 0;
        for command in commands() {
            let Some(arguments) = arguments(&command) else {
                continue;
            };
            if arguments
                .first()
                .is_some_and(|first| HARMLESS.contains(&first.as_str()))
            {
                let ran = home.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(ran.code, 0, "{command}: {}", ran.err);
                assert!(!ran.out.is_empty(), "{command} says nothing");
                count += 1;
            }
        }
        assert!(count >= 5, "only {count} commands were run");
    }

    #[test]
    fn the_exit_codes_are_those_of_the_program() {
        let help = noctui::cli::command().render_long_help().to_string();
        let rows = README
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
        let rows: Vec<_> = rows.filter(|(code, _)| code.parse::<u8>().is_ok()).collect();
        assert_eq!(rows.len(), 5);
        for (code, meaning) in rows {
            assert!(help.contains(&format!("{code}  {meaning}")), "{code}: {meaning}");
        }
    }

    #[test]
    fn the_servers_example_is_accepted() {
        let start = README.find("```json\n").unwrap() + "```json\n".len();
        let text = &README[start..start + README[start..].find("```").unwrap()];
        let servers =
            noctui::settings::parse_servers(text, Path::new("README.md"), &|_| Some("x".into())).unwrap();
        assert!(servers["gnmibuddy"].is_some() && servers["collector"].is_none());
    }

    #[test]
    fn ci_runs_its_test_command() {
        assert!(
            include_str!("../.ci/run")
                .lines()
                .any(|line| line.starts_with("step ") && line.ends_with(" cargo test"))
        );
    }

    #[test]
    fn words_are_cut_as_a_shell_does() {
        assert_eq!(
            words("A=1 noctui ask \"a b\" --x '' | jq ."),
            ["A=1", "noctui", "ask", "a b", "--x", ""]
        );
        assert_eq!(arguments("A=1 noctui ask 'a b' > f").unwrap(), ["ask", "a b"]);
        assert_eq!(arguments("cargo run --release -- demo").unwrap(), ["demo"]);
        assert_eq!(arguments("cargo test"), None);
    }
}

#[test]
fn the_full_screen_never_waits_in_a_script() {
    let home = Home::new();
    for args in [&[][..], &["demo"], &["setup"]] {
        let ran = home.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("terminal"), "{}", ran.err);
    }
}

#[test]
fn setup_by_flags_writes_a_commented_file_and_keeps_what_is_there() {
    let home = Home::new();
    let device = r#"[{"name": "r1", "ip_address": "127.0.0.1", "port": 1, "nos": "iosxr", "username": "u", "password": "p"}]"#;
    home.write("work/routers.json", device);
    home.fails(&["setup", "--inventory", "nowhere.json"], 2, "nowhere.json", "");
    home.fails(&["setup", "--theme", "darkk"], 2, "darkk", "dark");
    home.fails(&["setup", "--reasoner", "clever"], 2, "clever", "--reasoner");
    let file = home.path().join("config/config.toml");
    assert!(!file.exists(), "a refused answer writes nothing");
    let ran = home.run(&["setup", "--inventory", "routers.json", "--theme", "light"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = home.run(&["config", "show"]).out;
    let inventory = home.path().join("work/routers.json");
    assert!(
        shown.contains(&format!("gnmi.inventory = \"{}\"", inventory.display())),
        "{shown}"
    );
    assert!(shown.contains("ui.theme = \"light\""), "{shown}");
    home.write("config/config.toml", "# mine\n[agent]\nmax_loops = 2\n");
    let model = "http://127.0.0.1:9/v1 tiny MY_KEY";
    assert_eq!(home.run(&["setup", "--reasoner", model]).code, 0);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# mine\n[agent]\nmax_loops = 2\n"), "{text}");
    let shown = home.run(&["config", "show", "model"]).out;
    assert!(
        shown.contains("model.key_env = \"MY_KEY\"") && shown.contains("\"tiny\""),
        "{shown}"
    );
}

#[test]
fn doctor_says_what_is_well_and_what_to_do_about_the_rest() {
    let home = Home::new();
    let fresh = home.run(&["doctor"]);
    assert_eq!(fresh.code, 0, "warnings fail nothing: {}{}", fresh.out, fresh.err);
    for line in [
        "warn  terminal",
        "warn  settings",
        "warn  inventory",
        "noctui setup",
        "ok    model",
    ] {
        assert!(fresh.out.contains(line), "{line} is missing:\n{}", fresh.out);
    }
    home.write("config/keymap.toml", "[global]\n\"app.quit\" = \"?\"\n");
    home.write("config/config.toml", "[reasoner]\nkind = \"model\"\n");
    let mcp = r#"{"mcpServers": {"collector": {"disabled": true}, "gone": {"command": "/nowhere/server"}}}"#;
    home.write("config/mcp.json", mcp);
    let ran = home.run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 4, "{}", ran.out);
    let found: Vec<serde_json::Value> = serde_json::from_str(&ran.out).unwrap();
    let grade = |check: &str| {
        found
            .iter()
            .find(|f| f["check"] == check)
            .map(|f| f["grade"].clone())
    };
    for (check, expected) in [
        ("settings", "ok"),
        ("keys", "fail"),
        ("server", "fail"),
        ("model", "fail"),
        ("journal", "ok"),
    ] {
        assert_eq!(grade(check), Some(expected.into()), "{check}\n{}", ran.out);
    }
    let failed = found.iter().filter(|f| f["grade"] == "fail");
    for finding in failed {
        assert!(!finding["next"].as_str().unwrap().is_empty(), "{finding}");
    }
    home.write("config/config.toml", "[agent]\nmax_lops = 2\n");
    let broken = home.run(&["doctor"]);
    assert_eq!(broken.code, 4);
    assert!(
        broken.out.contains("max_lops") && broken.out.contains("max_loops"),
        "{}",
        broken.out
    );
}
