//! Subscribe: ONCE, POLL and STREAM. What is sent when is decided in `notice`; this moves it over the wire.

use super::answer::{self, Form};
use super::device::Served;
use super::notice::Notices;
use super::trouble::Spoil;
use crate::proto::gnmi::subscribe_request::Request as Asked;
use crate::proto::gnmi::subscribe_response::Response as Sent;
use crate::proto::gnmi::subscription_list::Mode;
use crate::proto::gnmi::{Notification, Path, SubscribeRequest, SubscribeResponse, SubscriptionList};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

type Answer = Result<SubscribeResponse, Status>;

/// Messages waiting for a slow client before the target waits for it.
const WAITING: usize = 16;
/// How often state is looked at again besides announced changes: timers of protocols run by themselves.
const LOOK: Duration = Duration::from_secs(1);

/// Reads the subscription and starts to answer it.
///
/// # Errors
/// `INVALID_ARGUMENT` or `UNIMPLEMENTED` when it asks for what is not served.
pub(super) async fn subscribe(
    served: Arc<Served>,
    mut inbound: Streaming<SubscribeRequest>,
    spoil: &Spoil,
) -> Result<ReceiverStream<Answer>, Status> {
    let first = inbound.message().await?.and_then(|message| message.request);
    let Some(Asked::Subscribe(list)) = first else {
        return Err(Status::invalid_argument(
            "the first message of a Subscribe must be its subscription list",
        ));
    };
    let mode = Mode::try_from(list.mode)
        .map_err(|_| Status::invalid_argument("the mode of the subscription list is none of gNMI's"))?;
    let notices = notices(&list)?;
    let (out, answers) = mpsc::channel(WAITING);
    let session = Session {
        served,
        target: list
            .prefix
            .as_ref()
            .map(|prefix| prefix.target.clone())
            .unwrap_or_default(),
        updates_only: list.updates_only,
        breaks_off: spoil.breaks_streams(),
        notices,
        out,
    };
    tokio::spawn(async move {
        let out = session.out.clone();
        if let Err(Ended::With(status)) = session.run(mode, inbound).await {
            // A client that has gone does not need to hear it.
            let _ = out.send(Err(status)).await;
        }
    });
    Ok(ReceiverStream::new(answers))
}

fn notices(list: &SubscriptionList) -> Result<Vec<Notices>, Status> {
    let form = answer::form(list.encoding)?;
    if form == Form::Ascii {
        return Err(Status::invalid_argument(
            "encoding ASCII is for Get of command output only",
        ));
    }
    answer::check_models(&list.use_models)?;
    if list.subscription.is_empty() {
        return Err(Status::invalid_argument(
            "a subscription list needs at least one subscription",
        ));
    }
    list.subscription
        .iter()
        .map(|asked| Notices::new(list.prefix.as_ref(), asked, form))
        .collect()
}

/// Why a session is over.
enum Ended {
    /// The client went away or said it is done.
    ByClient,
    With(Status),
}

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        Ended::With(status)
    }
}

struct Session {
    served: Arc<Served>,
    target: String,
    updates_only: bool,
    breaks_off: bool,
    notices: Vec<Notices>,
    out: mpsc::Sender<Answer>,
}

impl Session {
    async fn run(mut self, mode: Mode, mut inbound: Streaming<SubscribeRequest>) -> Result<(), Ended> {
        match mode {
            Mode::Once => self.snapshot().await,
            Mode::Poll => {
                self.snapshot().await?;
                while self.polled(&mut inbound).await? {
                    self.snapshot().await?;
                }
                Ok(())
            }
            Mode::Stream => {
                self.snapshot().await?;
                self.stream(inbound).await
            }
        }
    }

    /// Everything there is (nothing with `updates_only`), then the mark that it is all.
    async fn snapshot(&mut self) -> Result<(), Ended> {
        let served = self.served.clone();
        let now = Instant::now();
        for index in 0..self.notices.len() {
            let messages = {
                let view = served.view()?;
                let notices = &mut self.notices[index];
                if self.updates_only {
                    notices.skip(&view, now);
                    Vec::new()
                } else {
                    notices.first(&view, now)
                }
            };
            self.send(messages).await?;
        }
        self.post(Sent::SyncResponse(true)).await
    }

    /// Waits for a poll; false when the client is done.
    async fn polled(&self, inbound: &mut Streaming<SubscribeRequest>) -> Result<bool, Ended> {
        match inbound.message().await?.map(|message| message.request) {
            None => Ok(false),
            Some(Some(Asked::Poll(_))) => Ok(true),
            Some(_) => Err(Status::invalid_argument("only Poll may follow a POLL subscription").into()),
        }
    }

    async fn stream(mut self, mut inbound: Streaming<SubscribeRequest>) -> Result<(), Ended> {
        let served = self.served.clone();
        let mut changes = served.source.changes();
        let mut look = Instant::now() + LOOK;
        let mut listening = true;
        loop {
            let due = self
                .notices
                .iter()
                .filter_map(Notices::due)
                .min()
                .map_or(look, |due| due.min(look));
            let changed = tokio::select! {
                () = self.out.closed() => return Err(Ended::ByClient),
                message = inbound.message(), if listening => {
                    // The client may close its half and go on reading.
                    listening = message?.is_some();
                    if listening {
                        return Err(Status::invalid_argument("nothing may follow a STREAM subscription").into());
                    }
                    continue;
                }
                changed = changes.changed() => changed.is_ok(),
                () = tokio::time::sleep_until(due) => false,
            };
            let now = Instant::now();
            let looking = changed || look <= now;
            if looking {
                look = now + LOOK;
            }
            for index in 0..self.notices.len() {
                let messages = {
                    let view = served.view()?;
                    let notices = &mut self.notices[index];
                    let mut messages = if looking {
                        notices.changed(&view)
                    } else {
                        Vec::new()
                    };
                    messages.extend(notices.tick(&view, now));
                    messages
                };
                self.send(messages).await?;
            }
        }
    }

    async fn send(&self, messages: Vec<Notification>) -> Result<(), Ended> {
        for mut message in messages {
            if !self.target.is_empty() {
                message.prefix = Some(Path {
                    target: self.target.clone(),
                    ..Path::default()
                });
            }
            self.post(Sent::Update(message)).await?;
            if self.breaks_off {
                return Err(Status::data_loss("the stream broke off").into());
            }
        }
        Ok(())
    }

    async fn post(&self, response: Sent) -> Result<(), Ended> {
        let message = SubscribeResponse {
            response: Some(response),
            ..SubscribeResponse::default()
        };
        self.out.send(Ok(message)).await.map_err(|_| Ended::ByClient)
    }
}
