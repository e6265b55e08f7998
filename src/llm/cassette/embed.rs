//! Embeddings on a tape: an embedder that is recorded, and one that is the tape.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ErrorKind, Exchange, LlmError, Outcome, Tape};
use crate::llm::Embedder;

/// An embedder whose vectors are written to a tape.
pub(crate) struct RecordedEmbedder {
    pub(crate) inner: Arc<dyn Embedder>,
    pub(crate) tape: Arc<Tape>,
}

#[async_trait]
impl Embedder for RecordedEmbedder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError> {
        let result = self.inner.embed(texts).await;
        let outcome = match &result {
            Ok(vectors) => Outcome::Reply(vectors.clone()),
            Err(error) => Outcome::Error(error.clone()),
        };
        let model = self.inner.name().to_owned();
        self.tape.write(&Exchange::Embed {
            model,
            texts: texts.to_vec(),
            outcome,
        })?;
        result
    }
}

/// An embedder that answers from a tape.
pub(crate) struct ReplayedEmbedder {
    pub(crate) name: String,
    pub(crate) tape: Arc<Tape>,
}

#[async_trait]
impl Embedder for ReplayedEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError> {
        let wanted = self.tape.redacted(&texts.to_vec())?;
        let found = self
            .tape
            .take(|e| matches!(e, Exchange::Embed { texts, .. } if *texts == wanted));
        match found {
            Some(Exchange::Embed { outcome, .. }) => outcome.into(),
            Some(Exchange::Chat { .. }) | None => {
                let what = format!("the embedding of these {} texts is not on the tape", texts.len());
                Err(LlmError::new(
                    ErrorKind::Cassette,
                    "cassette",
                    what,
                    "record it again",
                ))
            }
        }
    }
}
