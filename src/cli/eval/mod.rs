//! `noctui eval`: runs the benchmark on in-process labs, the whole way a user takes, and prints the scores.

mod stage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Context, Exit, Failure, print};
use crate::eval::{self, Ablation, Run, Trial};
use crate::lab::scenario::draw::{Wish, draw};
use crate::lab::scenario::{self, Scenario};
use crate::settings::{LabSize, ReasonerKind};
use stage::{LabStage, Tools};

/// Arguments of `noctui eval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only scenarios of this size; all when absent
    #[arg(long, value_name = "SIZE", ignore_case = true, value_parser = super::lab_size)]
    size: Option<LabSize>,
    /// Only these scenarios or groups, e.g. `D01,H`
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// Scenario files of this folder instead of the built-in ones
    #[arg(long, value_name = "FOLDER")]
    scenarios: Option<PathBuf>,
    /// Draw this many scenarios at random instead, by `--seed`: other instances, other combinations
    #[arg(long, value_name = "N", conflicts_with = "scenarios")]
    generate: Option<usize>,
    /// Faults in each drawn scenario; a mixture, healthy networks among them, when absent
    #[arg(long, value_name = "N", requires = "generate", value_parser = clap::value_parser!(u8).range(0..=3))]
    faults: Option<u8>,
    /// Write the scenarios as files into this folder and run nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "list")]
    save: Option<PathBuf>,
    /// List the scenarios and run nothing
    #[arg(long)]
    list: bool,
    /// Seed of the labs' noise, and of what is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scenarios run side by side
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Seconds a scenario may take, instead of its own limit: for models that are slow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Who reasons
    #[arg(long, value_enum, default_value = "rules")]
    reasoner: super::ask::Reasoner,
    /// Which tools there are: all of the collector's, or only the ten that gNMIBuddy has
    #[arg(long, value_enum, default_value_t)]
    tools: Tools,
    /// How much of the agent takes part
    #[arg(long, value_enum, default_value_t)]
    parts: Parts,
    /// Runbooks of this folder over the built-in ones, to measure what they, or the critic, are worth
    #[arg(long, value_name = "FOLDER")]
    plans: Option<PathBuf>,
    /// Compare with a run written by `-o`
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the run as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How much of the agent takes part; each adds to the one before.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Parts {
    /// The sweep, and every finding taken for a cause
    Sweep,
    /// Findings put into causes and consequences
    Correlation,
    /// Further checks while hypotheses are open
    Checks,
    /// All of it: the critic too
    #[default]
    Full,
}

impl From<Parts> for Ablation {
    fn from(parts: Parts) -> Self {
        match parts {
            Parts::Sweep => Ablation::Sweep,
            Parts::Correlation => Ablation::Correlation,
            Parts::Checks => Ablation::Checks,
            Parts::Full => Ablation::Full,
        }
    }
}

/// Runs `noctui eval`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut scenarios = choose(&args)?;
    if let Some(seconds) = args.seconds {
        for scenario in &mut scenarios {
            scenario.budget.seconds = seconds;
        }
    }
    if args.list {
        for scenario in &scenarios {
            print::line(format!(
                "{:<8} {}  {}",
                scenario.id, scenario.size, scenario.query
            ))?;
        }
        return Ok(Exit::Healthy);
    }
    if let Some(folder) = &args.save {
        save(&scenarios, folder)?;
        return Ok(Exit::Healthy);
    }
    let ablation = Ablation::from(args.parts);
    let stage = Arc::new(LabStage::new(
        context,
        args.seed,
        args.tools,
        ablation,
        ReasonerKind::from(args.reasoner),
        args.plans.as_deref(),
    )?);
    let reasoner = stage.reasoner_name();
    let jobs = if stage.is_on_tape() { 1 } else { args.jobs };
    let quiet = context.globals.quiet;
    let told = move |trial: &Trial| {
        if !quiet {
            let score = trial
                .scores
                .as_ref()
                .map_or_else(|| "broken".to_owned(), |s| format!("{:.3}", s.sprca));
            print::hint(format!(
                "{:<8} {score} {:6.2} s {:3} calls",
                trial.id, trial.seconds, trial.calls
            ));
        }
    };
    let trials = context
        .block_on(async { Ok::<_, Failure>(eval::run(stage, scenarios, jobs, ablation, &told).await) })?;
    let setting = format!(
        "{reasoner}, tools {:?}, parts {:?}, seed {}",
        args.tools, args.parts, args.seed
    )
    .to_lowercase();
    let run = Run { setting, trials };
    if let Some(path) = &args.output {
        let text = serde_json::to_string_pretty(&run)
            .map_err(|e| Failure::failed(e.to_string(), "this is a defect: please report it"))?;
        std::fs::write(path, text).map_err(|e| file_failure(path, &e))?;
    }
    print::out(eval::render(&run))?;
    if let Some(path) = &args.baseline {
        let text = std::fs::read_to_string(path).map_err(|e| file_failure(path, &e))?;
        let before: Run = serde_json::from_str(&text).map_err(|e| {
            Failure::usage(
                format!("{}: {e}", path.display()),
                "give a file that `noctui eval -o` wrote",
            )
        })?;
        print::out(eval::compare(&run, &before))?;
    }
    let broken = run.trials.iter().any(|t| t.scores.is_none());
    Ok(if broken { Exit::Failed } else { Exit::Healthy })
}

fn file_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()), "check the path")
}

fn choose(args: &Args) -> Result<Vec<Scenario>, Failure> {
    let mut all = match &args.scenarios {
        None if args.generate.is_some() => drawn(args)?,
        None => scenario::builtin()
            .map_err(|e| Failure::failed(e.to_string(), "this is a defect: please report it"))?,
        Some(folder) => read(folder)?,
    };
    if let Some(size) = args.size {
        let wanted = format!("{size:?}");
        all.retain(|s| s.size == wanted);
    }
    if !args.only.is_empty() {
        let is = |s: &Scenario, name: &String| {
            s.id.eq_ignore_ascii_case(name) || s.group().eq_ignore_ascii_case(name)
        };
        all.retain(|s| args.only.iter().any(|name| is(s, name)));
    }
    if all.is_empty() {
        return Err(Failure::usage(
            "no scenario is left",
            "`noctui eval --list` names them all",
        ));
    }
    Ok(all)
}

/// Scenarios drawn at random, in the small network unless another size is asked for.
fn drawn(args: &Args) -> Result<Vec<Scenario>, Failure> {
    let size = args.size.unwrap_or(LabSize::S);
    let network = format!("sp-{size:?}").to_lowercase();
    let wish = Wish {
        network: &network,
        seed: args.seed,
        faults: args.faults.map(usize::from),
    };
    draw(&wish, args.generate.unwrap_or(0)).map_err(|e| {
        Failure::usage(
            e.to_string(),
            "`noctui eval --generate 20 --list` shows what is drawn",
        )
    })
}

fn save(scenarios: &[Scenario], folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| file_failure(folder, &e))?;
    for scenario in scenarios {
        let path = folder.join(format!("{}.toml", scenario.id));
        let text = toml::to_string(scenario)
            .map_err(|e| Failure::failed(e.to_string(), "this is a defect: please report it"))?;
        std::fs::write(&path, text).map_err(|e| file_failure(&path, &e))?;
    }
    print::line(format!("{} scenarios in {}", scenarios.len(), folder.display()))
}

fn read(folder: &Path) -> Result<Vec<Scenario>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| file_failure(folder, &e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).map_err(|e| file_failure(path, &e))?;
            Scenario::parse(&text, &path.display().to_string())
                .map_err(|e| Failure::usage(e.to_string(), "see `noctui eval --list` and docs/diagnosis.md"))
        })
        .collect()
}
