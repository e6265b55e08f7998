//! Effects that take time: done on the runtime's workers, reported back as messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::forward;
use crate::agent::model::SessionId;
use crate::tui::app::{Effect, ExportTo, Msg, TabId};
use crate::tui::source::{Desk, ExportFormat, Feed, Opened, Say, Voice};
use crate::tui::story::Story;

type Voices = Arc<Mutex<HashMap<TabId, (Arc<dyn Voice>, CancellationToken)>>>;

/// Does slow effects.
pub(super) struct Background {
    desk: Arc<dyn Desk>,
    tx: mpsc::Sender<Msg>,
    voices: Voices,
}

impl Background {
    pub(super) fn new(desk: Arc<dyn Desk>, tx: mpsc::Sender<Msg>) -> Self {
        Self {
            desk,
            tx,
            voices: Voices::default(),
        }
    }

    /// Starts an effect.
    pub(super) fn start(&self, effect: Effect) {
        let (desk, tx) = (self.desk.clone(), self.tx.clone());
        match effect {
            Effect::Open(tab, query) => self.open(tab, async move { desk.open(query).await }),
            Effect::Resume(tab, id) => self.open(tab, async move { desk.resume(&id).await }),
            Effect::Load(tab, id) => report(tx, async move {
                Msg::Loaded(tab, desk.recording(&id).await.map(Into::into))
            }),
            Effect::Say(tab, say) => self.say(tab, say),
            Effect::Leave(tab) => self.leave(tab),
            Effect::ListSessions => report(tx, async move { Msg::Sessions(desk.sessions().await) }),
            Effect::Rename(id, name) => report(tx, async move {
                Msg::Done(
                    desk.rename(&id, &name)
                        .await
                        .map(|()| format!("named \"{name}\"")),
                )
            }),
            Effect::Delete(id) => report(tx, async move {
                Msg::Done(desk.delete(&id).await.map(|()| format!("deleted {id}")))
            }),
            Effect::Compare(a, b) => report(tx, async move { Msg::Compared(both(&*desk, &a, &b).await) }),
            Effect::Configure(answers) => {
                report(tx, async move { Msg::Configured(desk.configure(answers).await) })
            }
            Effect::Export(id, format, to) => export(desk, tx, id, format, to),
            // The loop does the others itself.
            _ => {}
        }
    }

    fn open(&self, tab: TabId, opening: impl Future<Output = Result<Opened, String>> + Send + 'static) {
        let (tx, voices) = (self.tx.clone(), self.voices.clone());
        tokio::spawn(async move {
            let opened = match opening.await {
                Ok(opened) => opened,
                Err(problem) => {
                    let _ = tx.send(Msg::Opened(tab, Err(problem))).await;
                    return;
                }
            };
            let cancel = CancellationToken::new();
            let entry = (opened.source.voice(), cancel.clone());
            voices
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(tab, entry);
            // A closed screen is the only reason for a failure, and then nobody waits.
            let _ = tx.send(Msg::Opened(tab, Ok(opened.id))).await;
            if let Some(mut servers) = opened.servers {
                let (tx, cancel) = (tx.clone(), cancel.clone());
                tokio::spawn(cancel.run_until_cancelled_owned(async move {
                    loop {
                        let rows = servers.borrow_and_update().clone();
                        let told = tx.send(Msg::Feed(tab, Feed::Servers(rows))).await;
                        if told.is_err() || servers.changed().await.is_err() {
                            return;
                        }
                    }
                }));
            }
            cancel.run_until_cancelled(forward(tab, opened.source, tx)).await;
        });
    }

    fn say(&self, tab: TabId, say: Say) {
        let voice = self
            .voices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&tab)
            .map(|(v, _)| v.clone());
        let tx = self.tx.clone();
        tokio::spawn(async move {
            let said = match voice {
                Some(voice) => voice.say(say).await,
                None => Err("the session is not open yet".to_owned()),
            };
            if let Err(problem) = said {
                let _ = tx.send(Msg::Done(Err(problem))).await;
            }
        });
    }

    fn leave(&self, tab: TabId) {
        let entry = self
            .voices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&tab);
        if let Some((_, cancel)) = entry {
            cancel.cancel();
        }
    }
}

/// Two recordings, folded.
async fn both(desk: &dyn Desk, a: &SessionId, b: &SessionId) -> Result<Box<[Story; 2]>, String> {
    let (a, b) = (desk.recording(a).await?, desk.recording(b).await?);
    Ok(Box::new([Story::of(&a), Story::of(&b)]))
}

/// Runs something that ends in one message.
fn report(tx: mpsc::Sender<Msg>, work: impl Future<Output = Msg> + Send + 'static) {
    tokio::spawn(async move {
        let msg = work.await;
        // A closed screen is the only reason for a failure, and then nobody waits.
        let _ = tx.send(msg).await;
    });
}

fn export(desk: Arc<dyn Desk>, tx: mpsc::Sender<Msg>, id: SessionId, format: ExportFormat, to: ExportTo) {
    report(tx, async move {
        let text = match desk.export(&id, format).await {
            Ok(text) => text,
            Err(problem) => return Msg::Done(Err(problem)),
        };
        if to == ExportTo::Clipboard {
            return Msg::Exported(text);
        }
        let name = format!("noctui-{id}.{}", format.extension());
        match tokio::fs::write(&name, text).await {
            Ok(()) => Msg::Done(Ok(format!("exported to {name}"))),
            Err(error) => Msg::Done(Err(format!(
                "{name}: {error} - start noctui in a folder you may write to"
            ))),
        }
    });
}
