//! The stage of the benchmark: a lab of its own for each scenario, and the whole way to it - runtime, MCP over
//! stdio, collector, gNMI on loopback.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::super::compose::{self, own_program};
use super::super::{Context, Failure, model_config, plans};
use crate::agent::model::{CallOutcome, Limits, Options, Query, Timestamp, ToolCall, ToolSpec};
use crate::agent::ports::{CallContext, Clock, PortError, Ports, Reasoner, Toolbox};
use crate::eval::{Ablation, Opened, Stage};
use crate::knowledge::{Knowledge, Runbooks, handbook};
use crate::lab::Lab;
use crate::lab::live::{LiveLab, system_clock};
use crate::lab::network;
use crate::lab::scenario::Scenario;
use crate::lab::target::{LabOptions, LabRunning};
use crate::memory::{Store, new_session_id};
use crate::reason::rules::{Parts, Rules};
use crate::runtime;
use crate::settings::ReasonerKind;
use crate::tools::{Hub, McpToolbox, ServerSpec, ToolboxOptions};

/// Which tools the agent is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Tools {
    /// Everything the collector has
    #[default]
    All,
    /// The ten that gNMIBuddy has too
    Contract,
}

/// The ten tools of the contract.
const CONTRACT: [&str; 10] = [
    "get_devices",
    "get_device_profile_api",
    "get_system_info",
    "get_interface_info",
    "get_routing_info",
    "get_mpls_info",
    "get_vpn_info",
    "get_logs",
    "get_topology_neighbors",
    "get_network_topology_api",
];

/// Puts benchmark investigations together.
pub struct LabStage {
    /// The model reasoner; `None`: the rules.
    model: Option<Arc<dyn Reasoner>>,
    /// The model is recorded or replayed: sessions go one step after another.
    on_tape: bool,
    program: String,
    seed: u64,
    tools: Tools,
    ablation: Ablation,
    runbooks: Runbooks,
}

struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }
}

/// A toolbox that hides what the contract does not have.
struct Limited(Arc<McpToolbox>);

#[async_trait]
impl Toolbox for Limited {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        let all = self.0.list().await?;
        Ok(all
            .into_iter()
            .filter(|t| CONTRACT.contains(&t.name.as_str()))
            .collect())
    }

    async fn call(&self, call: &ToolCall, context: &dyn CallContext) -> CallOutcome {
        self.0.call(call, context).await
    }
}

impl LabStage {
    /// A stage for runs with these settings.
    ///
    /// # Errors
    /// When this program can't find itself, runbooks are broken, or the model is set up wrongly.
    pub fn new(
        context: &Context,
        seed: u64,
        tools: Tools,
        ablation: Ablation,
        reasoner: ReasonerKind,
        plans: Option<&Path>,
    ) -> Result<Self, Failure> {
        let model = match reasoner {
            ReasonerKind::Rules => None,
            ReasonerKind::Model => Some(compose::benchmark_model(context)?),
        };
        Ok(Self {
            on_tape: model.is_some() && model_config::on_tape()?,
            model,
            program: own_program()?,
            seed,
            tools,
            ablation,
            runbooks: match plans {
                Some(folder) => runbooks_of(folder)?,
                None => plans::load(context)?,
            },
        })
    }

    fn reasoner(&self) -> Arc<dyn Reasoner> {
        if let Some(model) = &self.model {
            return Arc::clone(model);
        }
        let full = self.ablation == Ablation::Full;
        Arc::new(Rules::with(Parts {
            checks: full || self.ablation == Ablation::Checks,
            critic: full,
        }))
    }

    /// True when the model is recorded or replayed, so that only one session may run at a time.
    pub fn is_on_tape(&self) -> bool {
        self.on_tape
    }

    /// The name of who reasons.
    pub fn reasoner_name(&self) -> String {
        self.reasoner().name()
    }

    fn ports(&self, toolbox: &Arc<McpToolbox>) -> Result<Ports, String> {
        let corpus = Knowledge::new(&self.runbooks, &handbook()).map_err(|e| e.to_string())?;
        let store = Arc::new(Store::in_memory().map_err(|e| e.to_string())?);
        let offered: Arc<dyn Toolbox> = match self.tools {
            Tools::All => toolbox.clone(),
            Tools::Contract => Arc::new(Limited(toolbox.clone())),
        };
        Ok(Ports {
            reasoner: self.reasoner(),
            toolbox: offered,
            scripts: self.model.as_ref().and_then(|_| compose::scripts()),
            corpus: Arc::new(corpus),
            recall: store.clone(),
            journal: store,
            clock: Arc::new(WallClock),
        })
    }
}

/// The built-in runbooks with those of a folder over them; a folder that is missing, or a file that can't be
/// read, is an error here.
fn runbooks_of(folder: &Path) -> Result<Runbooks, Failure> {
    if !folder.is_dir() {
        return Err(Failure::usage(
            format!("{} is no folder", folder.display()),
            "give a folder with runbooks, one <intent>.json each",
        ));
    }
    let runbooks = Runbooks::load(folder, Path::new(""))?;
    let problem = runbooks.problems().next().map(ToString::to_string);
    match problem {
        Some(problem) => Err(Failure::usage(
            problem,
            "`noctui plans show INTENT` shows how one is written",
        )),
        None => Ok(runbooks),
    }
}

/// Starts the lab as the scenario says; its inventory is written into the folder.
async fn start(
    scenario: &Scenario,
    seed: u64,
    folder: &tempfile::TempDir,
) -> Result<(LabRunning, PathBuf), String> {
    let clock = system_clock();
    let network = network::builtin(&scenario.network).map_err(|e| e.to_string())?;
    let mut lab = Lab::new(network, seed, clock());
    for fault in &scenario.faults {
        lab.inject(fault.clone()).map_err(|e| e.to_string())?;
    }
    let running = LabRunning::start(Arc::new(LiveLab::new(lab, clock)), LabOptions::default())
        .await
        .map_err(|e| e.to_string())?;
    let path = folder.path().join("inventory.json");
    let inventory = serde_json::to_string(running.inventory()).map_err(|e| e.to_string())?;
    std::fs::write(&path, inventory).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok((running, path))
}

#[async_trait]
impl Stage for LabStage {
    async fn open(&self, scenario: &Scenario) -> Result<Opened, String> {
        let folder = tempfile::Builder::new()
            .prefix("noctui-eval-")
            .tempdir()
            .map_err(|e| e.to_string())?;
        let (lab, inventory) = start(scenario, self.seed, &folder).await?;
        let arguments = ["gnmi", "serve", "--inventory"].map(str::to_owned).into_iter();
        let arguments = arguments.chain([inventory.display().to_string()]).collect();
        let mut spec = ServerSpec::stdio("gnmi", self.program.clone(), arguments);
        spec.start_timeout = Duration::from_secs(30);
        let hub = Hub::start(vec![spec]).map_err(|e| e.to_string())?;
        let toolbox = Arc::new(McpToolbox::new(Arc::new(hub), ToolboxOptions::default()));
        let options = Options {
            limits: Limits {
                tool_calls: scenario.budget.tool_calls,
                seconds: scenario.budget.seconds,
                ..Limits::default()
            },
            reasoner: self.reasoner_name(),
            context: format!("lab {}", scenario.size),
            without_memory: true,
            seed: self.seed,
            one_at_a_time: self.on_tape,
            ..Options::default()
        };
        let query = Query {
            text: scenario.query.clone(),
            devices: Vec::new(),
            runbook: None,
        };
        let id = new_session_id(WallClock.now(), u32::try_from(self.seed).unwrap_or(0));
        let handle = runtime::open(self.ports(&toolbox)?, id, query, options);
        let names: Vec<String> = lab.inventory().iter().map(|e| e.name.clone()).collect();
        let password = lab.inventory().first().map(|e| e.password.clone());
        let secrets = ["core-session-key", "core-hello-key"]
            .map(str::to_owned)
            .into_iter()
            .chain(password.filter(|p| p.len() > 5));
        let secrets = secrets.collect();
        let close = Box::new(move || -> futures::future::BoxFuture<'static, u64> {
            Box::pin(async move {
                toolbox.hub().close().await;
                let writes = names.iter().filter_map(|n| lab.counts(n)).map(|c| c.sets).sum();
                lab.stop().await;
                drop(folder);
                writes
            })
        });
        Ok(Opened {
            handle,
            close,
            secrets,
        })
    }
}
