//! Whole sessions in this process: runtime, machine and rules reasoner on tools without a network.
//!
//! With all tools, trees are rendered as the collector would read them; with the contract's ten, the real
//! collector reads the lab's targets on loopback. Every answer depends on its call alone, and none on time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use async_trait::async_trait;
use noctui::agent::model::*;
use noctui::agent::ports::*;
use noctui::agent::state::State;
use noctui::eval::{Opened, Stage};
use noctui::gnmi::client::Limits as ClientLimits;
use noctui::gnmi::collector::{Collector, Outcome as Answered, Silent};
use noctui::gnmi::inventory::{Fallback, Inventory};
use noctui::knowledge::{Knowledge, Runbooks, handbook};
use noctui::lab::live::LiveLab;
use noctui::lab::openconfig::{self, encode, tree::DataKind};
use noctui::lab::scenario::{self, Scenario};
use noctui::lab::state::DeviceState;
use noctui::lab::target::{LabOptions, LabRunning};
use noctui::lab::{Lab, NetworkState};
use noctui::proto::path::parse;
use noctui::reason::rules::Rules;
use noctui::runtime::{self, Handle};
use noctui::tools::outcome;
use serde_json::{Map, Value, json};

use super::bench::EPOCH_MS;

/// Which tools there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tools {
    /// Any path of several routers at once, and their logs.
    All,
    /// The contract's ten.
    Contract,
}

/// In which order answers to calls made together come back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    AsAsked,
    Reversed,
}

const CONTRACT: [(&str, Purpose, &[&str]); 9] = [
    ("get_devices", Purpose::Inventory, &[]),
    ("get_device_profile_api", Purpose::Profile, &["device_name"]),
    ("get_system_info", Purpose::System, &["device_name"]),
    (
        "get_interface_info",
        Purpose::Interfaces,
        &["device_name", "interface"],
    ),
    (
        "get_routing_info",
        Purpose::Routing,
        &["device_name", "protocol", "include_details"],
    ),
    (
        "get_mpls_info",
        Purpose::Mpls,
        &["device_name", "include_details"],
    ),
    (
        "get_vpn_info",
        Purpose::Vpn,
        &["device_name", "vrf_name", "include_details"],
    ),
    ("get_logs", Purpose::Logs, &["device_name", "minutes"]),
    ("get_network_topology_api", Purpose::Topology, &[]),
];

const ALL: [(&str, Purpose, &[&str]); 3] = [
    ("get_devices", Purpose::Inventory, &[]),
    ("gnmi_get_many", Purpose::GetMany, &["devices", "paths"]),
    ("get_logs_many", Purpose::LogsMany, &["devices", "minutes"]),
];

fn specs(tools: Tools) -> Vec<ToolSpec> {
    let list: &[(&str, Purpose, &[&str])] = match tools {
        Tools::All => &ALL,
        Tools::Contract => &CONTRACT,
    };
    let spec = |(name, purpose, parameters): &(&str, Purpose, &[&str])| {
        let properties: Map<String, Value> =
            parameters.iter().map(|p| ((*p).to_owned(), json!({}))).collect();
        ToolSpec {
            id: format!("gnmi.{name}"),
            server: "gnmi".into(),
            name: (*name).into(),
            description: String::new(),
            input_schema: Arc::new(json!({"type": "object", "properties": properties})),
            purpose: *purpose,
            risk: Risk::ReadOnly,
        }
    };
    list.iter().map(spec).collect()
}

/// The tools of one session.
struct Bench {
    lab: Lab,
    snapshots: Mutex<BTreeMap<i64, Arc<NetworkState>>>,
    tools: Tools,
    order: Order,
    collector: Option<Collector>,
    in_flight: AtomicUsize,
    made: Mutex<BTreeMap<CallId, String>>,
}

impl Bench {
    fn snapshot(&self, now: i64) -> Arc<NetworkState> {
        let mut known = self.snapshots.lock().unwrap();
        let snapshot = known.entry(now).or_insert_with(|| self.lab.snapshot(now));
        snapshot.clone()
    }

    fn many(&self, call: &ToolCall, now: i64) -> Value {
        let texts = |key: &str| -> Vec<String> {
            let list = call
                .arguments
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
        };
        let snapshot = self.snapshot(now);
        let paths = texts("paths");
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut answers = Map::new();
        for name in texts("devices") {
            let answer = if !snapshot.device(&name).unwrap().management.reachable {
                let message = format!("Connection refused when connecting to {name}");
                json!({"device_name": name, "status": "failed", "data": {},
                    "error_response": {"type": "CONNECTION_REFUSED", "message": message, "details": {"kind": "unreachable"}}})
            } else {
                let data = if paths.is_empty() {
                    let minutes = call.arguments["minutes"].as_i64().unwrap();
                    let lines = snapshot.logs(&name, now - minutes * 60_000);
                    let lines: Vec<Value> = lines.iter().map(|l| json!({"message": l.render()})).collect();
                    json!({"logs": lines})
                } else {
                    read(&snapshot.device(&name).unwrap(), &paths)
                };
                json!({"device_name": name, "status": "success", "data": data, "error_response": null})
            };
            answers.insert(name, answer);
        }
        json!({"device_name": "MULTIPLE_DEVICES", "status": "success", "data": {"devices": answers}})
    }

    async fn answer(&self, call: &ToolCall, now: i64) -> Value {
        let name = call.tool.trim_start_matches("gnmi.");
        match &self.collector {
            Some(collector) => match collector.call(name, &call.arguments, &Silent).await {
                Answered::Answer(value) => value,
                Answered::Refused(why) => panic!("{name}: {why}"),
            },
            None if name == "get_devices" => {
                let names = self.lab.network().names().map(str::to_owned).collect::<Vec<_>>();
                let devices: Vec<Value> = names.iter().map(|n| json!({"name": n, "nos": "iosxr"})).collect();
                json!({"devices": devices, "count": devices.len()})
            }
            None => self.many(call, now),
        }
    }
}

/// A Get of these paths as the collector answers it: a subtree, or, for a path with wildcards, subtrees by
/// their concrete paths.
fn read(device: &DeviceState, paths: &[&str]) -> Value {
    let exposure = openconfig::Exposure {
        port: 57400,
        transport_security: false,
        username: "cisco".into(),
    };
    let mut data = Map::new();
    for text in paths {
        let path = parse(text).unwrap();
        let of = openconfig::Device {
            state: device,
            exposure: &exposure,
        };
        let found = openconfig::render(of, &path.elem, DataKind::All);
        let value = |node: &_| encode::json(node, encode::JsonFlavour::Ietf);
        let open = text.contains('*');
        let pieces: Map<String, Value> = found
            .iter()
            .map(|f| {
                let elems = f.path.iter().map(|e| {
                    let keys: String = e.key.iter().map(|(k, v)| format!("[{k}={v}]")).collect();
                    format!("/{}{keys}", e.name)
                });
                (elems.collect::<String>(), value(&f.node))
            })
            .collect();
        match found.first() {
            Some(one) if !open => data.insert((*text).to_owned(), value(&one.node)),
            Some(_) => data.insert((*text).to_owned(), pieces.into()),
            None => None,
        };
    }
    Value::Object(data)
}

#[async_trait]
impl Toolbox for Bench {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        Ok(specs(self.tools))
    }

    async fn call(&self, call: &ToolCall, _context: &dyn CallContext) -> CallOutcome {
        let asked = format!("{} {}", call.tool, Value::Object(call.arguments.clone()));
        self.made.lock().unwrap().insert(call.id, asked);
        // The sweep is read at the beginning, everything after it two seconds later.
        let later = call.step.is_some_and(|s| s.0 > 1);
        let now = EPOCH_MS + if later { 2_000 } else { 0 };
        let before = self.in_flight.fetch_add(1, Ordering::SeqCst);
        if self.order == Order::Reversed {
            // Those that came first let those that came after them go ahead.
            for _ in 0..(64_usize.saturating_sub(before * 8)) {
                tokio::task::yield_now().await;
            }
        }
        let value = self.answer(call, now).await;
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        let result = rmcp::model::CallToolResult::structured(value);
        let reading = outcome::read(&result);
        let at = Timestamp(now);
        let failure = |f: &noctui::tools::Failure| CallFailure {
            kind: f.kind,
            message: f.message.clone(),
        };
        CallOutcome {
            value: reading.payload.map(Arc::new),
            failure: reading.failure.as_ref().map(failure),
            device_failures: reading
                .devices
                .iter()
                .map(|(device, f)| DeviceFailure {
                    device: device.as_str().into(),
                    failure: failure(f),
                })
                .collect(),
            ..CallOutcome::success(Value::Null, at, at)
        }
    }
}

/// Journal, memory and clock of sessions that leave nothing behind and take no time.
struct Nowhere;

impl Journal for Nowhere {
    fn append(&self, _: &SessionId, _: &[noctui::agent::event::Recorded]) -> Result<(), PortError> {
        Ok(())
    }
    fn read(&self, _: &SessionId, _: u64) -> Result<Vec<noctui::agent::event::Recorded>, PortError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Recall for Nowhere {
    async fn similar(&self, _: &State, _: usize) -> Result<Vec<Incident>, PortError> {
        Ok(Vec::new())
    }
    async fn facts(&self, _: Timestamp) -> Result<Vec<Fact>, PortError> {
        Ok(Vec::new())
    }
    async fn known(&self, session: &SessionId) -> Result<KnownAnswer, PortError> {
        Err(PortError(format!("no session {session}")))
    }
    async fn remember(&self, _: &SessionId, _: &State) -> Result<(), PortError> {
        Ok(())
    }
}

impl Clock for Nowhere {
    fn now(&self) -> Timestamp {
        Timestamp(EPOCH_MS)
    }
}

/// Puts sessions together and keeps a hand on each.
pub struct InProcess {
    pub tools: Tools,
    pub order: Order,
    pub reasoner: Rules,
    corpus: Arc<Knowledge>,
    sessions: Mutex<BTreeMap<String, (Handle, Arc<Bench>)>>,
}

impl InProcess {
    pub fn new(tools: Tools) -> Self {
        Self::with(tools, &Runbooks::built_in())
    }

    pub fn with(tools: Tools, runbooks: &Runbooks) -> Self {
        Self {
            tools,
            order: Order::AsAsked,
            reasoner: Rules::default(),
            corpus: Arc::new(Knowledge::new(runbooks, &handbook()).unwrap()),
            sessions: Mutex::default(),
        }
    }

    /// What became of the session of a scenario.
    pub fn state(&self, id: &str) -> Arc<State> {
        self.sessions.lock().unwrap()[id].0.state()
    }

    /// The calls of a session, in the order of their numbers.
    pub fn calls(&self, id: &str) -> Vec<String> {
        let sessions = self.sessions.lock().unwrap();
        let made = sessions[id].1.made.lock().unwrap();
        made.values().cloned().collect()
    }
}

#[async_trait]
impl Stage for InProcess {
    async fn open(&self, scenario: &Scenario) -> Result<Opened, String> {
        let lab = || scenario.lab(7, EPOCH_MS).map_err(|e| e.to_string());
        let (collector, running) = match self.tools {
            Tools::All => (None, None),
            Tools::Contract => {
                let live = Arc::new(LiveLab::new(lab()?, Arc::new(|| EPOCH_MS)));
                let running = LabRunning::start(live, LabOptions::default())
                    .await
                    .map_err(|e| e.to_string())?;
                let entries = json!(running.inventory()).to_string();
                let inventory =
                    Inventory::parse(&entries, std::path::Path::new("lab.json"), &Fallback::default())
                        .unwrap();
                (
                    Some(Collector::new(inventory, ClientLimits::default())),
                    Some(running),
                )
            }
        };
        let bench = Arc::new(Bench {
            lab: lab()?,
            snapshots: Mutex::default(),
            tools: self.tools,
            order: self.order,
            collector,
            in_flight: AtomicUsize::new(0),
            made: Mutex::default(),
        });
        let ports = Ports {
            reasoner: Arc::new(self.reasoner),
            toolbox: bench.clone(),
            scripts: None,
            corpus: self.corpus.clone(),
            recall: Arc::new(Nowhere),
            journal: Arc::new(Nowhere),
            clock: Arc::new(Nowhere),
        };
        let options = Options {
            limits: Limits {
                tool_calls: scenario.budget.tool_calls,
                ..Limits::default()
            },
            reasoner: "rules".into(),
            without_memory: true,
            seed: 7,
            ..Options::default()
        };
        let query = Query {
            text: scenario.query.clone(),
            devices: Vec::new(),
            runbook: None,
        };
        let handle = runtime::open(ports, SessionId(scenario.id.clone()), query, options);
        let mut sessions = self.sessions.lock().unwrap();
        sessions.insert(scenario.id.clone(), (handle.clone(), bench));
        Ok(Opened {
            handle,
            close: Box::new(move || {
                Box::pin(async move {
                    if let Some(running) = running {
                        running.stop().await;
                    }
                    0
                })
            }),
            secrets: vec!["core-session-key".into(), "core-hello-key".into()],
        })
    }
}

/// The built-in scenarios of these groups and sizes.
pub fn scenarios(fits: impl Fn(&Scenario) -> bool) -> Vec<Scenario> {
    static ALL: LazyLock<Vec<Scenario>> = LazyLock::new(|| scenario::builtin().unwrap());
    ALL.iter().filter(|s| fits(s)).cloned().collect()
}
