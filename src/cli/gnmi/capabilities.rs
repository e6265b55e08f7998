//! `noctui gnmi capabilities`: what targets offer.

use super::format::{Format, escape, prefix};
use super::get::report;
use super::target::Target;
use super::verdict;
use crate::cli::{Context, Exit, Failure, print};
use crate::gnmi::client::Capabilities;
use crate::proto::gnmi::Encoding;
use serde_json::json;

/// Arguments of `noctui gnmi capabilities`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// Shape of the output
    #[arg(long, value_enum, default_value = "flat")]
    format: Format,
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let opened = args.target.open(context)?;
    let asked = opened.len();
    let failed = context.block_on(async {
        let results = futures::future::join_all(opened.iter().map(|o| o.session.fetch_capabilities())).await;
        let mut failed = 0;
        for (target, result) in opened.iter().zip(results) {
            match result {
                Ok(offered) => {
                    let text = escape(&show(args.format, &target.name, &offered));
                    print::line(prefix(&text, &target.name, args.target.prefixed()))?;
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

fn show(format: Format, source: &str, offered: &Capabilities) -> String {
    let encodings: Vec<String> = offered
        .supported_encodings
        .iter()
        .map(|n| Encoding::try_from(*n).map_or_else(|_| n.to_string(), |e| e.as_str_name().to_owned()))
        .collect();
    if format != Format::Flat {
        let models = offered.supported_models.iter();
        let models: Vec<_> = models
            .map(|m| json!({ "name": m.name, "organization": m.organization, "version": m.version }))
            .collect();
        let all = json!({
            "source": source,
            "gNMI-version": offered.g_nmi_version,
            "supported-models": models,
            "encodings": encodings,
        });
        return serde_json::to_string_pretty(&all).unwrap_or_default();
    }
    let mut lines = vec![
        format!("gNMI version: {}", offered.g_nmi_version),
        "supported models:".into(),
    ];
    lines.extend(
        offered
            .supported_models
            .iter()
            .map(|m| format!("  - {}, {}, {}", m.name, m.organization, m.version)),
    );
    lines.push("supported encodings:".into());
    lines.extend(encodings.iter().map(|e| format!("  - {e}")));
    lines.join("\n")
}
