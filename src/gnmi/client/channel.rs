//! The gRPC channel of a device: address, TLS as gnmic users know it, and login metadata.

use super::error::{Error, Kind};
use super::verifier::AcceptAny;
use crate::gnmi::inventory::{Device, Tls};
use secrecy::{ExposeSecret as _, SecretString};
use std::path::Path;
use std::sync::Arc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

/// HTTP/2 flow-control windows, large enough that a router's full tree is not sent in small rounds.
const STREAM_WINDOW: u32 = 2 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 4 * 1024 * 1024;

/// A channel that connects at its first RPC and again after it broke.
pub(super) fn open(device: &Device) -> Result<Channel, Error> {
    let scheme = if device.tls.is_some() { "https" } else { "http" };
    let uri = format!("{scheme}://{}", device.address());
    let bad = |e: tonic::transport::Error| {
        let cause = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
        Error::new(
            Kind::Configuration,
            format!("{} ({}): {cause}", device.name, device.address()),
        )
    };
    let mut endpoint = Endpoint::from_shared(uri)
        .map_err(bad)?
        .connect_timeout(device.timeout)
        .tcp_nodelay(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    if let Some(tls) = &device.tls {
        let mut config = ClientTlsConfig::new();
        config = config.domain_name(tls.server_name.clone().unwrap_or_else(|| device.host.clone()));
        if let Some((cert, key)) = &tls.identity {
            config = config.identity(Identity::from_pem(read(device, cert)?, read(device, key)?));
        }
        endpoint = protect(device, endpoint, tls, config, bad)?;
    }
    Ok(endpoint.connect_lazy())
}

fn protect(
    device: &Device,
    endpoint: Endpoint,
    tls: &Tls,
    mut config: ClientTlsConfig,
    bad: impl Fn(tonic::transport::Error) -> Error,
) -> Result<Endpoint, Error> {
    if tls.skip_verify {
        return endpoint
            .tls_config_with_verifier(config, Arc::new(AcceptAny::default()))
            .map_err(bad);
    }
    if let Some(ca) = &tls.ca {
        config = config.ca_certificate(Certificate::from_pem(read(device, ca)?));
    }
    endpoint.tls_config(config).map_err(bad)
}

fn read(device: &Device, path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|e| {
        Error::new(
            Kind::Configuration,
            format!("{}: cannot read {}: {e}", device.name, path.display()),
        )
    })
}

/// Login metadata, as gNMI wants it (gnmi-authentication, section "credentials in metadata").
#[derive(Clone)]
pub(super) struct Login {
    username: Option<MetadataValue<Ascii>>,
    password: Option<MetadataValue<Ascii>>,
}

impl Login {
    /// Resolves the device's credentials; a password command runs here.
    pub(super) async fn of(device: &Device) -> Result<Self, Error> {
        let wrong = |what: String| Error::new(Kind::Configuration, format!("{}: {what}", device.name));
        let username = match &device.credentials.username {
            None => None,
            Some(name) => Some(
                name.parse()
                    .map_err(|_| wrong("the user name is not plain ASCII".into()))?,
            ),
        };
        let password = match &device.credentials.password {
            None => None,
            Some(source) => Some(
                secret_value(&source.reveal().await.map_err(wrong)?).ok_or_else(|| {
                    Error::new(
                        Kind::Configuration,
                        format!("{}: the password is not plain ASCII", device.name),
                    )
                })?,
            ),
        };
        Ok(Self { username, password })
    }

    pub(super) fn sign<T>(&self, request: &mut tonic::Request<T>) {
        let metadata = request.metadata_mut();
        if let Some(username) = &self.username {
            metadata.insert("username", username.clone());
        }
        if let Some(password) = &self.password {
            metadata.insert("password", password.clone());
        }
    }
}

fn secret_value(secret: &SecretString) -> Option<MetadataValue<Ascii>> {
    let mut value: MetadataValue<Ascii> = secret.expose_secret().parse().ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login([REDACTED])")
    }
}
