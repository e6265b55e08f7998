//! `noctui gnmi get`: paths read once from one or several targets.

use super::format::{Format, answer, escape, prefix};
use super::target::{EncodingName, Opened, Target, paths};
use super::verdict;
use crate::cli::{Context, Exit, Failure, print};
use crate::gnmi::client::{Error, Get};
use crate::proto::gnmi::get_request::DataType;
use futures::StreamExt as _;

/// Targets asked at the same time.
const PARALLEL: usize = 32;

/// Arguments of `noctui gnmi get`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// Path to read; may be repeated
    #[arg(long, value_name = "PATH", required = true)]
    path: Vec<String>,
    /// Part of the data
    #[arg(
        short = 't',
        long = "type",
        value_enum,
        ignore_case = true,
        default_value = "all"
    )]
    data_type: TypeName,
    /// Encoding of the values
    #[arg(short, long, value_enum, ignore_case = true, default_value = "json_ietf")]
    encoding: EncodingName,
    /// Shape of the output
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TypeName {
    /// Configuration and state
    All,
    /// Configuration only
    Config,
    /// State only
    State,
    /// State that has no configuration beside it
    Operational,
}

impl From<TypeName> for DataType {
    fn from(name: TypeName) -> Self {
        match name {
            TypeName::All => Self::All,
            TypeName::Config => Self::Config,
            TypeName::State => Self::State,
            TypeName::Operational => Self::Operational,
        }
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let paths = paths(&args.path)?;
    let get = Get {
        paths,
        data_type: args.data_type.into(),
        encoding: args.encoding.into(),
    };
    let opened = args.target.open(context)?;
    let asked = opened.len();
    let failed = context.block_on(async {
        let get = &get;
        let reads = opened
            .iter()
            .map(|o| async move { (o, o.session.get(get).await) });
        let mut reads = futures::stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL);
        let mut failed = 0;
        while let Some((target, result)) = reads.next().await {
            match result {
                Ok(got) => {
                    let text = answer(args.format, &target.name, &got, &[]);
                    print::line(prefix(&text, &target.name, args.target.prefixed()))?;
                    got.warnings
                        .iter()
                        .for_each(|w| print::hint(escape(&format!("[{}] warning: {w}", target.name))));
                }
                Err(error) => {
                    failed += 1;
                    report(target, &error);
                }
            }
        }
        Ok(failed)
    })?;
    verdict(failed, asked)
}

/// One line on stderr about a target that did not answer.
pub(super) fn report(target: &Opened, error: &Error) {
    print::hint(escape(&format!(
        "[{}] {}: {error}",
        target.name,
        error.kind.name()
    )));
}
