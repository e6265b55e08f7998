//! Two runs side by side: what got better, what got worse.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::table::Figures;
use super::{Run, Trial};

/// Changes smaller than this are noise of nothing: the score is deterministic.
const EPSILON: f64 = 0.0005;

/// The difference of a run to a baseline, as text.
pub fn compare(run: &Run, baseline: &Run) -> String {
    let score = |t: &Trial| t.scores.as_ref().map(|s| s.sprca);
    let before: BTreeMap<&str, Option<f64>> = baseline
        .trials
        .iter()
        .map(|t| (t.id.as_str(), score(t)))
        .collect();
    let (now, then) = (
        Figures::of(run.trials.iter()),
        Figures::of(baseline.trials.iter()),
    );
    let mut out = format!(
        "\nagainst {}: SPRCA {:.3} -> {:.3}, R {:.3} -> {:.3}, calls {:.0} -> {:.0}\n",
        baseline.setting,
        then.mean.sprca,
        now.mean.sprca,
        then.mean.joint,
        now.mean.joint,
        then.calls,
        now.calls
    );
    for trial in &run.trials {
        let (Some(now), Some(Some(then))) = (score(trial), before.get(trial.id.as_str())) else {
            continue;
        };
        if (now - then).abs() > EPSILON {
            let word = if now > *then { "better" } else { "worse" };
            let _ = writeln!(out, "  {:<6} {word:<6} {then:.3} -> {now:.3}", trial.id);
        }
    }
    out
}
