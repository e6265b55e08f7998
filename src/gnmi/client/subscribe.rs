//! Subscribe: ONCE, POLL and STREAM as a stream of decoded events. Used by the command line; tools poll
//! with Get, because an answer must end.

use super::answer::Answer;
use super::error::{Error, Kind};
use super::session::Session;
use crate::proto::gnmi::subscribe_request::Request as Body;
use crate::proto::gnmi::subscribe_response::Response;
use crate::proto::gnmi::subscription_list::Mode as ListMode;
use crate::proto::gnmi::{
    Encoding, Path, Poll, SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList,
    SubscriptionMode,
};
use futures::{Stream, StreamExt as _};
use std::time::Duration;

/// When the device sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// All values once, then the stream ends.
    Once,
    /// All values now and again every interval.
    Poll(Duration),
    /// As the stream mode says, until the caller drops the stream.
    Stream(StreamMode),
}

/// When a STREAM subscription sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    /// The device chooses per leaf.
    TargetDefined,
    /// When a value changes.
    OnChange,
    /// Every interval.
    Sample(Duration),
}

/// A subscription.
#[derive(Debug, Clone)]
pub struct Subscribe {
    /// Paths, wildcards allowed.
    pub paths: Vec<Path>,
    /// When the device sends.
    pub mode: Mode,
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Skip the initial values.
    pub updates_only: bool,
}

/// What arrives.
#[derive(Debug, Clone)]
pub enum Event {
    /// Values and deleted paths of one moment.
    Update {
        /// Values with full paths.
        values: Answer,
        /// Paths that are gone.
        deleted: Vec<Path>,
    },
    /// Every path has been sent once.
    Synced,
}

impl Subscribe {
    fn message(&self) -> SubscribeRequest {
        let (mode, stream_mode, interval) = match self.mode {
            Mode::Once => (ListMode::Once, SubscriptionMode::TargetDefined, Duration::ZERO),
            Mode::Poll(_) => (ListMode::Poll, SubscriptionMode::TargetDefined, Duration::ZERO),
            Mode::Stream(StreamMode::TargetDefined) => {
                (ListMode::Stream, SubscriptionMode::TargetDefined, Duration::ZERO)
            }
            Mode::Stream(StreamMode::OnChange) => {
                (ListMode::Stream, SubscriptionMode::OnChange, Duration::ZERO)
            }
            Mode::Stream(StreamMode::Sample(every)) => (ListMode::Stream, SubscriptionMode::Sample, every),
        };
        let subscription = self
            .paths
            .iter()
            .map(|path| Subscription {
                path: Some(path.clone()),
                mode: stream_mode as i32,
                sample_interval: u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
                ..Subscription::default()
            })
            .collect();
        let list = SubscriptionList {
            subscription,
            mode: mode as i32,
            encoding: self.encoding as i32,
            updates_only: self.updates_only,
            ..SubscriptionList::default()
        };
        SubscribeRequest {
            request: Some(Body::Subscribe(list)),
            ..SubscribeRequest::default()
        }
    }
}

impl Session {
    /// Opens a subscription. The deadline holds for opening it; afterwards the stream lives until the
    /// device ends it or the caller drops it.
    ///
    /// # Errors
    /// [`Error`] of opening; later errors are items of the stream, and end it.
    pub async fn subscribe(
        &self,
        subscribe: &Subscribe,
    ) -> Result<impl Stream<Item = Result<Event, Error>> + Send + use<>, Error> {
        self.admit()?;
        let opened = tokio::time::timeout(self.device().timeout, self.open_stream(subscribe)).await;
        let opened = opened.unwrap_or_else(|_| Err(Error::deadline(self.device())));
        self.report(&opened);
        let device = self.device().clone();
        Ok(opened?.filter_map(move |item| {
            let event = match item {
                Err(status) => Some(Err(Error::from_status(&device, &status))),
                Ok(message) => read(message)
                    .transpose()
                    .map(|r| r.map_err(|w| Error::new(Kind::Undecodable, w))),
            };
            std::future::ready(event)
        }))
    }

    async fn open_stream(&self, subscribe: &Subscribe) -> Result<tonic::Streaming<SubscribeResponse>, Error> {
        let login = self.login().await?;
        let first = futures::stream::iter([subscribe.message()]);
        let mode = subscribe.mode;
        // The request side stays open: a target may take its end for the end of the subscription.
        let rest = futures::stream::unfold((), move |()| async move {
            match mode {
                Mode::Poll(every) => {
                    tokio::time::sleep(every).await;
                    let poll = SubscribeRequest {
                        request: Some(Body::Poll(Poll {})),
                        ..SubscribeRequest::default()
                    };
                    Some((poll, ()))
                }
                Mode::Once | Mode::Stream(_) => std::future::pending().await,
            }
        });
        let mut request = tonic::Request::new(first.chain(rest));
        login.sign(&mut request);
        let response = self.client()?.subscribe(request).await;
        response
            .map(tonic::Response::into_inner)
            .map_err(|s| Error::from_status(self.device(), &s))
    }
}

fn read(message: SubscribeResponse) -> Result<Option<Event>, String> {
    Ok(match message.response {
        Some(Response::Update(notification)) => {
            let mut values = Answer::default();
            values.add(&notification)?;
            let prefix = notification.prefix.as_ref();
            let deleted = notification
                .delete
                .iter()
                .map(|p| crate::proto::path::join(prefix, p))
                .collect();
            Some(Event::Update { values, deleted })
        }
        Some(Response::SyncResponse(true)) => Some(Event::Synced),
        _ => None,
    })
}
