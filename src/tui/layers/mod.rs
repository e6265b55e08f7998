//! The layer stack: modals over the screen. Keys fall front to back, drawing goes back to front.
//!
//! The stack knows order and arming, not what the layers show; it is generic over their content.

mod arming;

pub use arming::{Arming, MAX_WAIT, QUIET};

use tokio::time::Instant;

/// One modal.
#[derive(Debug)]
pub struct Layer<T> {
    /// What it shows.
    pub content: T,
    /// Whether it takes answers already; `None` for layers the user opened by a key, which need no wait.
    pub arming: Option<Arming>,
}

/// Modals, the front one last.
#[derive(Debug)]
pub struct Layers<T> {
    stack: Vec<Layer<T>>,
}

impl<T> Default for Layers<T> {
    fn default() -> Self {
        Self { stack: Vec::new() }
    }
}

impl<T> Layers<T> {
    /// Opens a layer that the user asked for: it takes keys at once.
    pub fn open(&mut self, content: T) {
        self.stack.push(Layer {
            content,
            arming: None,
        });
    }

    /// Opens a layer nobody asked for: it takes answers only after the keyboard was quiet.
    pub fn interrupt(&mut self, content: T, now: Instant) {
        self.stack.push(Layer {
            content,
            arming: Some(Arming::new(now)),
        });
    }

    /// Closes the front layer.
    pub fn close(&mut self) -> Option<T> {
        self.stack.pop().map(|l| l.content)
    }

    /// Closes every layer whose content does not pass.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.stack.retain(|l| keep(&l.content));
    }

    /// The front layer.
    pub fn front(&self) -> Option<&Layer<T>> {
        self.stack.last()
    }

    /// The front layer, to change.
    pub fn front_mut(&mut self) -> Option<&mut Layer<T>> {
        self.stack.last_mut()
    }

    /// All layers, back to front: the order of drawing.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Layer<T>> {
        self.stack.iter_mut()
    }

    /// Whether no layer is open.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.stack.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_opened_is_in_front_and_closes_first() {
        let mut layers = Layers::default();
        layers.open("help");
        layers.interrupt("question", Instant::now());
        assert_eq!(layers.front().map(|l| l.content), Some("question"));
        assert!(layers.front().is_some_and(|l| l.arming.is_some()));
        assert_eq!(
            layers.iter_mut().map(|l| l.content).collect::<Vec<_>>(),
            ["help", "question"]
        );
        assert_eq!(layers.close(), Some("question"));
        layers.retain(|name| *name != "help");
        assert!(layers.is_empty() && layers.is_empty());
    }
}
