//! The layers, their errors, and the files that are built in.

use std::fs;
use std::path::Path;

use super::*;

fn sources(home: &Path) -> Sources {
    Sources {
        folders: Folders::find(Some(home)).unwrap(),
        directory: home.join("project"),
        file: None,
        environment: Vec::new(),
        set: Vec::new(),
    }
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn error(sources: &Sources) -> (String, String) {
    let error = load(sources).unwrap_err();
    (error.to_string(), error.next())
}

#[test]
fn the_embedded_file_holds_every_key() {
    let settings = built_in().unwrap();
    assert_eq!(settings.agent.max_loops, 3);
    assert_eq!(settings.reasoner.kind, ReasonerKind::Rules);
    let home = tempfile::tempdir().unwrap();
    let loaded = load(&sources(home.path())).unwrap();
    assert_eq!(loaded.settings, settings);
    for key in schema::keys(&schema::schema()) {
        let open = key.starts_with("model.headers") || key.starts_with("model.roles");
        assert!(
            open || loaded.origins.contains_key(&key),
            "{key} is missing in config/default.toml"
        );
    }
}

#[test]
fn each_layer_wins_over_the_one_before_and_is_remembered() {
    let home = tempfile::tempdir().unwrap();
    let mut sources = sources(home.path());
    let text = |loops: u32| format!("[agent]\nmax_loops = {loops}\n");
    let loops = |sources: &Sources| {
        let loaded = load(sources).unwrap();
        (
            loaded.settings.agent.max_loops,
            loaded.origins["agent.max_loops"].clone(),
        )
    };
    let system = home.path().join("system.toml");
    write(&system, &text(4));
    sources.folders.system = Some(system.clone());
    assert_eq!(loops(&sources), (4, Origin::System(system)));
    let user = sources.folders.settings_file();
    write(&user, &text(5));
    assert_eq!(loops(&sources), (5, Origin::User(user)));
    for (i, name) in ["noctui.toml", ".noctui/config.toml"].iter().enumerate() {
        let project = sources.directory.join(name);
        write(&project, &text(6 + u32::try_from(i).unwrap()));
        assert_eq!(
            loops(&sources),
            (6 + u32::try_from(i).unwrap(), Origin::Project(project))
        );
    }
    let file = home.path().join("given.toml");
    write(&file, &text(8));
    sources.file = Some(file.clone());
    assert_eq!(loops(&sources), (8, Origin::File(file)));
    sources
        .environment
        .push(("NOCTUI_AGENT_MAX_LOOPS".into(), "9".into()));
    assert_eq!(
        loops(&sources),
        (9, Origin::Environment("NOCTUI_AGENT_MAX_LOOPS".into()))
    );
    sources.set.push("agent.max_loops=2".into());
    assert_eq!(loops(&sources), (2, Origin::Flag));
    // What no layer sets stays as it was built in.
    assert_eq!(
        load(&sources).unwrap().origins["agent.max_retries"],
        Origin::Default
    );
}

#[test]
fn deeper_keys_and_open_tables_come_from_the_environment_too() {
    let home = tempfile::tempdir().unwrap();
    let mut sources = sources(home.path());
    sources.environment = vec![
        ("NOCTUI_MODEL_TIMEOUTS__IDLE_S".into(), "7".into()),
        ("NOCTUI_MODEL_ROLES__PLANNER".into(), "big".into()),
        ("NOCTUI_MODEL_MODEL".into(), "3".into()),
        ("NOCTUI_UI_MOUSE".into(), "false".into()),
        ("NOCTUI_HOME".into(), "/x".into()),
        ("NOCTUI_SOMETHING_ELSE".into(), "1".into()),
        ("OTHER".into(), "1".into()),
    ];
    let settings = load(&sources).unwrap().settings;
    assert_eq!(settings.model.timeouts.idle_s, 7);
    assert_eq!(settings.model.roles.planner.as_deref(), Some("big"));
    assert_eq!(settings.model.model, "3", "a text key takes a number as text");
    assert!(!settings.ui.mouse);
}

#[test]
fn an_unknown_key_is_refused_with_place_key_and_nearest() {
    let home = tempfile::tempdir().unwrap();
    let mut sources = sources(home.path());
    let user = sources.folders.settings_file();
    write(&user, "[agent]\nmax_lops = 2\n");
    let (what, next) = error(&sources);
    assert_eq!(
        what,
        format!("{}: unknown key \"agent.max_lops\"", user.display())
    );
    assert!(next.contains("\"agent.max_loops\""), "{next}");
    write(&user, "theme = \"dark\"\n");
    assert!(
        error(&sources).1.contains("\"ui.theme\""),
        "{:?}",
        error(&sources)
    );
    write(&user, "[modle]\nmodel = \"x\"\n");
    assert!(error(&sources).1.contains("\"model\""), "{:?}", error(&sources));
    write(&user, "");
    sources.environment = vec![("NOCTUI_AGENT_MAX_LOOP".into(), "2".into())];
    assert!(
        error(&sources)
            .0
            .starts_with("environment NOCTUI_AGENT_MAX_LOOP: unknown key")
    );
    sources.environment = vec![("NOCTUI_AGNET_MAX_LOOPS".into(), "2".into())];
    assert!(error(&sources).1.contains("agent.max_loops"));
    sources.environment.clear();
    sources.set = vec!["agent.loops=2".into()];
    assert!(
        error(&sources)
            .0
            .starts_with("--set: unknown key \"agent.loops\"")
    );
    sources.set = vec!["agent.max_loops".into()];
    assert!(error(&sources).0.contains("not KEY=VALUE"));
}

#[test]
fn a_wrong_value_says_what_would_be_right() {
    let home = tempfile::tempdir().unwrap();
    let sources = sources(home.path());
    let user = sources.folders.settings_file();
    for (text, expected) in [
        (
            "[agent]\nmax_loops = 0\n",
            "agent.max_loops: expected an integer from 1 to 10, found 0",
        ),
        (
            "[agent]\nmax_loops = \"x\"\n",
            "agent.max_loops: expected an integer from 1 to 10, found \"x\"",
        ),
        (
            "[reasoner]\nkind = \"llm\"\n",
            "reasoner.kind: expected \"rules\" or \"model\", found \"llm\"",
        ),
        ("agent = 3\n", "agent: expected an object, found 3"),
        (
            "[model.headers]\na = 1\n",
            "model.headers.a: expected a string, found a hidden value",
        ),
        (
            "[[tools.rules]]\nserver = \"x\"\ntool = \"y\"\ndecision = \"maybe\"\n",
            "tools.rules[0].decision",
        ),
        ("[agent\n", "line 1"),
    ] {
        write(&user, text);
        let (what, _) = error(&sources);
        assert!(
            what.starts_with(&user.display().to_string()) && what.contains(expected),
            "{text}: {what}"
        );
    }
}

#[test]
fn a_project_file_can_neither_run_commands_nor_loosen_safety() {
    let home = tempfile::tempdir().unwrap();
    let sources = sources(home.path());
    let project = sources.directory.join("noctui.toml");
    for text in [
        "[model]\nkey_command = \"curl evil\"\n",
        "[model]\nbase_url = \"http://evil/v1\"\n",
        "[model.headers]\na = \"b\"\n",
        "[tools]\nprofile = \"all\"\n",
    ] {
        write(&project, text);
        assert!(
            error(&sources).0.contains("may not be set by a project file"),
            "{text}"
        );
    }
    let user = sources.folders.settings_file();
    fs::remove_file(&project).unwrap();
    write(&user, "[tools]\nprofile = \"all\"\n");
    assert_eq!(load(&sources).unwrap().settings.tools.profile, Profile::All);
}

#[test]
fn a_given_file_must_exist() {
    let home = tempfile::tempdir().unwrap();
    let mut sources = sources(home.path());
    sources.file = Some(home.path().join("nope.toml"));
    assert!(error(&sources).0.contains("nope.toml: cannot be read"));
}

#[test]
fn shown_lines_are_toml_and_hide_secrets() {
    let home = tempfile::tempdir().unwrap();
    let sources = sources(home.path());
    let text =
        "[model]\nproxy = \"http://me:pw@proxy:1\"\n[model.headers]\na = \"s3cret\"\n\"b c\" = \"${B}\"\n";
    write(&sources.folders.settings_file(), text);
    let loaded = load(&sources).unwrap();
    let all: Vec<String> = lines(&loaded, None)
        .iter()
        .map(|l| format!("{} = {}", l.key, l.value))
        .collect();
    let all = all.join("\n");
    assert!(!all.contains("s3cret") && !all.contains("pw@"), "{all}");
    assert!(all.contains("model.headers.\"b c\" = \"${B}\""), "{all}");
    let back: toml::Table = all.parse().unwrap();
    assert_eq!(back["agent"], loaded.table["agent"]);
    assert_eq!(lines(&loaded, Some("agent.max_loops")).len(), 1);
    assert!(
        lines(&loaded, Some("agent"))
            .iter()
            .all(|line| line.key.starts_with("agent."))
    );
}

#[test]
fn the_file_for_a_new_user_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let sources = sources(home.path());
    write(&sources.folders.settings_file(), &commented());
    assert_eq!(load(&sources).unwrap().settings, built_in().unwrap());
    assert!(commented().contains("#max_loops = 3"));
}

mod server_files {
    use super::*;
    use secrecy::ExposeSecret;

    fn lookup(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    fn problem(text: &str) -> String {
        parse_servers(text, Path::new("mcp.json"), &lookup)
            .unwrap_err()
            .to_string()
    }

    fn one(body: &str) -> String {
        problem(&format!("{{\"mcpServers\": {{\"x\": {body}}}}}"))
    }

    #[test]
    fn both_shapes_are_read_and_secrets_stay_hidden() {
        let text = r#"{"mcpServers": {
            "a": {"command": "uvx", "args": ["gnmibuddy"], "env": {"T": "${TOKEN}"}, "cwd": "/tmp", "transport": "stdio"},
            "b": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "type": "http"},
            "c": {"command": "x", "disabled": true}}}"#;
        let servers = parse_servers(text, Path::new("mcp.json"), &lookup).unwrap();
        assert!(servers["c"].is_none());
        assert!(!format!("{servers:?}").contains("s3cret"));
        match &servers["b"].as_ref().unwrap().transport {
            Transport::Http { headers, .. } => {
                assert_eq!(headers["Authorization"].expose_secret(), "Bearer s3cret");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_name_file_server_and_field() {
        assert_eq!(
            one("{\"args\": []}"),
            "mcp.json: server \"x\": command: is missing (and there is no \"url\")"
        );
        assert!(one("{\"comand\": \"x\"}").ends_with("comand: unknown field (did you mean \"command\"?)"));
        assert!(one("{\"command\": 3}").ends_with("command: is not a string"));
        assert!(one("{\"command\": \"\"}").ends_with("command: is empty"));
        assert!(one("{\"command\": \"x\", \"args\": [1]}").ends_with("args[0]: is not a string"));
        assert!(one("{\"command\": \"x\", \"env\": {\"A\": 1}}").ends_with("env.A: is not a string"));
        assert!(one("{\"command\": \"x\", \"env\": {\"A\": \"${NO}\"}}").contains("no variable \"NO\""));
        assert!(one("{\"command\": \"x\", \"url\": \"http://h\"}").contains("choose one"));
        assert!(one("{\"url\": \"ftp://h\"}").contains("http://"));
        assert!(one("{\"url\": \"http://h\", \"transport\": \"stdio\"}").contains("does not fit"));
        assert!(one("3").contains("is not an object"));
        assert!(problem("{}").contains("\"mcpServers\" is missing"));
        assert!(problem("{").starts_with("mcp.json: line 1"));
    }

    #[test]
    fn a_user_file_replaces_and_disables() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::find(Some(home.path())).unwrap();
        let names = |folders: &Folders| -> Vec<String> {
            load_servers(folders, &lookup)
                .unwrap()
                .into_iter()
                .map(|server| server.name)
                .collect()
        };
        assert_eq!(names(&folders), ["collector"]);
        write(
            &folders.servers_file(),
            r#"{"mcpServers": {"collector": {"disabled": true}, "gnmibuddy": {"command": "uvx"}}}"#,
        );
        assert_eq!(names(&folders), ["gnmibuddy"]);
    }
}
