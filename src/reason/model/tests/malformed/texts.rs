//! Bad texts that any role may be given: cut, fenced, empty, foreign, endless, invented.
//! Each with the end it must come to when the second answer is good.

use serde_json::{Value, json};

use super::{End, R, good, text_field, with};

/// Malformed texts, with what must become of them when the second answer is good.
pub(super) fn texts(role: R) -> Vec<(&'static str, String, End)> {
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
