//! Expected values and words, from `config/diagnosis/*.toml`; embedded, so a build always has them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::ontology::FaultType;

const THRESHOLDS: &str = include_str!("../../config/diagnosis/thresholds.toml");
const WORDS: &str = include_str!("../../config/diagnosis/words.toml");

/// Thresholds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    pub counters: Counters,
    pub flaps: Flaps,
    pub system: System,
    pub mtu: Mtu,
    pub metric: Metric,
    pub isis: Isis,
    pub reload: Reload,
    pub commit: Commit,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    pub fcs_per_s: f64,
    pub discards_per_s: f64,
    pub errors_per_s: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flaps {
    pub link_downs: usize,
    pub session_downs: usize,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    pub clock_skew_s: i64,
    pub process_cpu: f64,
    pub process_memory: f64,
    pub ntp_offset_ms: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mtu {
    pub labelled: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    pub factor: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isis {
    pub auth_failures: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    pub settle_s: i64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    pub shows_s: i64,
}

/// Words.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub maintenance: Vec<String>,
    pub ended: Vec<String>,
    pub instructions: Vec<String>,
    pub hold_time: Vec<String>,
    pub wrong_as: Vec<String>,
    pub password: Vec<String>,
    pub max_prefix: Vec<String>,
    pub inconsistent: Vec<String>,
    pub user_reload: Vec<String>,
    pub admin_shutdown: Vec<String>,
    pub label_block_pending: Vec<String>,
    pub sid_outside: Vec<String>,
    pub cpu_hog: Vec<String>,
    pub commit: Vec<String>,
}

/// Both.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    pub thresholds: Thresholds,
    pub words: Words,
}

/// What is held for normal. A test reads the embedded files; a build in which they don't parse has no thresholds.
pub fn expected() -> &'static Expect {
    static EXPECT: LazyLock<Expect> = LazyLock::new(|| Expect {
        thresholds: toml::from_str(THRESHOLDS).unwrap_or_default(),
        words: toml::from_str(WORDS).unwrap_or_default(),
    });
    &EXPECT
}

/// True when a counter is large enough to be a fault: as much as half of the asked window brings at the
/// smallest rate that counts as one. What is smaller beside a cause that is known is left alone.
pub fn is_material(fault: FaultType, count: u64, window_minutes: i64) -> bool {
    let limits = &expected().thresholds.counters;
    let rate = match fault {
        FaultType::CongestionDrops => limits.discards_per_s,
        _ => limits.fcs_per_s,
    };
    let seconds = window_minutes.max(1) as f64 * 60.0;
    count as f64 >= rate * seconds / 2.0
}

/// True when the text, in any case, holds one of the words.
pub fn says(text: &str, words: &[String]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|w| lower.contains(w.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_parse() {
        toml::from_str::<Thresholds>(THRESHOLDS).unwrap();
        let words: Words = toml::from_str(WORDS).unwrap();
        assert!(
            words.instructions.iter().all(|w| w.to_lowercase() == *w),
            "words are matched in lower case"
        );
    }
}
