//! `noctui lab up`: runs a lab in this process until Ctrl-C.

use super::plan::{Plan, plan};
use crate::cli::{Context, Exit, Failure, print};
use crate::lab::Lab;
use crate::lab::control::{self, LabRecord};
use crate::lab::live::{LiveLab, Steered, system_clock};
use crate::lab::target::{Credentials, LabOptions, LabRunning, Ports, Tls};
use crate::settings;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Arguments of `noctui lab up`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// S, M or L, a number of devices to generate, or a network file (default: setting lab.size)
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Scenario to start with: an id (see `noctui lab list`) or a file (default: setting lab.scenario)
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// First port of the targets, e.g. 57400+; 0 takes free ones (default: setting lab.port)
    #[arg(long, value_name = "PORT")]
    ports: Option<String>,
    /// Seed of counters and log noise (default: setting lab.seed)
    #[arg(long)]
    seed: Option<u64>,
    /// Write the inventory to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    inventory: Option<PathBuf>,
    /// Listen on this address; anything but loopback lets the network in
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::from(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// User name of the devices
    #[arg(long, default_value = "lab")]
    username: String,
    /// Password of the devices
    #[arg(long, default_value = "lab")]
    password: String,
    #[command(flatten)]
    tls: TlsArgs,
}

#[derive(Debug, clap::Args)]
struct TlsArgs {
    /// Speak TLS with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Demand client certificates that this authority signed (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_client_ca: Option<PathBuf>,
    /// Root certificate file to name in the inventory
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_root: Option<PathBuf>,
}

/// Runs the lab.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let settings = context.settings()?.lab.clone();
    let folder = control::folder(&context.folders()?.state);
    let quiet = context.globals.quiet;
    context.block_on(async {
        let up = Up::start(&args, &settings, &folder).await?;
        let done = up.announce(&args, quiet);
        if done.is_ok() {
            stopped().await;
        }
        up.finish().await;
        done
    })?;
    Ok(Exit::Healthy)
}

/// Ctrl-C, or SIGTERM where there is such a thing.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn options(args: &Args, settings: &settings::Lab) -> Result<LabOptions, Failure> {
    Ok(LabOptions {
        address: args.address,
        ports: match &args.ports {
            None if settings.port == 0 => Ports::Ephemeral,
            None => Ports::From(settings.port),
            Some(text) => ports(text)?,
        },
        credentials: Credentials {
            username: args.username.clone(),
            password: args.password.clone(),
        },
        tls: args.tls.load()?,
    })
}

/// `57400`, `57400+` or `0`.
fn ports(text: &str) -> Result<Ports, Failure> {
    match text.strip_suffix('+').unwrap_or(text).parse() {
        Ok(0) => Ok(Ports::Ephemeral),
        Ok(first) => Ok(Ports::From(first)),
        Err(_) => Err(Failure::usage(
            format!("--ports {text}: not a port"),
            "give the first port, e.g. 57400+, or 0 for free ones",
        )),
    }
}

impl TlsArgs {
    fn load(&self) -> Result<Option<Tls>, Failure> {
        let read = |file: &PathBuf| {
            std::fs::read_to_string(file)
                .map_err(|error| Failure::config(format!("{}: {error}", file.display()), "name a PEM file"))
        };
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        Ok(Some(Tls {
            certificate: read(certificate)?,
            key: read(key)?,
            client_ca: self.tls_client_ca.as_ref().map(read).transpose()?,
            root_file: self.tls_root.as_ref().map(|file| file.display().to_string()),
        }))
    }
}

/// What an order must carry: whoever can read the record may steer.
fn token() -> Result<String, Failure> {
    let mut token = [0_u8; 16];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut token)
        .map_err(|_| Failure::failed("the system gives no random numbers", "check /dev/urandom"))?;
    Ok(token.iter().map(|byte| format!("{byte:02x}")).collect())
}

struct Up {
    running: Arc<LabRunning>,
    record: LabRecord,
    folder: PathBuf,
    stop: CancellationToken,
}

impl Up {
    async fn start(args: &Args, settings: &settings::Lab, folder: &Path) -> Result<Self, Failure> {
        let Plan {
            network,
            faults,
            scenario,
        } = plan(args.size.as_deref(), args.scenario.as_deref(), settings)?;
        let name = network.name.clone();
        let seed = args.seed.unwrap_or(settings.seed);
        let clock = system_clock();
        let mut lab = Lab::new(network, seed, clock());
        for fault in faults {
            lab.inject(fault).map_err(|error| {
                let what = format!("scenario {scenario}: {error}");
                Failure::config(what, "choose another size or scenario")
            })?;
        }
        // A listener and some connections a device; a limit that cannot be raised shows when ports are bound.
        let _ = rlimit::increase_nofile_limit(lab.network().devices.len() as u64 * 4 + 1_024);
        let live = Arc::new(LiveLab::new(lab, clock));
        let options = options(args, settings)?;
        let running = LabRunning::start(live.clone(), options)
            .await
            .map_err(|error| Failure::failed(error.to_string(), "`--ports 0` takes free ports"))?;
        let running = Arc::new(running);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .map_err(|error| {
                Failure::failed(
                    format!("no control port: {error}"),
                    "check the loopback interface",
                )
            })?;
        let record = LabRecord {
            pid: std::process::id(),
            network: name,
            scenario,
            seed,
            started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            control: listener
                .local_addr()
                .unwrap_or_else(|_| ([127, 0, 0, 1], 0).into()),
            token: token()?,
            inventory: args
                .inventory
                .as_ref()
                .map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())),
        };
        let stop = CancellationToken::new();
        let steered = Arc::new(Steered {
            lab: live,
            running: running.clone(),
        });
        tokio::spawn(control::serve(
            listener,
            record.token.clone(),
            steered,
            stop.clone(),
        ));
        Ok(Up {
            running,
            record,
            folder: folder.to_owned(),
            stop,
        })
    }

    /// Hands out the inventory and leaves the record by which the lab is found.
    fn announce(&self, args: &Args, quiet: bool) -> Result<(), Failure> {
        self.record.write(&self.folder).map_err(|error| {
            Failure::failed(
                format!("{}: {error}", self.folder.display()),
                "check the state folder",
            )
        })?;
        let inventory = serde_json::to_string_pretty(self.running.inventory())
            .map_err(|error| Failure::failed(error.to_string(), ""))?;
        match &args.inventory {
            None => print::line(inventory)?,
            Some(file) => std::fs::write(file, inventory + "\n").map_err(|error| {
                Failure::failed(
                    format!("{}: {error}", file.display()),
                    "name a file that can be written",
                )
            })?,
        }
        if !quiet {
            if let Some(file) = &args.inventory {
                print::hint(format_args!("inventory: {}", file.display()));
            }
            let devices = self.running.inventory().len();
            print::hint(format_args!(
                "lab {} up: {} with {devices} devices{}; Ctrl-C ends it",
                self.record.pid,
                self.record.network,
                if self.record.scenario.is_empty() {
                    String::new()
                } else {
                    format!(", scenario {}", self.record.scenario)
                },
            ));
            if !args.address.is_loopback() {
                print::hint(format_args!(
                    "warning: listening on {}, not only on loopback",
                    args.address
                ));
            }
        }
        Ok(())
    }

    async fn finish(self) {
        self.stop.cancel();
        self.record.remove(&self.folder);
        // The control port may hold it a moment longer; its ports close with it.
        if let Some(running) = Arc::into_inner(self.running) {
            running.stop().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_as_written() {
        assert_eq!(ports("57400+").unwrap(), Ports::From(57400));
        assert_eq!(ports("57400").unwrap(), Ports::From(57400));
        assert_eq!(ports("0").unwrap(), Ports::Ephemeral);
        assert!(ports("many").is_err());
        assert!(ports("70000").is_err());
    }
}
