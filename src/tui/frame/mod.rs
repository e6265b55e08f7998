//! Draw on demand: who wants a frame asks for one, the frame actor gathers the wishes.
//!
//! There is no tick. A screen nobody changes is never drawn. The timing rule itself is pure and lives in
//! [`limiter`]; this module adds the waiting.

mod limiter;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

pub use limiter::Limiter;

/// The shortest time between two frames. 30 a second is smooth for text and kind to an SSH line.
pub const MIN_INTERVAL: Duration = Duration::from_millis(33);

#[derive(Default)]
struct Wish {
    due: Mutex<Option<Instant>>,
    changed: Notify,
}

impl Wish {
    fn due(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks for frames. Cheap to clone; any number of requests before the next frame make one frame.
#[derive(Clone, Default)]
pub struct FrameRequester {
    wish: Arc<Wish>,
}

impl FrameRequester {
    /// A frame as soon as the limiter allows.
    pub fn request(&self) {
        self.request_in(Duration::ZERO);
    }

    /// A frame `delay` from now, or earlier when somebody asks for an earlier one.
    pub fn request_in(&self, delay: Duration) {
        let at = Instant::now() + delay;
        let mut due = self.wish.due();
        if due.is_none_or(|d| at < d) {
            *due = Some(at);
            self.wish.changed.notify_one();
        }
    }
}

/// Waits for the moment to draw.
pub struct Frames {
    wish: Arc<Wish>,
    limiter: Limiter,
}

impl Frames {
    /// A frame source and the handle that asks it for frames.
    pub fn new(min_interval: Duration) -> (Self, FrameRequester) {
        let requester = FrameRequester::default();
        (
            Self {
                wish: requester.wish.clone(),
                limiter: Limiter::new(min_interval),
            },
            requester,
        )
    }

    /// Returns when a frame is due. Safe to drop and call again: nothing is lost.
    pub async fn next(&mut self) {
        loop {
            let due = *self.wish.due();
            let Some(at) = due.map(|d| self.limiter.allowed(d)) else {
                self.wish.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = tokio::time::sleep_until(at) => {
                    *self.wish.due() = None;
                    self.limiter.drawn(Instant::now());
                    return;
                }
                () = self.wish.changed.notified() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts frames in the background while the test moves the paused clock.
    fn count(mut frames: Frames) -> Arc<AtomicUsize> {
        let drawn = Arc::new(AtomicUsize::new(0));
        let seen = drawn.clone();
        tokio::spawn(async move {
            loop {
                frames.next().await;
                seen.fetch_add(1, Ordering::SeqCst);
            }
        });
        drawn
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_requests_make_one_frame() {
        let (frames, requester) = Frames::new(MIN_INTERVAL);
        let drawn = count(frames);
        for _ in 0..100 {
            requester.request();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(drawn.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_hour_draws_nothing() {
        let (frames, _requester) = Frames::new(MIN_INTERVAL);
        let drawn = count(frames);
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        assert_eq!(drawn.load(Ordering::SeqCst), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_storm_is_held_to_thirty_a_second() {
        let (frames, requester) = Frames::new(MIN_INTERVAL);
        let drawn = count(frames);
        for _ in 0..1_000 {
            for _ in 0..5 {
                requester.request();
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let n = drawn.load(Ordering::SeqCst);
        assert!((28..=32).contains(&n), "{n} frames in a second");
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_wish_overtakes_a_later_one() {
        let (frames, requester) = Frames::new(MIN_INTERVAL);
        let drawn = count(frames);
        requester.request_in(Duration::from_secs(60));
        tokio::time::sleep(Duration::from_secs(1)).await;
        requester.request();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(drawn.load(Ordering::SeqCst), 1);
    }
}
