//! `noctui tools stats`: how tools fared in recorded sessions, one session, or two side by side.

use super::super::{Context, Exit, Failure, compose, print};
use super::pretty;
use crate::memory::{CallRow, Store};
use crate::tools::performance::{CallRecord, Comparison, ToolFigures, compare, csv, summarise};

/// Sessions looked at when none is named.
const NEWEST: usize = 200;

/// Arguments of `noctui tools stats`.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// Only this session: its id, the start of it, or its name
    #[arg(long)]
    session: Option<String>,
    /// Compare with this session
    #[arg(long, requires = "session")]
    compare: Option<String>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    let store = compose::store(context)?;
    if let (Some(first), Some(second)) = (&args.session, &args.compare) {
        let comparison = compare(&of_session(&store, first)?, &of_session(&store, second)?);
        return show_comparison(args, &comparison);
    }
    let records = match &args.session {
        Some(which) => of_session(&store, which)?,
        None => records(store.calls_of_newest(NEWEST)?),
    };
    let figures = summarise(&records);
    if args.csv {
        print::out(csv(&figures))?;
    } else if args.json {
        print::line(pretty(&figures)?)?;
    } else {
        print::out(table(&figures))?;
    }
    Ok(Exit::Healthy)
}

fn of_session(store: &Store, which: &str) -> Result<Vec<CallRecord>, Failure> {
    let row = store.find_session(which)?;
    Ok(records(store.calls_of(&row.id)?))
}

fn records(rows: Vec<CallRow>) -> Vec<CallRecord> {
    rows.into_iter()
        .map(|row| CallRecord {
            tool: row.tool,
            latency_ms: row.millis,
            error: row.error,
            cached: row.cached,
        })
        .collect()
}

const HEADER: &str =
    "tool                                     calls cached success   p50 ms   p95 ms  errors\n";

fn table(figures: &[ToolFigures]) -> String {
    if figures.is_empty() {
        return "no calls are recorded\n".to_owned();
    }
    figures
        .iter()
        .fold(HEADER.to_owned(), |text, row| text + &line(row))
}

fn line(row: &ToolFigures) -> String {
    let ms = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ms| ms.to_string());
    let errors: Vec<String> = row
        .errors
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!(
        "{:<40} {:>5} {:>6} {:>6.1}% {:>8} {:>8}  {}\n",
        row.tool,
        row.invocations,
        row.cached,
        row.success_rate * 100.0,
        ms(row.p50_ms),
        ms(row.p95_ms),
        errors.join(", ")
    )
}

fn show_comparison(args: &StatsArgs, comparison: &Comparison) -> Result<Exit, Failure> {
    if args.json {
        print::line(pretty(comparison)?)?;
        return Ok(Exit::Healthy);
    }
    let side = |pick: fn(&(ToolFigures, ToolFigures)) -> &ToolFigures, only: &[ToolFigures]| {
        comparison
            .both
            .iter()
            .map(pick)
            .chain(only)
            .cloned()
            .collect::<Vec<_>>()
    };
    let first = side(|(first, _)| first, &comparison.only_first);
    let second = side(|(_, second)| second, &comparison.only_second);
    if args.csv {
        let rows = |name: &str, figures: &[ToolFigures]| {
            let body = csv(figures);
            body.lines()
                .skip(1)
                .map(|row| format!("{name},{row}\n"))
                .collect::<String>()
        };
        let head = csv(&[]);
        return print::out(format!("run,{head}{}{}", rows("A", &first), rows("B", &second)))
            .map(|()| Exit::Healthy);
    }
    let mut text = HEADER.to_owned();
    for (a, b) in &comparison.both {
        text.push_str(&format!("A {}B {}", line(a), line(b)));
    }
    for (name, only) in [
        ("only in A", &comparison.only_first),
        ("only in B", &comparison.only_second),
    ] {
        if !only.is_empty() {
            text.push_str(&format!("{name}:\n"));
            only.iter().for_each(|row| text.push_str(&line(row)));
        }
    }
    print::out(text)?;
    Ok(Exit::Healthy)
}
