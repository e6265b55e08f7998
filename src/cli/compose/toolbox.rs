//! The toolbox of the settings: servers, profile, approval, limits.

use std::time::Duration;

use secrecy::ExposeSecret;

use super::super::{Context, Failure, Globals};
use super::RunningLab;
use crate::redaction::{Redactor, is_secret_key};
use crate::settings::{self, Server, Transport};
use crate::tools::guard::{Approval, BreakerOptions, Profile, RateOptions, Rule, Ruling};
use crate::tools::{GuardOptions, Hub, McpToolbox, ServerSpec, ToolboxOptions};

/// Starts the servers in the background: the lab's collector, or those of the configuration.
///
/// # Errors
/// When settings or servers are wrong.
pub(in crate::cli) fn start(context: &Context, lab: Option<&RunningLab>) -> Result<McpToolbox, Failure> {
    let settings = context.settings()?;
    let servers = context.servers()?;
    let mut specs = match lab {
        Some(lab) => vec![lab.collector()?],
        None => servers
            .iter()
            .map(|server| spec(server, &context.globals))
            .collect::<Result<_, _>>()?,
    };
    for spec in &mut specs {
        spec.start_timeout = Duration::from_secs(settings.tools.start_timeout_s);
        spec.call_timeout = Duration::from_secs(settings.tools.call_timeout_s);
    }
    let hub = Hub::start(specs).map_err(|failure| {
        Failure::config(
            failure.to_string(),
            "correct the servers in mcp.json, see `noctui config path`",
        )
    })?;
    let mut guard = guard(&settings.tools);
    guard.spill = Some(context.folders()?.cache.join("results"));
    let options = ToolboxOptions {
        guard,
        redactor: redactor(&servers),
        patience: Duration::from_secs(settings.tools.start_timeout_s),
        ..ToolboxOptions::default()
    };
    Ok(McpToolbox::new(std::sync::Arc::new(hub), options))
}

/// This very program, for servers that are a part of it.
pub(in crate::cli) fn own_program() -> Result<String, Failure> {
    let path = std::env::current_exe().map_err(|error| {
        Failure::failed(
            format!("cannot find this program: {error}"),
            "start noctui by its full path",
        )
    })?;
    Ok(path.display().to_string())
}

fn spec(server: &Server, globals: &Globals) -> Result<ServerSpec, Failure> {
    let spec = match &server.transport {
        Transport::Stdio {
            command,
            args,
            env,
            cwd,
        } => {
            let mut spec = if command == "noctui" {
                let args = args.iter().cloned().chain(layers(globals)).collect();
                ServerSpec::stdio(&server.name, own_program()?, args)
            } else {
                ServerSpec::stdio(&server.name, command.clone(), args.clone())
            };
            for (name, value) in env {
                spec = spec.env(name, value.expose_secret());
            }
            if let (crate::tools::hub::Link::Stdio(stdio), Some(cwd)) = (&mut spec.link, cwd) {
                stdio.cwd = Some(cwd.clone());
            }
            spec
        }
        Transport::Http { url, headers } => {
            let headers = headers
                .iter()
                .map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
            ServerSpec::http(&server.name, url, headers.collect())
        }
    };
    Ok(match server.processes {
        Some(processes) => spec.serial_processes(processes),
        None => spec,
    })
}

/// The settings layers of this command line, so that a child of ours sees the same settings.
fn layers(globals: &Globals) -> impl Iterator<Item = String> {
    let file = globals
        .config
        .iter()
        .map(|file| format!("--config={}", file.display()));
    file.chain(globals.set.iter().map(|set| format!("--set={set}")))
}

/// Hides the secrets that the servers were given, wherever they would come back.
fn redactor(servers: &[Server]) -> Redactor {
    let values = servers.iter().flat_map(|server| match &server.transport {
        Transport::Stdio { env: values, .. } | Transport::Http { headers: values, .. } => values.iter(),
    });
    Redactor::default().with_literals(
        values
            .filter(|(name, _)| is_secret_key(name))
            .map(|(_, value)| value.clone()),
    )
}

fn guard(tools: &settings::Tools) -> GuardOptions {
    let defaults = GuardOptions::default();
    GuardOptions {
        profile: match tools.profile {
            settings::Profile::ReadOnly => Profile::ReadOnly,
            settings::Profile::All => Profile::All,
        },
        approval: match tools.approval {
            settings::Approval::Never => Approval::Never,
            settings::Approval::Changes => Approval::Changes,
            settings::Approval::Always => Approval::Always,
        },
        rules: tools.rules.iter().map(rule).collect(),
        cache_ttl: Duration::from_secs(tools.cache_ttl_s),
        rates: RateOptions {
            tool_per_minute: tools.limits.tool_per_minute,
            server_per_minute: tools.limits.server_per_minute,
            device_per_minute: tools.limits.device_per_minute,
            global_per_minute: tools.limits.global_per_minute,
            burst: tools.limits.burst,
            max_in_flight: tools.limits.max_in_flight,
            max_in_flight_per_device: tools.limits.max_in_flight_per_device,
            ..defaults.rates
        },
        breaker: BreakerOptions {
            failures: tools.breaker.failures,
            cooldown: Duration::from_secs(tools.breaker.cooldown_s),
        },
        max_identical_failures: tools.max_identical_failures,
        call_timeout: Duration::from_secs(tools.call_timeout_s),
        max_result_bytes: tools.max_result_bytes,
        trust: defaults.trust,
        spill: None,
    }
}

fn rule(rule: &settings::ApprovalRule) -> Rule {
    Rule {
        server: rule.server.clone(),
        tool: rule.tool.clone(),
        arguments: rule.arguments.clone(),
        ruling: match rule.decision {
            settings::Ruling::Allow => Ruling::Allow,
            settings::Ruling::Ask => Ruling::Ask,
            settings::Ruling::Deny => Ruling::Deny,
        },
    }
}
