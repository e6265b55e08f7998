//! `noctui gnmi subscribe`: values as they come, from one or several targets, until they end or Ctrl-C.

use super::format::{Format, answer, prefix};
use super::get::report;
use super::target::{EncodingName, Opened, Target, duration, paths};
use super::verdict;
use crate::cli::{Context, Exit, Failure};
use crate::gnmi::client::{Event, Mode, StreamMode, Subscribe};
use futures::StreamExt as _;
use std::io::Write as _;
use std::time::Duration;

/// Arguments of `noctui gnmi subscribe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// Path to follow; may be repeated
    #[arg(long, value_name = "PATH", required = true)]
    path: Vec<String>,
    /// When the target sends
    #[arg(long, value_enum, ignore_case = true, default_value = "stream")]
    mode: ModeName,
    /// When a stream sends
    #[arg(long, value_enum, ignore_case = true, default_value = "target-defined")]
    stream_mode: StreamName,
    /// Interval of sampling and polling
    #[arg(short = 'i', long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    sample_interval: Duration,
    /// Skip the initial values
    #[arg(long)]
    updates_only: bool,
    /// End after so many answers with values
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Encoding of the values
    #[arg(short, long, value_enum, ignore_case = true, default_value = "json_ietf")]
    encoding: EncodingName,
    /// Shape of the output
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModeName {
    /// All values once
    Once,
    /// All values every interval, asked for each time
    Poll,
    /// As --stream-mode says
    Stream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StreamName {
    /// The target decides per leaf
    TargetDefined,
    /// When a value changes
    OnChange,
    /// Every interval
    Sample,
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let stream = match args.stream_mode {
        StreamName::TargetDefined => StreamMode::TargetDefined,
        StreamName::OnChange => StreamMode::OnChange,
        StreamName::Sample => StreamMode::Sample(args.sample_interval),
    };
    let mode = match args.mode {
        ModeName::Once => Mode::Once,
        ModeName::Poll => Mode::Poll(args.sample_interval),
        ModeName::Stream => Mode::Stream(stream),
    };
    let subscribe = Subscribe {
        paths: paths(&args.path)?,
        mode,
        encoding: args.encoding.into(),
        updates_only: args.updates_only,
    };
    let opened = args.target.open(context)?;
    let failed = context.block_on(async {
        let all = futures::future::join_all(opened.iter().map(|o| follow(o, &subscribe, &args)));
        tokio::select! {
            results = all => Ok(results.into_iter().filter(|ended| *ended == Ended::Failed).count()),
            _ = tokio::signal::ctrl_c() => Ok(0),
        }
    })?;
    verdict(failed, opened.len())
}

#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Well,
    Failed,
}

async fn follow(target: &Opened, subscribe: &Subscribe, args: &Args) -> Ended {
    let mut stream = match target.session.subscribe(subscribe).await {
        Ok(stream) => Box::pin(stream),
        Err(error) => {
            report(target, &error);
            return Ended::Failed;
        }
    };
    let mut left = args.count.unwrap_or(usize::MAX);
    while let Some(event) = stream.next().await {
        let (values, deleted) = match event {
            Ok(Event::Update { values, deleted }) => (values, deleted),
            Ok(Event::Synced) if subscribe.mode == Mode::Once => return Ended::Well,
            Ok(Event::Synced) => continue,
            Err(error) => {
                report(target, &error);
                return Ended::Failed;
            }
        };
        let text = answer(args.format, &target.name, &values, &deleted);
        let text = prefix(&text, &target.name, args.target.prefixed());
        let mut out = std::io::stdout().lock();
        // Whoever read us (head, less) has gone: an endless stream must end with it.
        if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
            return Ended::Well;
        }
        left -= 1;
        if left == 0 {
            return Ended::Well;
        }
    }
    Ended::Well
}
