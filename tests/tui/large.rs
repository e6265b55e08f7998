//! A session of any size, for what must stay fast: 500 devices, 100,000 events.

use noctui::agent::event::Recorded;
use serde_json::json;

use super::session::{START, Session};

/// About `events` events over `devices` devices: steps on lanes, calls, findings, as a long session has them.
pub fn session(devices: u32, events: usize) -> Vec<Recorded> {
    let mut s = Session::opened("How is the whole network doing?", "lab generated");
    let names: Vec<String> = (1..=devices).map(|i| format!("r{i:04}")).collect();
    let roles = ["pe", "p", "p", "rr"];
    let rows: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(i, n)| json!({"name": n, "role": roles[i % 4]}))
        .collect();
    s.add("devices_listed", json!({ "devices": rows }));
    s.add("query_read", json!({"reading": {"intent": "general_device_health_check", "objective": "Look at every device",
        "result_requirement": "what is wrong where", "targets": {"by": "all"}, "window": {"from": START - 3_600_000, "until": START}}}));
    s.add("targets_resolved", json!({ "targets": names }));
    let step = |id: u32| {
        json!({"id": id, "title": format!("Look at part {id}"), "instruction": "Look at it.", "kind": "instruction",
        "scope": {"over": "targets"}, "aspects": ["interfaces"], "provenance": [{"from": "reasoner"}]})
    };
    let steps: Vec<_> = (1..=40).map(step).collect();
    s.add("plan_settled", json!({"plan": {"version": 1, "reason": "first", "objective": "Look at every device", "steps": steps, "at": START}}));
    s.add("phase_entered", json!({"phase": "execution"}));
    let (mut call, mut finding) = (0, 0);
    'outer: for step in 1..=40u32 {
        for (lane, name) in (1..).zip(&names) {
            if s.events.len() + 5 > events {
                break 'outer;
            }
            call += 1;
            s.wait(3)
                .add("step_started", json!({"lane": lane, "step": step}))
                .act(lane, step, 0);
            s.call(
                call,
                Some(lane),
                Some(step),
                "get_interface_info",
                json!({ "device_name": name }),
                &[name.as_str()],
            );
            s.answered(
                call,
                20 + i64::from(lane % 50),
                json!({"device_name": name, "status": "success", "data": {"errors": lane}}),
            );
            let bad = call % 97 == 0;
            finding += u32::from(bad);
            let found = json!([{"id": finding, "detector": "interface.errors", "resource": format!("node/{name}"), "severity": "warning",
                "statement": format!("{name} counts errors on an interface"), "at": START,
                "citations": [{"evidence": call, "pointer": "/data/errors", "claim": {"is": "present"}}]}]);
            s.add(
                "findings_added",
                json!({"call": call, "findings": if bad { found } else { json!([]) }}),
            );
            s.add(
                "step_ended",
                json!({"lane": lane, "step": step, "summary": "nothing conspicuous"}),
            );
        }
    }
    s.events
}
