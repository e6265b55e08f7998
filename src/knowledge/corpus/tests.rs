//! Searches over the built-in runbooks, the handbook and a few tools.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::*;
use crate::agent::model::{CallOutcome, Purpose, Risk, ToolCall};
use crate::agent::ports::CallContext;
use crate::knowledge::handbook;

fn knowledge() -> Knowledge {
    Knowledge::new(&Runbooks::built_in(), &handbook()).unwrap()
}

fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        id: format!("collector.{name}"),
        server: "collector".into(),
        name: name.into(),
        description: description.into(),
        input_schema: Arc::new(json!({"properties": {"device_name": {}}})),
        purpose: Purpose::Routing,
        risk: Risk::ReadOnly,
    }
}

fn find(knowledge: &Knowledge, query: &str) -> Vec<Passage> {
    knowledge.find(&[query.to_owned()], 5).unwrap()
}

#[test]
fn symptoms_find_the_notes_that_explain_them() {
    let knowledge = knowledge();
    for (query, source, heading) in [
        (
            "BGP session stuck in ACTIVE",
            "notes/bgp.md",
            "Session stuck in ACTIVE",
        ),
        (
            "hold timer expired flapping",
            "notes/bgp.md",
            "Session that flaps on the hold timer",
        ),
        ("isis adjacency missing interface up", "notes/isis.md", ""),
        ("SRGB differs on one router", "notes/segment-routing.md", "SRGB"),
        ("CRC errors rising", "notes/interfaces.md", "FCS errors"),
        ("route target import missing", "notes/l3vpn.md", "Route targets"),
        ("duplicate system id", "notes/isis.md", "Duplicate system id"),
        (
            "is the router dead or only management",
            "notes/system-and-time.md",
            "Management does not answer",
        ),
    ] {
        let found = find(&knowledge, query);
        let hit = found
            .iter()
            .take(3)
            .any(|p| p.source == source && p.heading.ends_with(heading));
        let seen: Vec<String> = found
            .iter()
            .map(|p| format!("{} {}", p.source, p.heading))
            .collect();
        assert!(hit, "{query}: {seen:#?}");
    }
}

#[test]
fn an_intent_gives_its_steps_first_and_in_order() {
    let knowledge = knowledge();
    let queries = ["check_bgp_neighbors".to_owned(), "hold timer".to_owned()];
    let found = knowledge.find(&queries, 12).unwrap();
    let runbooks = Runbooks::built_in();
    let runbook = runbooks.get("check_bgp_neighbors").unwrap().unwrap();
    for (i, step) in runbook.steps.iter().enumerate() {
        assert_eq!(found[i].source, "plans/check_bgp_neighbors.json");
        assert!(
            found[i].heading.starts_with(&format!("step {} · ", i + 1)),
            "{}",
            found[i].heading
        );
        assert_eq!(&found[i].text, step);
    }
    assert!(found.iter().any(|passage| passage.source == "notes/bgp.md"));
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn scores_add_up_over_queries_and_passages_appear_once() {
    let knowledge = knowledge();
    let queries = ["hold timer expired".to_owned(), "hold timer flapping".to_owned()];
    let found = knowledge.find(&queries, 10).unwrap();
    assert!(
        found[0].score > 1.0 && found[0].heading.contains("hold timer"),
        "{:?}",
        found[0]
    );
    let mut seen: Vec<_> = found.iter().map(|p| (&p.source, &p.heading, &p.text)).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), found.len());
}

#[test]
fn hostile_empty_and_huge_queries_are_harmless() {
    let knowledge = knowledge();
    assert!(find(&knowledge, "").is_empty());
    assert!(find(&knowledge, "\"*:(){}^\u{1b}[0m").is_empty());
    assert!(!find(&knowledge, &"bgp ' OR 1=1 -- ".repeat(6_000)).is_empty());
}

#[test]
fn tools_are_replaced_as_a_whole() {
    let knowledge = knowledge();
    knowledge
        .shelve(&[tool("get_fan_speed", "Speed of the fans of a chassis.")])
        .unwrap();
    assert_eq!(find(&knowledge, "fan speed")[0].source, "collector.get_fan_speed");
    assert!(
        find(&knowledge, "fan speed")[0]
            .text
            .contains("Arguments: device_name")
    );
    knowledge
        .shelve(&[tool("get_lunch", "Menu of the canteen.")])
        .unwrap();
    assert!(
        find(&knowledge, "chassis fans")
            .iter()
            .all(|p| !p.source.contains("fan"))
    );
    assert_eq!(find(&knowledge, "canteen")[0].source, "collector.get_lunch");
}

struct Tools(AtomicUsize);

#[async_trait]
impl Toolbox for Tools {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(PortError("not ready".into())),
            1 => Ok(vec![tool("get_fan_speed", "Speed of the fans.")]),
            _ => Ok(vec![tool("get_optics", "Light levels of the optics.")]),
        }
    }

    async fn call(&self, _: &ToolCall, _: &dyn CallContext) -> CallOutcome {
        unreachable!("a search calls no tool")
    }
}

#[tokio::test]
async fn the_port_follows_a_changing_list_of_tools() {
    let knowledge = knowledge().with_toolbox(Arc::new(Tools(AtomicUsize::new(0))));
    let search = async |text: &str| knowledge.search(&[text.to_owned()], 3).await.unwrap();
    assert!(
        search("bgp session")
            .await
            .iter()
            .all(|p| !p.source.starts_with("collector."))
    );
    assert_eq!(search("fan speed").await[0].source, "collector.get_fan_speed");
    assert_eq!(search("light levels").await[0].source, "collector.get_optics");
}
