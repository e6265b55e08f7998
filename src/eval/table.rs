//! A run as a table: one row a group, one for all, then what went wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Run, Scores, Trial};
use crate::agent::model::Usage;

/// Figures of several trials.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Trials with an answer.
    pub answered: usize,
    /// Trials the infrastructure failed.
    pub broken: usize,
    /// Mean scores.
    pub mean: Scores,
    /// Median seconds.
    pub seconds: f64,
    /// Median calls.
    pub calls: f64,
    /// Failed calls in all.
    pub failed_calls: usize,
    /// Tokens in all.
    pub tokens: u64,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

impl Figures {
    /// Sums up trials. Localisation, types and evidence are means over the cases with a fault.
    pub fn of<'a>(trials: impl Iterator<Item = &'a Trial>) -> Self {
        let trials: Vec<&Trial> = trials.collect();
        let scored: Vec<(&Trial, &Scores)> = trials
            .iter()
            .filter_map(|t| Some((*t, t.scores.as_ref()?)))
            .collect();
        let mean = |of: &dyn Fn(&Scores) -> f64, only_faults: bool| {
            let kept: Vec<f64> = scored
                .iter()
                .filter(|(t, _)| !only_faults || !t.wanted.is_empty())
                .map(|(_, s)| of(s))
                .collect();
            if kept.is_empty() {
                f64::NAN
            } else {
                kept.iter().sum::<f64>() / kept.len() as f64
            }
        };
        Self {
            answered: scored.len(),
            broken: trials.len() - scored.len(),
            mean: Scores {
                sprca: mean(&|s| s.sprca, false),
                safety: mean(&|s| s.safety, false),
                detection: mean(&|s| s.detection, false),
                device: mean(&|s| s.device, true),
                object: mean(&|s| s.object, true),
                kind: mean(&|s| s.kind, true),
                joint: mean(&|s| s.joint, true),
                evidence: mean(&|s| s.evidence, true),
                human: mean(&|s| s.human, false),
                brier: mean(&|s| s.brier, false),
                forbidden: scored.iter().any(|(_, s)| s.forbidden),
            },
            seconds: median(scored.iter().map(|(t, _)| t.seconds).collect()),
            calls: median(scored.iter().map(|(t, _)| t.calls as f64).collect()),
            failed_calls: scored.iter().map(|(t, _)| t.failed_calls).sum(),
            tokens: scored.iter().map(|(t, _)| t.tokens).sum(),
        }
    }
}

fn shown(value: f64) -> String {
    if value.is_nan() {
        "  -  ".to_owned()
    } else {
        format!("{value:5.3}")
    }
}

fn row(out: &mut String, name: &str, figures: &Figures) {
    let m = &figures.mean;
    let scores = [
        m.sprca,
        m.detection,
        m.device,
        m.object,
        m.kind,
        m.joint,
        m.evidence,
        m.human,
        m.safety,
        m.brier,
    ]
    .map(shown)
    .join(" ");
    let _ = writeln!(
        out,
        "{name:<6} {:>3} {scores} {:>6.2} {:>5.0} {:>6} {:>7}",
        figures.answered, figures.seconds, figures.calls, figures.failed_calls, figures.tokens
    );
}

/// The run as text.
pub fn render(run: &Run) -> String {
    let mut out = format!("{} - simulated network\n\n", run.setting);
    let _ = writeln!(
        out,
        "{:<6} {:>3} SPRCA D     dev   obj   type  R     E     H     S     Brier {:>6} {:>5} {:>6} {:>7}",
        "group", "n", "sec", "calls", "failed", "tokens"
    );
    let mut groups: BTreeMap<&str, Vec<&Trial>> = BTreeMap::new();
    for trial in &run.trials {
        groups.entry(&trial.group).or_default().push(trial);
    }
    for (group, trials) in &groups {
        row(&mut out, group, &Figures::of(trials.iter().copied()));
    }
    row(&mut out, "all", &Figures::of(run.trials.iter()));
    weak_types(&mut out, &run.trials);
    spent(&mut out, &run.trials);
    let wrong: Vec<&Trial> = run
        .trials
        .iter()
        .filter(|t| t.scores.as_ref().is_none_or(|s| s.sprca < 0.999))
        .collect();
    if !wrong.is_empty() {
        out.push_str("\nnot perfect:\n");
    }
    let broken = Figures::of(run.trials.iter()).broken;
    if broken > 0 {
        let _ = writeln!(
            out,
            "  {broken} trials without an answer, for reasons of infrastructure; not in the figures"
        );
    }
    for trial in wrong {
        describe(&mut out, trial);
    }
    out
}

/// Fault types that were missed or claimed in vain, with how often.
fn weak_types(out: &mut String, trials: &[Trial]) {
    #[derive(Default)]
    struct Row {
        wanted: usize,
        missed: usize,
        vain: usize,
    }
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let kind = |claim: &'_ str| claim.split(' ').next().unwrap_or_default().len();
    for trial in trials.iter().filter(|t| t.scores.is_some()) {
        let found: Vec<&str> = trial.found.iter().map(|f| claim(f)).collect();
        for wanted in &trial.wanted {
            let row = rows.entry(&wanted[..kind(wanted)]).or_default();
            row.wanted += 1;
            row.missed += usize::from(!found.contains(&wanted.as_str()));
        }
        for extra in found.iter().filter(|f| trial.wanted.iter().all(|w| w != *f)) {
            rows.entry(&extra[..kind(extra)]).or_default().vain += 1;
        }
    }
    rows.retain(|_, row| row.missed + row.vain > 0);
    if !rows.is_empty() {
        out.push_str("\nfault types not always right:\n");
    }
    for (name, row) in rows {
        let _ = writeln!(
            out,
            "  {name:<32} {:>3} there, {:>3} missed, {:>3} claimed in vain",
            row.wanted, row.missed, row.vain
        );
    }
}

/// Type and resource of a cause that was found, without the confidence.
fn claim(found: &str) -> &str {
    found.rsplit_once(' ').map_or(found, |(claim, _)| claim)
}

/// What the model was asked, role by role, and how often its answer was no use. Nothing for the rules.
fn spent(out: &mut String, trials: &[Trial]) {
    let mut roles: Vec<Usage> = Vec::new();
    for usage in trials.iter().flat_map(|t| &t.usage) {
        match roles.iter_mut().find(|r| r.role == usage.role) {
            Some(role) => role.add(usage),
            None => roles.push(usage.clone()),
        }
    }
    if roles.is_empty() {
        return;
    }
    out.push_str("\nmodel calls:\n");
    for usage in roles.iter().chain([&Usage::sum(&roles)]) {
        let _ = writeln!(out, "  {usage}");
    }
    let fallbacks: usize = trials.iter().map(|t| t.fallbacks).sum();
    let _ = writeln!(out, "  decisions left to the rules: {fallbacks}");
}

fn describe(out: &mut String, trial: &Trial) {
    let score = trial
        .scores
        .as_ref()
        .map_or_else(|| "no answer".to_owned(), |s| format!("{:.3}", s.sprca));
    let _ = writeln!(out, "  {:<6} {score}", trial.id);
    if let Some(failure) = &trial.failure {
        let _ = writeln!(out, "         infrastructure: {failure}");
    }
    let found: Vec<&str> = trial.found.iter().map(|f| claim(f)).collect();
    let same = found.len() == trial.wanted.len() && trial.wanted.iter().all(|w| found.contains(&w.as_str()));
    if !same {
        let _ = writeln!(out, "         wanted  {}", trial.wanted.join("; "));
        let _ = writeln!(out, "         found   {}", trial.found.join("; "));
    }
    for (title, list) in [
        ("unshown", &trial.unshown),
        ("untrue", &trial.false_claims),
        ("asked", &trial.asked),
    ] {
        for line in list {
            let _ = writeln!(out, "         {title}  {line}");
        }
    }
}
