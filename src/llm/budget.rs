//! A budget of tokens, money, calls and seconds: pure arithmetic on what was spent.
//!
//! Checked before a call; a call in flight is never cut for money, so the last one may overshoot.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{ErrorKind, LlmError, Totals, config::seconds};

/// Limits of a session; `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Tokens in and out together.
    pub tokens: Option<u64>,
    /// US dollars, as estimated by the price table. Calls of unknown price count nothing here.
    pub usd: Option<f64>,
    pub calls: Option<u64>,
    /// Since the session began.
    pub seconds: Option<f64>,
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BudgetLimit {
    Tokens { spent: u64, limit: u64 },
    Usd { spent: f64, limit: f64 },
    Calls { spent: u64, limit: u64 },
    Seconds { spent: f64, limit: f64 },
}

impl fmt::Display for BudgetLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens { spent, limit } => write!(f, "{spent} of {limit} tokens"),
            Self::Usd { spent, limit } => write!(f, "${spent:.4} of ${limit:.4}"),
            Self::Calls { spent, limit } => write!(f, "{spent} of {limit} calls"),
            Self::Seconds { spent, limit } => write!(f, "{spent:.0} of {limit:.0} s"),
        }
    }
}

impl BudgetLimit {
    pub(crate) fn error(&self) -> LlmError {
        let what = format!("stopped by budget: {self} are used up");
        LlmError::new(
            ErrorKind::Budget,
            "budget",
            what,
            "raise [model.budget], or go on without a model",
        )
    }
}

impl Budget {
    /// The first limit that is reached, if any.
    pub fn exceeded(&self, totals: &Totals, elapsed: Duration) -> Option<BudgetLimit> {
        if let Some(limit) = self.calls.filter(|limit| totals.calls >= *limit) {
            return Some(BudgetLimit::Calls {
                spent: totals.calls,
                limit,
            });
        }
        if let Some(limit) = self.tokens.filter(|limit| totals.usage.total() >= *limit) {
            return Some(BudgetLimit::Tokens {
                spent: totals.usage.total(),
                limit,
            });
        }
        if let Some(limit) = self.usd.filter(|limit| totals.cost_usd >= *limit) {
            return Some(BudgetLimit::Usd {
                spent: totals.cost_usd,
                limit,
            });
        }
        if let Some(limit) = self.seconds.filter(|limit| elapsed >= seconds(*limit)) {
            return Some(BudgetLimit::Seconds {
                spent: elapsed.as_secs_f64(),
                limit,
            });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Usage;

    #[test]
    fn each_limit_stops_when_it_is_reached() {
        let usage = Usage {
            input: 90,
            output: 10,
            ..Usage::default()
        };
        let totals = Totals {
            calls: 3,
            usage,
            cost_usd: 0.5,
            ..Totals::default()
        };
        let check = |budget: Budget| {
            budget
                .exceeded(&totals, Duration::from_secs(60))
                .map(|l| l.to_string())
        };
        assert_eq!(check(Budget::default()), None);
        assert_eq!(
            check(Budget {
                calls: Some(4),
                ..Budget::default()
            }),
            None
        );
        assert_eq!(
            check(Budget {
                calls: Some(3),
                ..Budget::default()
            })
            .unwrap(),
            "3 of 3 calls"
        );
        assert_eq!(
            check(Budget {
                tokens: Some(100),
                ..Budget::default()
            })
            .unwrap(),
            "100 of 100 tokens"
        );
        assert_eq!(
            check(Budget {
                usd: Some(0.4),
                ..Budget::default()
            })
            .unwrap(),
            "$0.5000 of $0.4000"
        );
        assert_eq!(
            check(Budget {
                seconds: Some(60.0),
                ..Budget::default()
            })
            .unwrap(),
            "60 of 60 s"
        );
    }
}
