//! Each habit of a model by name, and any text at all.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn one(text: &str) -> (Value, Vec<&'static str>) {
    let mut found = objects(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    let found = found.remove(0);
    (found.value, found.repairs)
}

#[test]
fn plain_json_needs_no_repair() {
    assert_eq!(
        one(r#" {"a": [1, 2.5, "x"]} "#),
        (json!({"a": [1, 2.5, "x"]}), vec![])
    );
}

#[test]
fn each_habit_is_put_right_and_named() {
    let want = json!({"a": 1, "b": ["x"], "c": true});
    let cases = [
        (
            "```json\n{\"a\":1,\"b\":[\"x\"],\"c\":true}\n```",
            "a code fence was taken off",
        ),
        (
            "Sure! {\"a\":1,\"b\":[\"x\"],\"c\":true} Hope it helps.",
            "text around the JSON was left out",
        ),
        (
            "{\"a\":1,\"b\":[\"x\",],\"c\":true,}",
            "a stray comma was left out",
        ),
        (
            "{\"a\":1, // one\n\"b\":[\"x\"], /* two */ \"c\":true}",
            "comments were left out",
        ),
        ("{'a':1,'b':['x'],'c':true}", "quotes were put right"),
        ("{a:1,b:[\"x\"],c:true}", "quotes were added to keys"),
        (
            "{\"a\":1,\"b\":[\"x\"],\"c\":True}",
            "words of another language were put right",
        ),
        ("{“a”:1,“b”:[“x”],“c”:true}", "quotes were put right"),
        ("{\"a\":1,\"b\":[\"x\"],\"c\":true", "a cut-off tail was closed"),
        (
            "{\"a\":1,\"b\":[\"x\"],\"c\":true,\"d\":\"half",
            "a cut-off tail was closed",
        ),
    ];
    for (text, repair) in cases {
        let found = objects(text);
        assert_eq!(found[0].value, want, "{text}");
        // a literal at the very end of the text may have been cut
        assert!(
            found[0].repairs.contains(&repair) || found[0].cut,
            "{text}: {:?}",
            found[0].repairs
        );
    }
}

#[test]
fn what_was_cut_in_its_middle_is_left_out() {
    assert_eq!(
        objects(r#"{"d": ["xrd-1", "xrd-1"#)[0].value,
        json!({"d": ["xrd-1"]})
    );
    assert_eq!(objects(r#"{"a": 1, "port": 17"#)[0].value, json!({"a": 1}));
    assert_eq!(objects(r#"{"a": 1, "na"#)[0].value, json!({"a": 1}));
    assert!(objects(r#"{"a": 1, "na"#)[0].cut);
}

#[test]
fn several_objects_are_all_found() {
    let values: Vec<Value> = objects("first {\"a\":1} then {\"b\":2}")
        .into_iter()
        .map(|f| f.value)
        .collect();
    assert_eq!(values, [json!({"a": 1}), json!({"b": 2})]);
    assert!(objects("no object [1, 2]").is_empty());
}

#[test]
fn depth_and_size_are_bounded() {
    assert!(
        objects(&"{\"a\":".repeat(100_000))
            .iter()
            .all(|f| f.value.is_object())
    );
    assert!(objects(&"[".repeat(1_000_000)).is_empty());
    let _ = objects(&"{".repeat(200_000));
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "[{}\\[\\]\":,a1\\\\ntrue'#/* é“]{0,200}") {
        let _ = objects(&text);
    }

    #[test]
    fn any_prefix_of_json_gives_only_whole_values(cut in 0usize..80) {
        let text = r#"{"steps": [{"device": "xrd-12", "n": 42}, {"device": "xrd-7", "n": 5}], "ok": true}"#;
        for found in objects(&text[..cut.min(text.len())]) {
            for step in found.value["steps"].as_array().into_iter().flatten() {
                let device = step.get("device").and_then(Value::as_str);
                prop_assert!(device.is_none_or(|d| ["xrd-12", "xrd-7"].contains(&d)));
                prop_assert!(step.get("n").is_none_or(|n| *n == 42 || *n == 5));
            }
        }
    }
}
