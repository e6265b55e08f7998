//! The session with one device: shared connection, login, limits, retries, breaker and cached
//! Capabilities.

use super::Limits;
use super::answer::Answer;
use super::breaker::Breaker;
use super::channel::{Login, open};
use super::error::{Error, Kind};
use crate::gnmi::inventory::Device;
use crate::proto::gnmi::g_nmi_client::GNmiClient;
use crate::proto::gnmi::get_request::DataType;
use crate::proto::gnmi::{CapabilityRequest, CapabilityResponse, Encoding, GetRequest, Path};
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;
use tonic::transport::Channel;

/// How long Capabilities are believed; a reload or an upgrade shows after that at the latest.
const CAPABILITIES_TTL: Duration = Duration::from_secs(300);
/// Tries of one RPC, the first included, and the pause before the second; it grows fourfold.
const TRIES: u32 = 3;
const FIRST_BACKOFF: Duration = Duration::from_millis(50);

/// What a device offers.
pub type Capabilities = CapabilityResponse;

/// Outcome of the last Capabilities, and when it came.
type Remembered = Option<(Instant, Result<Arc<Capabilities>, Error>)>;

/// A Get: paths, and the part of the data that is wanted.
#[derive(Debug, Clone)]
pub struct Get {
    /// Paths; all are answered or the whole Get fails.
    pub paths: Vec<Path>,
    /// ALL, CONFIG, STATE or OPERATIONAL.
    pub data_type: DataType,
    /// Encoding of the values.
    pub encoding: Encoding,
}

/// One device, as the client knows it.
#[derive(Debug)]
pub struct Session {
    device: Arc<Device>,
    limits: Limits,
    channel: Mutex<Option<Channel>>,
    login: OnceCell<Login>,
    slots: Semaphore,
    breaker: Breaker,
    capabilities: tokio::sync::Mutex<Remembered>,
}

impl Session {
    pub(super) fn new(device: Arc<Device>, limits: Limits) -> Self {
        Self {
            device,
            slots: Semaphore::new(limits.per_device),
            limits,
            channel: Mutex::default(),
            login: OnceCell::new(),
            breaker: Breaker::default(),
            capabilities: tokio::sync::Mutex::default(),
        }
    }

    /// The device of this session.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Capabilities, from memory when they are fresh; concurrent callers share one RPC.
    ///
    /// # Errors
    /// [`Error`] of the RPC.
    pub async fn capabilities(&self) -> Result<Arc<Capabilities>, Error> {
        let asked = Instant::now();
        let mut remembered = self.capabilities.lock().await;
        match &*remembered {
            Some((at, Ok(known))) if at.elapsed() < CAPABILITIES_TTL => return Ok(Arc::clone(known)),
            // It failed while this caller was waiting: another try would only wait again.
            Some((at, Err(error))) if *at >= asked => return Err(error.clone()),
            _ => {}
        }
        let fresh = self.fetch_capabilities().await.map(Arc::new);
        *remembered = Some((Instant::now(), fresh.clone()));
        fresh
    }

    /// Capabilities, asked now.
    ///
    /// # Errors
    /// [`Error`] of the RPC.
    pub async fn fetch_capabilities(&self) -> Result<Capabilities, Error> {
        self.call(|mut client, login| async move {
            let mut request = tonic::Request::new(CapabilityRequest::default());
            login.sign(&mut request);
            client.capabilities(request).await
        })
        .await
    }

    /// JSON_IETF or JSON, whichever the device offers first in that order.
    ///
    /// # Errors
    /// [`Kind::Encoding`] when it offers neither, or the error of Capabilities. A device without the
    /// Capabilities RPC is taken to speak JSON_IETF.
    pub async fn json_encoding(&self) -> Result<Encoding, Error> {
        let offered = match self.capabilities().await {
            Ok(capabilities) => capabilities.supported_encodings.clone(),
            Err(error) if error.kind == Kind::Unimplemented => return Ok(Encoding::JsonIetf),
            Err(error) => return Err(error),
        };
        [Encoding::JsonIetf, Encoding::Json]
            .into_iter()
            .find(|e| offered.is_empty() || offered.contains(&(*e as i32)))
            .ok_or_else(|| {
                Error::new(
                    Kind::Encoding,
                    "Requested encoding 'json_ietf' is not supported by device",
                )
            })
    }

    /// [`Self::json_encoding`], after checking that `model` is offered in `version` or later.
    ///
    /// # Errors
    /// [`Kind::Model`] when it is not, else as [`Self::json_encoding`].
    pub async fn require_model(&self, model: &str, version: &str) -> Result<Encoding, Error> {
        match self.capabilities().await {
            Ok(offered) => {
                let known = offered.supported_models.iter().filter(|m| m.name == model);
                if !known.into_iter().any(|m| reaches(&m.version, version)) {
                    let text = format!("Required model '{model}>={version}' not supported by device");
                    return Err(Error::new(Kind::Model, text));
                }
            }
            Err(error) if error.kind == Kind::Unimplemented => {}
            Err(error) => return Err(error),
        }
        self.json_encoding().await
    }

    /// Sends a Get and decodes the answer.
    ///
    /// # Errors
    /// [`Error`] by kind: see there.
    pub async fn get(&self, get: &Get) -> Result<Answer, Error> {
        let message = GetRequest {
            path: get.paths.clone(),
            r#type: get.data_type as i32,
            encoding: get.encoding as i32,
            ..GetRequest::default()
        };
        let response = self
            .call(|mut client, login| {
                let mut request = tonic::Request::new(message.clone());
                async move {
                    login.sign(&mut request);
                    client.get(request).await
                }
            })
            .await?;
        Answer::read(&response).map_err(|what| {
            let (name, address) = (&self.device.name, self.device.address());
            Error::new(
                Kind::Undecodable,
                format!("The answer of {name} ({address}) cannot be decoded: {what}"),
            )
        })
    }

    /// Runs an RPC under the deadline, with retries, a slot of the device and the breaker's consent.
    async fn call<T, F>(&self, mut rpc: impl FnMut(GNmiClient<Channel>, Login) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<tonic::Response<T>, tonic::Status>>,
    {
        self.admit()?;
        let result = tokio::time::timeout(self.device.timeout, self.attempt(&mut rpc)).await;
        let result = result.unwrap_or_else(|_| Err(Error::deadline(&self.device)));
        self.report(&result);
        result
    }

    async fn attempt<T, F>(&self, rpc: &mut impl FnMut(GNmiClient<Channel>, Login) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<tonic::Response<T>, tonic::Status>>,
    {
        let _slot = self
            .slots
            .acquire()
            .await
            .map_err(|_| Error::deadline(&self.device))?;
        let login = self.login().await?;
        let mut pause = FIRST_BACKOFF;
        let mut tries = 1;
        loop {
            let error = match rpc(self.client()?, login.clone()).await {
                Ok(response) => return Ok(response.into_inner()),
                Err(status) => Error::from_status(&self.device, &status),
            };
            if !error.kind.is_transient() || tries == TRIES {
                return Err(error);
            }
            tracing::debug!(device = %self.device.name, tries, error = %error, "retrying");
            tokio::time::sleep(pause.mul_f64(jitter())).await;
            pause *= 4;
            tries += 1;
        }
    }

    pub(super) fn admit(&self) -> Result<(), Error> {
        self.breaker.admit().map_err(|open| {
            let (name, address) = (&self.device.name, self.device.address());
            let wait = open.wait.as_secs_f64().ceil();
            let text = format!(
                "{name} ({address}) is left alone for {wait} s after repeated failures; the last: {}",
                open.reason
            );
            Error::new(Kind::CircuitOpen, text)
        })
    }

    pub(super) fn report<T>(&self, result: &Result<T, Error>) {
        match result {
            Err(error) if error.kind.is_outage() => {
                self.breaker.failed(&error.message);
                // A half-dead connection would fail the next call too; let that one connect anew.
                *self.channel.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            _ => self.breaker.succeeded(),
        }
    }

    pub(super) async fn login(&self) -> Result<Login, Error> {
        self.login
            .get_or_try_init(|| Login::of(&self.device))
            .await
            .cloned()
    }

    pub(super) fn client(&self) -> Result<GNmiClient<Channel>, Error> {
        let mut shared = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = match &*shared {
            Some(channel) => channel.clone(),
            None => shared.insert(open(&self.device)?).clone(),
        };
        Ok(GNmiClient::new(channel).max_decoding_message_size(self.limits.answer_bytes))
    }
}

/// A factor from 0.5 to 1.5, so that many callers do not come back at the same moment.
fn jitter() -> f64 {
    let random = std::hash::RandomState::new().build_hasher().finish();
    0.5 + f64::from((random % 1000) as u16) / 1000.0
}

/// Whether a model version (`1.3.0`) is at least the wanted one. A version that is no such number - some
/// devices give a date - is taken to do.
fn reaches(have: &str, want: &str) -> bool {
    let parts = |text: &str| {
        text.split('.')
            .map(str::parse::<u32>)
            .collect::<Result<Vec<_>, _>>()
    };
    match (parts(have), parts(want)) {
        (Ok(have), Ok(want)) => have >= want,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::reaches;

    #[test]
    fn versions_compare_by_number() {
        assert!(reaches("1.10.0", "1.3.0"));
        assert!(!reaches("0.17.0", "0.17.1"));
        assert!(
            reaches("2019-06-21", "1.3.0"),
            "a date cannot be compared and must not hide a device"
        );
    }
}
