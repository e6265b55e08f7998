//! Every role against every bad habit of a model, twice: with a good second answer and without.
//!
//! Nothing may panic or hang, no invented tool or device may come through, and each case ends as repaired,
//! re-asked, fallen back or asked, with a note that says which.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::llm::{
    ChatReply, Stop, ToolCall,
    scripted::{call_reply, text_reply},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoleUnderTest {
    Read,
    Plan,
    Criticise,
    Act,
    Perceive,
    Assess,
    Write,
}

use RoleUnderTest as R;

const ROLES: [R; 7] = [
    R::Read,
    R::Plan,
    R::Criticise,
    R::Act,
    R::Perceive,
    R::Assess,
    R::Write,
];

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    AsItWas,
    Repaired,
    ReAsked,
    FellBack,
}

fn good(role: R) -> Value {
    match role {
        R::Read => {
            json!({"intent": "check_bgp_neighbors", "objective": "Find the cause.", "result_requirement": "It.",
            "devices": ["xrd-1"], "roles": [], "patterns": [], "whole_network": false, "vrfs": [], "interfaces": [],
            "protocols": ["bgp"], "peers": [], "minutes_back": 60, "wants_change": false, "unclear": []})
        }
        R::Plan => {
            json!({"thinking": "t", "objective": "Find the cause.", "strategy": "conservative", "steps": [
            {"title": "BGP", "instruction": "Read BGP.", "kind": "instruction", "source": "", "over": "targets",
             "devices": [], "aspects": ["bgp"], "because": ["runbook:1"]}], "rationale": "r"})
        }
        R::Criticise => json!({"thinking": "t", "verdict": "fail", "confidence": 0.8, "missing": ["logs"],
            "next_search": [], "risk_flags": [{"risk": "flaps", "confidence": 0.5}]}),
        R::Act => json!({"device_name": "xrd-1", "minutes": 30}),
        R::Perceive => json!({"local_goal_achieved": true, "local_reasoning": "Read [E1].",
            "original_goal_achieved": false, "original_reasoning": "Not yet.", "summary": "Idle [E1].",
            "confidence": 0.5, "replan": ""}),
        R::Assess => json!({"objective_met": true, "reasoning": "Seen [E1].", "confidence": 0.9,
            "tool_limitations": [], "notes_for_report": [], "next": "report", "feedback": ""}),
        R::Write => json!({"headline": "xrd-1: the session is shut down (LIKELY).",
            "body": "The session of xrd-1 is idle [E1]."}),
    }
}

/// The reply a model gives when its answer is `text`: for the executor the arguments of a call.
fn reply(role: R, text: &str) -> ChatReply {
    if role == R::Act {
        call_reply("lab_get_logs", text)
    } else {
        text_reply(text)
    }
}

fn good_reply(role: R) -> ChatReply {
    reply(role, &good(role).to_string())
}

/// The first text field of a role, to put nonsense into.
fn text_field(role: R) -> &'static str {
    match role {
        R::Read | R::Plan => "objective",
        R::Criticise => "thinking",
        R::Act => "device_name",
        R::Perceive => "summary",
        R::Assess => "reasoning",
        R::Write => "body",
    }
}

fn with(role: R, field: &str, value: Value) -> String {
    let mut answer = good(role);
    answer[field] = value;
    answer.to_string()
}

/// Malformed texts, with what must become of them when the second answer is good.
fn texts(role: R) -> Vec<(&'static str, String, End)> {
    let text = good(role).to_string();
    let pretty = serde_json::to_string_pretty(&good(role)).unwrap();
    let half = text[..text.len() / 2].to_owned();
    let field = text_field(role);
    // a tool's schema allows no other arguments, so what an answer may carry along a call may not
    let strict = |otherwise| if role == R::Act { End::ReAsked } else { otherwise };
    let last_comma = format!("{},}}", &text[..text.len() - 1]);
    let mut cases = vec![
        ("fenced", format!("```json\n{pretty}\n```"), End::Repaired),
        (
            "fenced without a name",
            format!("```\n{pretty}\n```"),
            End::Repaired,
        ),
        (
            "prose before",
            format!("Here is my answer:\n{text}"),
            End::Repaired,
        ),
        (
            "prose after",
            format!("{text}\nLet me know if you need more."),
            End::Repaired,
        ),
        ("prose around", format!("Sure. {text} Done."), End::Repaired),
        ("trailing comma", last_comma, End::Repaired),
        (
            "line comment",
            pretty.replacen("{\n", "{\n // the answer\n", 1),
            End::Repaired,
        ),
        (
            "block comment",
            pretty.replacen("{\n", "{ /* the answer */\n", 1),
            End::Repaired,
        ),
        (
            "Python literals",
            text.replace("true", "True")
                .replace("false", "False")
                .replacen('{', "{'x': None, ", 1),
            strict(End::Repaired),
        ),
        (
            "single quotes",
            text.replace('\'', "").replace('"', "'"),
            End::Repaired,
        ),
        (
            "one key without quotes",
            text.replacen(&format!("\"{field}\""), field, 1),
            End::Repaired,
        ),
        (
            "smart quotes",
            text.replacen(&format!("\"{field}\""), &format!("“{field}”"), 1),
            End::Repaired,
        ),
        (
            "a byte order mark",
            format!("\u{feff}{text}"),
            if role == R::Act {
                End::Repaired
            } else {
                End::AsItWas
            },
        ),
        ("two equal objects", format!("{text}\n{text}"), End::Repaired),
        (
            "a thought before it",
            format!("<think>{{maybe}} BGP?</think>\n{text}"),
            End::Repaired,
        ),
        (
            "the schema, then the answer",
            format!("{{\"type\": \"object\"}}\n{text}"),
            strict(End::Repaired),
        ),
        (
            "unknown fields",
            with(role, "sarcasm", json!("high")),
            strict(End::AsItWas),
        ),
        ("cut in the middle", half, End::ReAsked),
        ("cut at the first byte", "{".into(), End::ReAsked),
        (
            "cut inside the fence",
            format!("```json\n{}", &text[..text.len() / 3]),
            End::ReAsked,
        ),
        ("empty", String::new(), End::ReAsked),
        ("blanks", " \n\t \n".into(), End::ReAsked),
        (
            "a refusal",
            "I'm sorry, but I can't help with that.".into(),
            End::ReAsked,
        ),
        (
            "prose only",
            "BGP on xrd-1 looks fine to me.".into(),
            End::ReAsked,
        ),
        ("an empty object", "{}".into(), End::ReAsked),
        ("an array", "[1, 2, 3]".into(), End::ReAsked),
        ("a number", "42".into(), End::ReAsked),
        ("null", "null".into(), End::ReAsked),
        ("a text", "\"yes\"".into(), End::ReAsked),
        (
            "another form",
            "{\"answer\": {\"ok\": true}}".into(),
            End::ReAsked,
        ),
        (
            "a field of a wrong type",
            with(role, field, json!({"a": 1})),
            End::ReAsked,
        ),
        (
            "a field that is null",
            with(role, field, Value::Null),
            if role == R::Criticise {
                End::Repaired
            } else {
                End::ReAsked
            },
        ),
        (
            "a megabyte",
            with(role, field, json!("BGP is down. ".repeat(80_000))),
            End::ReAsked,
        ),
        ("a megabyte of braces", "{\"a\":[".repeat(160_000), End::ReAsked),
        (
            "infinite repetition",
            format!("{{\"{field}\": \"{}", "the session is the ".repeat(3_000)),
            End::ReAsked,
        ),
        (
            "repetition that ends",
            with(role, field, json!("again ".repeat(300))),
            End::ReAsked,
        ),
        (
            "a wrong language",
            with(role, field, json!("邻居状态异常，请检查接口和协议配置")),
            End::ReAsked,
        ),
        ("markup", "<answer><ok/></answer>".into(), End::ReAsked),
        ("YAML", "objective: find\nsteps:\n  - BGP\n".into(), End::ReAsked),
        ("control characters", "\u{1b}[2J\u{0}\u{7}".into(), End::ReAsked),
        (
            "an error page",
            "<html><body>502 Bad Gateway</body></html>".into(),
            End::ReAsked,
        ),
        // the critic's thinking is shown and thrown away
        (
            "an unknown device",
            with(role, field, json!("xrd-99")),
            if role == R::Criticise {
                End::AsItWas
            } else {
                End::ReAsked
            },
        ),
    ];
    if role != R::Act && role != R::Read {
        let place = match role {
            R::Plan => "instruction",
            R::Criticise => "missing",
            _ => field,
        };
        let put = |words: &str| match role {
            R::Plan => {
                let mut plan = good(role);
                plan["steps"][0][place] = json!(words);
                plan.to_string()
            }
            R::Criticise => with(role, place, json!([words])),
            _ => with(role, place, json!(words)),
        };
        cases.push((
            "invented evidence",
            put("Down on xrd-1 as seen in [E77]."),
            End::ReAsked,
        ));
        cases.push((
            "an invented finding",
            put("Down on xrd-1 as seen in [F77] [E1]."),
            End::ReAsked,
        ));
        cases.push((
            "an invented device in words",
            put("Look at xrd-42 and xrd-1 [E1]."),
            End::ReAsked,
        ));
        cases.push((
            "an invented tool in words",
            put("Call lab.erase_config on xrd-1 [E1]."),
            End::ReAsked,
        ));
    }
    cases
}

fn own_cases(role: R) -> Vec<(&'static str, ChatReply, End)> {
    let text = |name, field, value: Value, end| (name, text_reply(&with(role, field, value)), end);
    let step = |name, field: &str, value: Value, end| {
        let mut plan = good(R::Plan);
        plan["steps"][0][field] = value;
        (name, text_reply(&plan.to_string()), end)
    };
    let call = |name, tool: &str, arguments: &str, end| (name, call_reply(tool, arguments), end);
    match role {
        R::Read => vec![
            text(
                "a pattern that was not said",
                "patterns",
                json!(["core-*"]),
                End::ReAsked,
            ),
            text("no time at all", "minutes_back", json!(0), End::ReAsked),
            text(
                "an endless time",
                "minutes_back",
                json!(4_000_000_000_u32),
                End::ReAsked,
            ),
            text("a negative time", "minutes_back", json!(-5), End::ReAsked),
            text("an unknown role", "roles", json!(["BNG"]), End::ReAsked),
            text("a role in capitals", "roles", json!(["PE"]), End::Repaired),
            text("a list as text", "devices", json!("xrd-1"), End::Repaired),
        ],
        R::Plan => vec![
            text("no steps", "steps", json!([]), End::ReAsked),
            text(
                "a thousand steps",
                "steps",
                json!(vec![good(R::Plan)["steps"][0].clone(); 1000]),
                End::ReAsked,
            ),
            text("an unknown strategy", "strategy", json!("reckless"), End::ReAsked),
            text(
                "a strategy in capitals",
                "strategy",
                json!("CONSERVATIVE"),
                End::Repaired,
            ),
            step(
                "a script where none is allowed",
                "kind",
                json!("code"),
                End::ReAsked,
            ),
            step("an unknown kind", "kind", json!("configure"), End::ReAsked),
            step(
                "devices that are not there",
                "over",
                json!("devices"),
                End::ReAsked,
            ),
            step("an unknown aspect", "aspects", json!(["weather"]), End::ReAsked),
            step(
                "a runbook step that is not there",
                "because",
                json!(["runbook:9"]),
                End::ReAsked,
            ),
            step(
                "a runbook step zero",
                "because",
                json!(["runbook:0"]),
                End::ReAsked,
            ),
            step(
                "a passage that is not there",
                "because",
                json!(["passage:2"]),
                End::ReAsked,
            ),
            step(
                "an incident that is not there",
                "because",
                json!(["incident:1"]),
                End::ReAsked,
            ),
            step(
                "a hypothesis that is not there",
                "because",
                json!(["H9"]),
                End::ReAsked,
            ),
            step("a question without words", "kind", json!("clarify"), End::ReAsked),
        ],
        R::Criticise => vec![
            text("a percentage", "confidence", json!("80%"), End::Repaired),
            text("eighty", "confidence", json!(80), End::AsItWas),
            text("a thousand", "confidence", json!(1000), End::ReAsked),
            text("below zero", "confidence", json!(-0.5), End::ReAsked),
            text("a verdict in capitals", "verdict", json!("FAIL"), End::Repaired),
            text("a verdict in between", "verdict", json!("maybe"), End::ReAsked),
            text("not a number", "confidence", json!("high"), End::ReAsked),
        ],
        R::Act => {
            let cut = ChatReply {
                stop: Stop::Length,
                ..call_reply("lab_get_logs", "{\"device_name\": \"xrd-1\", \"minutes\": 3")
            };
            let many = ChatReply {
                calls: (0..500)
                    .map(|n| ToolCall {
                        id: n.to_string(),
                        name: "lab_get_logs".into(),
                        arguments: good(R::Act).to_string(),
                    })
                    .collect(),
                ..call_reply("lab_get_logs", "{}")
            };
            let as_text = text_reply(
                "<tool_call>\n{\"name\": \"lab.get_logs\", \"arguments\": {\"device_name\": \"xrd-1\", \"minutes\": 5}}\n</tool_call>",
            );
            vec![
                call(
                    "an invented tool",
                    "lab_reload",
                    "{\"device_name\": \"xrd-1\"}",
                    End::ReAsked,
                ),
                call("an empty name", "", "{}", End::ReAsked),
                call("a name with an escape", "\u{1b}[31mrm", "{}", End::ReAsked),
                call(
                    "a tool of the shell",
                    "bash",
                    "{\"command\": \"rm -rf /\"}",
                    End::ReAsked,
                ),
                call(
                    "a missing argument",
                    "lab_get_logs",
                    "{\"device_name\": \"xrd-1\"}",
                    End::ReAsked,
                ),
                call(
                    "an argument too many",
                    "lab_get_bgp_info",
                    "{\"device_name\": \"xrd-1\", \"force\": true}",
                    End::ReAsked,
                ),
                call(
                    "a number as text",
                    "lab_get_logs",
                    "{\"device_name\": \"xrd-1\", \"minutes\": \"30\"}",
                    End::Repaired,
                ),
                call(
                    "arguments in a string",
                    "lab_get_bgp_info",
                    "\"{\\\"device_name\\\": \\\"xrd-1\\\"}\"",
                    End::AsItWas,
                ),
                call(
                    "a device with a path",
                    "lab_get_bgp_info",
                    "{\"device_name\": \"../xrd-1\"}",
                    End::ReAsked,
                ),
                call(
                    "a list of devices",
                    "lab_get_bgp_info",
                    "{\"device_name\": [\"xrd-1\"]}",
                    End::ReAsked,
                ),
                call(
                    "an end without words",
                    "finish_step",
                    "{\"summary\": \"\"}",
                    End::ReAsked,
                ),
                call(
                    "an end on invented evidence",
                    "finish_step",
                    "{\"summary\": \"Down [E5].\"}",
                    End::ReAsked,
                ),
                call(
                    "evidence that is not there",
                    "read_evidence",
                    "{\"evidence\": \"E9\"}",
                    End::ReAsked,
                ),
                call(
                    "evidence that is none",
                    "read_evidence",
                    "{\"evidence\": \"the logs\"}",
                    End::ReAsked,
                ),
                ("arguments cut off", cut, End::ReAsked),
                ("five hundred calls", many, End::AsItWas),
                ("a call as text", as_text, End::Repaired),
                (
                    "an invented call as text",
                    text_reply("{\"name\": \"reboot\", \"arguments\": {}}"),
                    End::ReAsked,
                ),
                (
                    "a declined answer",
                    ChatReply {
                        stop: Stop::Refusal,
                        ..text_reply("No.")
                    },
                    End::ReAsked,
                ),
            ]
        }
        R::Perceive => vec![
            text(
                "a boolean as text",
                "local_goal_achieved",
                json!("yes"),
                End::Repaired,
            ),
            text(
                "a boolean as a word",
                "original_goal_achieved",
                json!("partly"),
                End::ReAsked,
            ),
            text("no summary", "summary", json!(""), End::ReAsked),
        ],
        R::Assess => vec![
            text("a retry without feedback", "next", json!("retry"), End::ReAsked),
            text("another next", "next", json!("reboot"), End::ReAsked),
            text(
                "a list that is null",
                "tool_limitations",
                Value::Null,
                End::Repaired,
            ),
        ],
        R::Write => vec![
            text(
                "no citation",
                "body",
                json!("The session of xrd-1 is idle."),
                End::ReAsked,
            ),
            text(
                "a cause left out",
                "headline",
                json!("All is well."),
                End::AsItWas,
            ),
            text(
                "a fault of its own",
                "body",
                json!("xrd-1 has process_hog [E1]."),
                End::ReAsked,
            ),
            text(
                "surer than the verdict",
                "headline",
                json!("xrd-1 is down (CONFIRMED)."),
                End::ReAsked,
            ),
        ],
    }
}

/// What came back, reduced to what matters: who decided, and the tools and devices named.
async fn ask(bench: &Bench, role: R) -> (bool, Vec<String>) {
    let brief = bench.brief();
    let reasoner = &bench.reasoner;
    match role {
        R::Read => {
            let reading = reasoner.read(brief).await.unwrap();
            (reading.intent.0 == BY_RULES, reading.entities.devices)
        }
        R::Plan => {
            let draft = reasoner.plan(brief, 0).await.unwrap();
            let devices = draft.steps.iter().flat_map(|s| match &s.scope {
                Scope::Devices(devices) => devices.iter().map(|d| d.0.clone()).collect(),
                _ => vec![],
            });
            (draft.objective == BY_RULES, devices.collect())
        }
        R::Criticise => {
            let critique = reasoner.criticise(brief, 0).await.unwrap();
            assert!((0.0..=1.0).contains(&critique.confidence));
            (critique.missing == [BY_RULES], vec![])
        }
        R::Act => match reasoner.act(brief, LaneId(1), StepId(1), 0).await.unwrap() {
            Action::Call { calls } => {
                assert!(calls.len() <= 32);
                let state = fixture();
                assert!(
                    calls.iter().all(|c| state.intake.tool(&c.tool).is_some()),
                    "{calls:?}"
                );
                (
                    false,
                    calls
                        .iter()
                        .map(|c| c.arguments["device_name"].as_str().unwrap().to_owned())
                        .collect(),
                )
            }
            Action::Finish { summary } => (summary == BY_RULES, vec![]),
            Action::GiveUp { .. } | Action::Ask { .. } => (false, vec![]),
        },
        R::Perceive => (
            reasoner
                .perceive(brief, StepId(1))
                .await
                .unwrap()
                .solution_summary
                == BY_RULES,
            vec![],
        ),
        R::Assess => (
            reasoner.assess(brief).await.unwrap().reasoning == BY_RULES,
            vec![],
        ),
        R::Write => (reasoner.write(brief).await.unwrap().headline == BY_RULES, vec![]),
    }
}

fn end_of(bench: &Bench, by_rules: bool) -> End {
    let notes = bench.notes();
    let told = |what: &str| notes.iter().any(|n| n.contains(what));
    if by_rules {
        assert!(told("the rules decide this"), "{notes:?}");
        End::FellBack
    } else if told("asked once more") {
        End::ReAsked
    } else if told("answer repaired") {
        End::Repaired
    } else {
        End::AsItWas
    }
}

async fn run(role: R, name: &str, answers: Vec<ChatReply>) -> End {
    let bench = Bench::new(answers.into_iter().map(Ok).collect());
    let (by_rules, devices) = tokio::time::timeout(Duration::from_secs(20), ask(&bench, role))
        .await
        .unwrap_or_else(|_| panic!("{role:?}, {name}: hangs"));
    for device in devices {
        assert!(
            ["xrd-1", "xrd-2"].contains(&device.as_str()),
            "{role:?}, {name}: {device} came through"
        );
    }
    assert!(
        bench.model.asked() <= 2,
        "{role:?}, {name}: asked {} times",
        bench.model.asked()
    );
    end_of(&bench, by_rules)
}

#[tokio::test]
async fn every_bad_answer_of_every_role_ends_honestly() {
    let mut cases = 0;
    let mut ends = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for role in ROLES {
        let common = texts(role)
            .into_iter()
            .map(|(name, text, end)| (name, reply(role, &text), end));
        for (name, bad, expected) in common.chain(own_cases(role)) {
            cases += 1;
            let with_good = run(role, name, vec![bad.clone(), good_reply(role)]).await;
            if with_good != expected {
                wrong.push(format!(
                    "{role:?}, {name}, then a good one: {with_good:?} instead of {expected:?}"
                ));
            }
            let twice = run(role, name, vec![bad.clone(), bad]).await;
            let expected = if expected == End::ReAsked {
                End::FellBack
            } else {
                expected
            };
            if twice != expected {
                wrong.push(format!(
                    "{role:?}, {name}, twice: {twice:?} instead of {expected:?}"
                ));
            }
            *ends.entry(twice).or_insert(0) += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 200, "only {cases} cases");
    assert!(ends.len() >= 3, "{ends:?}");
    println!("{cases} malformed answers, ended as {ends:?}");
}

#[tokio::test]
async fn every_good_answer_is_taken_as_it_is() {
    for role in ROLES {
        assert_eq!(
            run(role, "good", vec![good_reply(role)]).await,
            End::AsItWas,
            "{role:?}"
        );
    }
}
