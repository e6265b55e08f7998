//! Plays a recording: which events are due at a moment, at a speed, with a scrubber. Pure; time is handed in.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::agent::event::Recorded;
use crate::agent::model::Timestamp;

/// A pause in the recording is never shown longer than this (before the speed is applied).
const LONGEST_GAP: Duration = Duration::from_secs(5);

/// The speeds there are.
const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0];

/// A recording and where it stands.
#[derive(Debug, Clone)]
pub struct Player {
    events: Arc<[Recorded]>,
    /// How many events have been played.
    position: usize,
    speed: usize,
    playing: bool,
    /// When the last event was played.
    since: Instant,
}

impl Player {
    /// A recording at its beginning, playing at (about) `speed`.
    pub fn new(events: Arc<[Recorded]>, speed: f64, now: Instant) -> Self {
        let near = |s: &f64| (s.log2() - speed.max(0.01).log2()).abs();
        let index = (0..SPEEDS.len())
            .min_by(|a, b| near(&SPEEDS[*a]).total_cmp(&near(&SPEEDS[*b])))
            .unwrap_or(2);
        Self {
            events,
            position: 0,
            speed: index,
            playing: true,
            since: now,
        }
    }

    /// When the next event is due; `None` while paused or at the end.
    pub fn due(&self) -> Option<Instant> {
        let next = self.events.get(self.position).filter(|_| self.playing)?;
        let gap = match self.position.checked_sub(1).and_then(|i| self.events.get(i)) {
            Some(last) => Duration::from_millis(u64::try_from(next.at.since_ms(last.at)).unwrap_or(0)),
            None => Duration::ZERO,
        };
        Some(self.since + gap.min(LONGEST_GAP).div_f64(SPEEDS[self.speed]))
    }

    /// The events that are due by `now`.
    pub fn take_due(&mut self, now: Instant) -> Vec<Recorded> {
        let mut due = Vec::new();
        while let Some(at) = self.due().filter(|at| *at <= now) {
            due.push(self.events[self.position].clone());
            self.position += 1;
            self.since = at;
        }
        due
    }

    /// Moves to a place; returns all events before it, to be folded anew.
    pub fn seek(&mut self, position: usize, now: Instant) -> &[Recorded] {
        self.position = position.min(self.events.len());
        self.since = now;
        &self.events[..self.position]
    }

    /// Plays or pauses; at the end it starts over. Returns whether it must be folded anew.
    pub fn toggle(&mut self, now: Instant) -> bool {
        self.since = now;
        if self.at_end() {
            self.position = 0;
            self.playing = true;
            return true;
        }
        self.playing = !self.playing;
        false
    }

    /// Faster or slower by one notch.
    pub fn change_speed(&mut self, faster: bool) {
        self.speed = if faster {
            (self.speed + 1).min(SPEEDS.len() - 1)
        } else {
            self.speed.saturating_sub(1)
        };
    }

    /// The present speed.
    pub fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// Events played and events in all.
    pub fn position(&self) -> (usize, usize) {
        (self.position, self.events.len())
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.playing && !self.at_end()
    }

    /// Whether everything was played.
    pub fn at_end(&self) -> bool {
        self.position == self.events.len()
    }

    /// The recording's own time at `now`: what running clocks show.
    pub fn clock(&self, now: Instant) -> Timestamp {
        let Some(last) = self.position.checked_sub(1).and_then(|i| self.events.get(i)) else {
            return self.events.first().map_or(Timestamp(0), |e| e.at);
        };
        if !self.is_playing() {
            return last.at;
        }
        let passed = now.saturating_duration_since(self.since).mul_f64(self.speed());
        let at = Timestamp(last.at.0 + i64::try_from(passed.as_millis()).unwrap_or(0));
        self.events.get(self.position).map_or(at, |next| at.min(next.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::event::Event;
    use crate::agent::state::Phase;

    fn recording() -> Arc<[Recorded]> {
        let event = |seq, at| Recorded {
            seq,
            at: Timestamp(at),
            event: Event::PhaseEntered {
                phase: Phase::Planning,
            },
        };
        vec![event(1, 1_000), event(2, 1_400), event(3, 61_400)].into()
    }

    #[test]
    fn gaps_follow_the_speed_and_are_never_long() {
        let t = Instant::now();
        let ms = Duration::from_millis;
        let mut player = Player::new(recording(), 4.0, t);
        assert_eq!(player.take_due(t).len(), 1);
        assert_eq!(player.due(), Some(t + ms(100)));
        assert_eq!(player.take_due(t + ms(99)).len(), 0);
        assert_eq!(player.take_due(t + ms(100)).len(), 1);
        assert_eq!(player.due(), Some(t + ms(100) + LONGEST_GAP / 4));
        assert_eq!(player.take_due(t + ms(9_000)).len(), 1);
        assert!(player.at_end() && player.due().is_none());
    }

    #[test]
    fn the_scrubber_moves_both_ways() {
        let t = Instant::now();
        let mut player = Player::new(recording(), 1.0, t);
        assert_eq!(player.seek(2, t).len(), 2);
        assert!(!player.toggle(t) && player.due().is_none(), "paused");
        assert_eq!(
            player.clock(t + Duration::from_secs(9)),
            Timestamp(1_400),
            "a paused clock stands"
        );
        assert_eq!(player.seek(99, t).len(), 3);
        assert!(player.toggle(t), "at the end it starts over");
        assert_eq!(player.position(), (0, 3));
        for _ in 0..20 {
            player.change_speed(true);
        }
        assert!((player.speed() - 256.0).abs() < f64::EPSILON);
    }
}
