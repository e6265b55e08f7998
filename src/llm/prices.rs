//! What a call costs, from a table of prices that is data and an estimate.
//!
//! Prices change and are the provider's to tell; the table says of which day it is. A model that is not in
//! it has no cost, which is shown as unknown and never as nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ErrorKind, LlmError, ModelRef, Usage};

const BUILTIN: &str = include_str!("../../config/prices.toml");

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Input read from the prompt cache; `input` where it is not given.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Input written to the prompt cache; `input` where it is not given.
    #[serde(default)]
    pub cache_written: Option<f64>,
    pub output: f64,
}

impl Price {
    pub const FREE: Self = Self {
        input: 0.0,
        cached: None,
        cache_written: None,
        output: 0.0,
    };

    /// US dollars for these tokens.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let plain = usage
            .input
            .saturating_sub(usage.cached)
            .saturating_sub(usage.cache_written);
        let million = plain as f64 * self.input
            + usage.cached as f64 * self.cached.unwrap_or(self.input)
            + usage.cache_written as f64 * self.cache_written.unwrap_or(self.input)
            + usage.output as f64 * self.output;
        million / 1_000_000.0
    }
}

/// Prices by `provider/model`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PriceTable {
    /// The day the prices were read, `YYYY-MM-DD`.
    pub as_of: String,
    prices: BTreeMap<String, Price>,
}

impl PriceTable {
    /// The table that is shipped, under the user's own prices.
    ///
    /// # Errors
    /// `Config` when the shipped table is broken, which a test excludes.
    pub fn load(own: &BTreeMap<String, Price>) -> Result<Self, LlmError> {
        let mut table: Self = toml::from_str(BUILTIN).map_err(|e| {
            LlmError::new(
                ErrorKind::Config,
                "prices",
                format!("config/prices.toml: {e}"),
                "report this",
            )
        })?;
        table
            .prices
            .extend(own.iter().map(|(name, price)| (name.clone(), *price)));
        Ok(table)
    }

    /// The price of a model: by its full name, else by the longest listed name it begins with at a `-`, as
    /// dated releases do (`gpt-4.1-mini-2025-04-14`).
    pub fn price(&self, model: &ModelRef) -> Option<Price> {
        let name = model.to_string();
        if let Some(price) = self.prices.get(&name) {
            return Some(*price);
        }
        let dated = |rest: &str| {
            rest.strip_prefix('-')
                .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.prices
            .iter()
            .filter(|(listed, _)| name.strip_prefix(listed.as_str()).is_some_and(dated))
            .max_by_key(|(listed, _)| listed.len())
            .map(|(_, price)| *price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> ModelRef {
        name.parse().unwrap()
    }

    #[test]
    fn the_shipped_table_is_sound() {
        let table = PriceTable::load(&BTreeMap::new()).unwrap();
        assert!(table.as_of.parse::<jiff::civil::Date>().is_ok());
        assert!(table.prices.len() > 10);
        for (name, p) in &table.prices {
            assert!(name.parse::<ModelRef>().is_ok(), "{name}");
            assert!(
                p.input > 0.0 && p.output >= p.input && p.cached.is_none_or(|c| c < p.input),
                "{name}"
            );
        }
    }

    #[test]
    fn cached_tokens_are_cheaper_and_dated_names_are_found() {
        let own = BTreeMap::from([
            (
                "x/m".to_owned(),
                Price {
                    input: 2.0,
                    cached: Some(0.5),
                    cache_written: None,
                    output: 8.0,
                },
            ),
            (
                "x/m-mini".to_owned(),
                Price {
                    input: 1.0,
                    cached: None,
                    cache_written: None,
                    output: 1.0,
                },
            ),
        ]);
        let table = PriceTable::load(&own).unwrap();
        let usage = Usage {
            input: 1_000_000,
            cached: 400_000,
            output: 100_000,
            ..Usage::default()
        };
        let cost = table.price(&model("x/m-2025-04-14")).unwrap().cost(&usage);
        assert!((cost - (1.2 + 0.2 + 0.8)).abs() < 1e-9, "{cost}");
        assert!((table.price(&model("x/m-mini-2025")).unwrap().input - 1.0).abs() < 1e-9);
        assert_eq!(table.price(&model("x/m-nano")), None);
        assert_eq!(table.price(&model("x/mm")), None);
    }
}
