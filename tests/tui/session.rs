//! A recorded session for the screen's tests and benches: one BGP session down, found and explained.
//!
//! Written in the form events have on disk. The figures are made up and belong to no real network.

use noctui::agent::event::{Event, Recorded};
use noctui::agent::model::Timestamp;
use serde_json::{Value, json};

/// 2026-11-22 02:13:00 UTC.
pub const START: i64 = 1_795_313_580_000;

/// Builds a session event by event.
pub struct Session {
    pub events: Vec<Recorded>,
    at: i64,
}

impl Session {
    pub fn new() -> Self {
        Self {
            events: Vec::new(),
            at: START,
        }
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: i64) -> &mut Self {
        self.at += ms;
        self
    }

    /// Adds an event by its tag on disk.
    pub fn add(&mut self, tag: &str, body: Value) -> &mut Self {
        let event = Event::from_stored(&format!("{tag}.1"), body.clone());
        assert!(
            !matches!(event, Event::Unknown { .. }),
            "{tag} does not read: {body}"
        );
        let seq = self.events.len() as u64 + 1;
        self.events.push(Recorded {
            seq,
            at: Timestamp(self.at),
            event,
        });
        self
    }

    pub fn opened(query: &str, context: &str) -> Self {
        let mut s = Self::new();
        let options = json!({"limits": {"planning_loops": 3, "retries": 2, "tool_calls": 200, "seconds": 600, "turns": 8,
            "transient_retries": 1, "clarification_rounds": 3}, "reasoner": "rules", "context": context});
        s.add(
            "session_opened",
            json!({"query": {"text": query}, "options": options}),
        );
        s.add("phase_entered", json!({"phase": "intake"}));
        s.wait(120).add("tools_listed", json!({"tools": tools()}));
        s
    }

    pub fn call(
        &mut self,
        id: u32,
        lane: Option<u32>,
        step: Option<u32>,
        tool: &str,
        args: Value,
        devices: &[&str],
    ) -> &mut Self {
        self.add(
            "call_requested",
            json!({"call": {"id": id, "lane": lane, "step": step, "tool": format!("collector.{tool}"),
            "arguments": args, "devices": devices, "why": "the step asks for it"}}),
        )
    }

    pub fn answered(&mut self, id: u32, ms: i64, value: Value) -> &mut Self {
        let (from, until) = (self.at, self.at + ms);
        self.at = until;
        self.add("call_ended", json!({"call": id, "attempt": 0, "outcome": {"value": value, "started_at": from, "ended_at": until,
            "trace": ["schema ok", "profile read-only", "cache miss", "bucket ok"]}}))
    }

    pub fn failed(&mut self, id: u32, attempt: u32, kind: &str, message: &str) -> &mut Self {
        let (from, until) = (self.at, self.at + 5_000);
        self.at = until;
        self.add(
            "call_ended",
            json!({"call": id, "attempt": attempt, "outcome": {"failure": {"kind": kind, "message": message},
            "started_at": from, "ended_at": until}}),
        )
    }

    pub fn act(&mut self, lane: u32, step: u32, turn: u32) -> &mut Self {
        self.add(
            "action_chosen",
            json!({"lane": lane, "step": step, "turn": turn, "action": {"do": "call", "calls": []}}),
        )
    }
}

fn tools() -> Value {
    let tool = |name: &str, purpose: &str, description: &str| {
        json!({"id": format!("collector.{name}"), "server": "collector", "name": name, "description": description,
            "input_schema": {"type": "object", "properties": {"minutes": {"type": "integer"}}}, "purpose": purpose, "risk": "read_only"})
    };
    json!([
        tool("get_devices", "inventory", "Lists the devices of the inventory."),
        tool("get_routing_info", "routing", "BGP and IS-IS state of a device."),
        tool(
            "get_interface_info",
            "interfaces",
            "Interfaces, brief or one in detail."
        ),
        tool("get_logs", "logs", "Log lines of a device, filtered."),
        tool("get_network_topology", "topology", "Links between devices."),
    ])
}

fn devices() -> Value {
    let row = |name: &str, role: &str, n: u32| json!({"name": name, "address": format!("127.0.0.{n}"), "nos": "iosxr", "role": role});
    json!([
        row("xrd-1", "pe", 1),
        row("xrd-2", "pe", 2),
        row("xrd-3", "p", 3),
        row("xrd-4", "p", 4),
        row("xrd-5", "p", 5),
        row("xrd-6", "p", 6),
        row("xrd-7", "rr", 7),
        row("xrd-8", "rr", 8)
    ])
}

fn links() -> Value {
    let cable = |a: &str, ai: u32, b: &str, bi: u32| {
        json!({"source": a, "target": b, "attributes": {"local_interface": format!("GigabitEthernet0/0/0/{ai}"),
            "remote_interface": format!("GigabitEthernet0/0/0/{bi}")}})
    };
    json!([
        cable("xrd-1", 0, "xrd-3", 2),
        cable("xrd-1", 1, "xrd-5", 2),
        cable("xrd-2", 0, "xrd-4", 2),
        cable("xrd-2", 1, "xrd-6", 2),
        cable("xrd-3", 0, "xrd-4", 0),
        cable("xrd-5", 0, "xrd-6", 0),
        cable("xrd-3", 1, "xrd-5", 1),
        cable("xrd-4", 1, "xrd-6", 1),
        cable("xrd-3", 3, "xrd-7", 0),
        cable("xrd-4", 3, "xrd-7", 1),
        cable("xrd-5", 3, "xrd-8", 0),
        cable("xrd-6", 3, "xrd-8", 1)
    ])
}

fn step(id: u32, title: &str, instruction: &str, n: u32) -> Value {
    json!({"id": id, "title": title, "instruction": instruction, "kind": "instruction", "scope": {"over": "targets"},
        "aspects": ["bgp"], "provenance": [{"from": "runbook", "intent": "check_bgp_neighbors", "step": n}]})
}

fn steps() -> Vec<Value> {
    vec![
        step(
            1,
            "Confirm the sessions",
            "List the BGP neighbours and their states. ESTABLISHED is normal; ACTIVE or IDLE is not.",
            1,
        ),
        step(
            2,
            "Inspect peers that are down",
            "For each peer that is not ESTABLISHED look at remote AS, last error and configuration.",
            2,
        ),
        step(
            3,
            "Correlate with the logs",
            "If a peer is down, look for BGP notifications about it in the last hour.",
            3,
        ),
        step(
            4,
            "Check reachability",
            "Check that the peer's loopback is in IS-IS and the interfaces towards it are up.",
            4,
        ),
    ]
}

fn bgp() -> Value {
    json!({"device_name": "xrd-1", "ip_address": "127.0.0.1", "nos": "iosxr", "status": "success", "data": {"bgp": {
        "local_as": 100, "router_id": "100.100.100.101", "neighbors": [
            {"address": "100.100.100.107", "remote_as": 65001, "state": "ACTIVE", "group": "RR", "last_error": "bad peer AS",
             "up_since": null, "prefixes": {"received": 0, "accepted": 0}},
            {"address": "100.100.100.108", "remote_as": 100, "state": "ESTABLISHED", "group": "RR", "last_error": null,
             "up_since": "2026-11-20T18:01:00Z", "prefixes": {"received": 42, "accepted": 42}}
        ]}}, "metadata": {}})
}

const PEER: &str = "/data/bgp/neighbors/0/state";
const AS: &str = "/data/bgp/neighbors/0/remote_as";

fn finding(id: u32, severity: &str, pointer: &str, statement: &str, at: i64) -> Value {
    json!({"id": id, "detector": "bgp.session", "resource": "session/xrd-1--100.100.100.107", "fault": "bgp_remote_as_wrong",
        "severity": severity, "statement": statement, "at": at, "past": false,
        "citations": [{"evidence": 3, "pointer": pointer, "claim": {"is": "present"}}]})
}

/// Intake: devices and links are known, the query is understood.
pub fn intake() -> Session {
    let mut s = Session::opened("Check BGP neighbours on xrd-1", "lab S");
    s.call(1, None, None, "get_devices", json!({}), &[]);
    s.answered(1, 31, json!({"devices": devices()}));
    s.add("devices_listed", json!({"devices": devices()}));
    s.add("query_read", json!({"reading": {"intent": "check_bgp_neighbors", "objective": "Find out which BGP sessions of xrd-1 are down and why",
        "result_requirement": "each session with its state and the cause where it is down", "targets": {"by": "names", "value": ["xrd-1"]},
        "entities": {"devices": ["xrd-1"], "vrfs": ["CUST-A"]}, "window": {"from": START - 3_600_000, "until": START}}}));
    s.add("targets_resolved", json!({"targets": ["xrd-1"]}));
    s.call(2, None, None, "get_network_topology", json!({}), &[]);
    s.answered(
        2,
        88,
        json!({"device_name": "ALL_DEVICES", "status": "success", "data": {"direct_connections": links()}}),
    );
    s
}

/// Two loops of planner and critic; plan v1 stands.
pub fn planned() -> Session {
    let mut s = intake();
    s.add("phase_entered", json!({"phase": "planning"}));
    s.add("passages_found", json!({"draft": 0, "passages": [{"source": "handbook/bgp.md", "heading": "BGP states", "text": "", "score": 7.1}]}));
    s.wait(40).add("plan_drafted", json!({"draft": 0, "plan": {"objective": "Explain the BGP sessions of xrd-1", "runbook": "check_bgp_neighbors",
        "strategy": "conservative", "steps": &steps()[..3], "rationale": "The runbook covers states, peers and logs."}}));
    s.wait(25).add("plan_criticised", json!({"draft": 0, "critique": {"pass": false, "confidence": 0.65,
        "missing": ["whether the peer's loopback is reachable"], "next_search": ["bgp notification", "loopback in IS-IS"],
        "risk_flags": [{"risk": "logs alone can mislead after a reload", "confidence": 0.4}]}}));
    s.add("passages_found", json!({"draft": 1, "passages": [{"source": "handbook/isis.md", "heading": "Loopbacks", "text": "", "score": 5.0}]}));
    s.wait(40).add("plan_drafted", json!({"draft": 1, "plan": {"objective": "Explain the BGP sessions of xrd-1", "runbook": "check_bgp_neighbors",
        "strategy": "conservative", "steps": steps(), "rationale": "Added a reachability check, as the critic asked."}}));
    s.wait(25).add(
        "plan_criticised",
        json!({"draft": 1, "critique": {"pass": true, "confidence": 0.92}}),
    );
    s.add("plan_settled", json!({"plan": {"version": 1, "reason": "the critic passed draft 2", "objective": "Explain the BGP sessions of xrd-1",
        "runbook": "check_bgp_neighbors", "strategy": "conservative", "steps": steps(), "at": START + 400}}));
    s
}

/// Step 1 is done, step 2 runs, a call for the logs is under way.
pub fn executing() -> Session {
    let mut s = planned();
    s.add("phase_entered", json!({"phase": "execution"}));
    s.add("step_started", json!({"lane": 1, "step": 1})).act(1, 1, 0);
    s.call(
        3,
        Some(1),
        Some(1),
        "get_routing_info",
        json!({"device_name": "xrd-1", "protocol": "bgp", "detail": true}),
        &["xrd-1"],
    );
    s.answered(3, 38, bgp());
    s.add(
        "findings_added",
        json!({"call": 3, "findings": [
        finding(1, "critical", PEER, "session to 100.100.100.107 is ACTIVE, group RR", START - 600_000),
        finding(2, "warning", AS, "remote AS 65001 is configured, the other RR uses 100", START + 900)]}),
    );
    s.add(
        "step_ended",
        json!({"lane": 1, "step": 1, "summary": "1 of 2 sessions is down"}),
    );
    s.add("hypotheses_ranked", json!({"hypotheses": hypotheses()}));
    s.add("step_started", json!({"lane": 1, "step": 2})).act(1, 2, 0);
    s.call(
        4,
        Some(1),
        Some(2),
        "get_logs",
        json!({"device_name": "xrd-1", "keywords": "BGP", "minutes": 60}),
        &["xrd-1"],
    );
    s
}

fn hypotheses() -> Value {
    json!([
        {"id": 1, "resource": "session/xrd-1--100.100.100.107", "fault": "bgp_remote_as_wrong", "standing": "supported", "weight": 0.71,
         "confidence": "LIKELY", "supports": [1, 2], "explains": [], "reasoning": "The configured AS differs from that of the other RR, and the last error says bad peer AS.",
         "check": {"instruction": "Read the AS that xrd-7 itself uses.", "aspects": ["bgp"], "devices": ["xrd-7"]}},
        {"id": 2, "resource": "node/xrd-7", "fault": "node_down", "standing": "open", "weight": 0.19, "confidence": "INCONCLUSIVE",
         "supports": [1], "explains": [], "reasoning": "A dead reflector would also explain the ACTIVE session.", "check": null},
        {"id": 3, "resource": "session/xrd-1--100.100.100.107", "fault": "bgp_auth_mismatch", "standing": "ruled_out", "weight": 0.05,
         "confidence": "INCONCLUSIVE", "supports": [], "explains": [], "reasoning": "No MD5 complaints in the session's last error."}
    ])
}

/// The log call failed twice; the human is asked.
pub fn asking() -> Session {
    let mut s = executing();
    s.failed(4, 0, "timeout", "deadline exceeded after 5 s");
    s.failed(4, 1, "timeout", "deadline exceeded after 5 s");
    s.add("question_asked", json!({"question": {"id": 1, "kind": "tool_failure", "call": 4,
        "failure": {"kind": "timeout", "message": "deadline exceeded after 5 s"}, "devices": ["xrd-1"],
        "text": "get_logs on xrd-1 failed: deadline exceeded after 5 s (2nd time).", "lane": 1, "step": 2, "at": START + 12_000}}));
    s
}

/// A question of each of the other kinds.
pub fn question(kind: &str) -> Session {
    let mut s = executing();
    let extra = match kind {
        "clarification" => json!({"round": 1}),
        "approval" => json!({"call": 4}),
        "step_failure" => {
            json!({"effect": {"effect": "criticise", "draft": 1}, "reason": "the model answered with something that is no critique, twice"})
        }
        "plan_approval" => json!({"version": 2}),
        "known_answer" => json!({"session": "20261121-2200-abcd"}),
        "elicitation" => json!({"call": 4, "server": "syslog", "schema": {"type": "object",
            "properties": {"from": {"type": "string"}, "until": {"type": "string"}}, "required": ["from"]}}),
        other => panic!("{other}"),
    };
    let text = match kind {
        "clarification" => "Which router do you mean? The inventory has 8.",
        "approval" => "May get_logs run on xrd-1? The policy asks before every log search.",
        "step_failure" => "The critic failed.",
        "known_answer" => "Somebody asked this 12 minutes ago. Use that answer?",
        "elicitation" => "syslog asks: from when on shall the archive be searched?",
        _ => "Plan v2 adds a check of xrd-7. Shall it run?",
    };
    let mut question = json!({"id": 1, "kind": kind, "text": text, "lane": 1, "step": 2, "at": START + 2_000,
        "suggestions": if kind == "clarification" { json!(["xrd-1", "xrd-2", "all PEs"]) } else { json!([]) }});
    question
        .as_object_mut()
        .unwrap()
        .extend(extra.as_object().unwrap().clone());
    s.add("question_asked", json!({"question": question}));
    s
}

/// One step on two devices, each read without anything to tell.
pub fn quiet_sweep() -> Session {
    let mut s = intake();
    s.add("targets_resolved", json!({"targets": ["xrd-1", "xrd-2"]}));
    let step = json!({"id": 1, "title": "Look at both", "instruction": "Look at both.", "kind": "instruction",
        "scope": {"over": "targets"}, "aspects": ["interfaces"], "provenance": [{"from": "reasoner"}]});
    s.add(
        "plan_settled",
        json!({"plan": {"version": 1, "reason": "first", "objective": "Look", "steps": [step], "at": START}}),
    );
    s.add("phase_entered", json!({"phase": "execution"}));
    for (lane, name) in [(1, "xrd-1"), (2, "xrd-2")] {
        s.add("step_started", json!({"lane": lane, "step": 1}))
            .act(lane, 1, 0);
        s.call(
            10 + lane,
            Some(lane),
            Some(1),
            "get_interface_info",
            json!({ "device_name": name }),
            &[name],
        );
        s.answered(
            10 + lane,
            20,
            json!({"device_name": name, "status": "success", "data": {}}),
        );
        s.add(
            "step_ended",
            json!({"lane": lane, "step": 1, "summary": "nothing out of order"}),
        );
    }
    s
}

/// From the question on to plan v2, the verdict and the report.
pub fn finished() -> Session {
    let mut s = asking();
    s.wait(4_000).add(
        "question_answered",
        json!({"question": 1, "answer": {"answer": "skip"}, "by": "human"}),
    );
    s.add("step_ended", json!({"lane": 1, "step": 2, "summary": "remote AS differs", "limitation": "the logs of xrd-1 were not read"}));
    s.add(
        "revision_wanted",
        json!({"reason": "F2: the reflector's own AS tells the hypotheses apart"}),
    );
    let mut wider = steps();
    wider.push(json!({"id": 5, "title": "Read the reflector's own AS", "instruction": "Read the AS and the sessions of xrd-7.", "kind": "instruction",
        "scope": {"over": "devices", "devices": ["xrd-7"]}, "aspects": ["bgp"], "provenance": [{"from": "hypothesis", "hypothesis": 1}]}));
    s.add("plan_settled", json!({"plan": {"version": 2, "reason": "F2: the reflector's own AS tells the hypotheses apart",
        "objective": "Explain the BGP sessions of xrd-1", "runbook": "check_bgp_neighbors", "strategy": "conservative", "steps": wider, "at": START + 16_000}}));
    s.add("step_started", json!({"lane": 7, "step": 5})).act(7, 5, 0);
    s.call(
        5,
        Some(7),
        Some(5),
        "get_routing_info",
        json!({"device_name": "xrd-7", "protocol": "bgp"}),
        &["xrd-7"],
    );
    s.answered(5, 44, json!({"device_name": "xrd-7", "status": "success", "data": {"bgp": {"local_as": 100, "neighbors": []}}}));
    s.add("findings_added", json!({"call": 5, "findings": []}));
    s.add(
        "step_ended",
        json!({"lane": 7, "step": 5, "summary": "xrd-7 is in AS 100"}),
    );
    for id in [3, 4] {
        s.add("step_started", json!({"lane": 1, "step": id}));
        s.add(
            "step_ended",
            json!({"lane": 1, "step": id, "summary": "nothing conspicuous"}),
        );
    }
    s.add("phase_entered", json!({"phase": "assessment"}));
    s.add("assessed", json!({"attempt": 0, "assessment": {"objective_met": true, "reasoning": "every session is explained", "confidence": 0.9, "next": "report"}}));
    s.add("phase_entered", json!({"phase": "reporting"}));
    s.add("verdict_reached", json!({"verdict": {"anomaly": true, "confidence": "CONFIRMED", "causes": [{
        "resource": "session/xrd-1--100.100.100.107", "fault": "bgp_remote_as_wrong", "confidence": "CONFIRMED",
        "statement": "xrd-1 expects AS 65001 from 100.100.100.107, but xrd-7 is in AS 100: the session can never come up.",
        "citations": [{"evidence": 3, "pointer": AS, "claim": {"is": "equals", "value": 65001}},
            {"evidence": 6, "pointer": "/data/bgp/local_as", "claim": {"is": "equals", "value": 100}}],
        "consequences": [1], "suggested_change": "router bgp 100\n neighbor 100.100.100.107\n  remote-as 100"}],
        "ruled_out": ["node_down on node/xrd-7: it answers and has sessions [E6]", "bgp_auth_mismatch: the last error is about the AS [E3]"],
        "unobserved": [{"device": "xrd-1", "reason": "logs were not read: deadline exceeded"}],
        "would_change": ["a notification in the logs that names another reason"]}}));
    s.wait(30).add("report_written", json!({"prose": {"headline": "The session from xrd-1 to the reflector xrd-7 is down because xrd-1 expects the wrong AS.",
        "body": "## What is wrong\n\nxrd-1 is configured with **remote AS 65001** for 100.100.100.107 [E3]; xrd-7 itself is in AS 100 [E6].\n\n## What was checked\n\n| step | result |\n|---|---|\n| sessions | 1 of 2 down [E3] |\n| reflector | AS 100 [E6] |\n\n## For you to do\n\n1. Correct the remote AS on xrd-1.\n2. Watch the session come up.\n\n```\nrouter bgp 100\n neighbor 100.100.100.107\n  remote-as 100\n```\n"}}));
    s.add("session_ended", json!({"outcome": {"outcome": "reported"}}));
    s
}
