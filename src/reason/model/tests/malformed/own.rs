//! Bad answers that only one role can give: its own fields, its own citations, its own calls.
//! Each with the end it must come to when the second answer is good.

use serde_json::{Value, json};

use super::{End, R, good, with};
use crate::llm::{
    ChatReply, Stop, ToolCall,
    scripted::{call_reply, text_reply},
};

pub(super) fn own_cases(role: R) -> Vec<(&'static str, ChatReply, End)> {
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
