//! Seeded noise: the same seed gives the same network life, whoever asks in whatever order.

/// Mixes a seed and keys into 64 even bits (splitmix64, Steele, Lea and Flood 2014).
pub(in crate::lab) fn mix(seed: u64, keys: &[u64]) -> u64 {
    keys.iter().fold(finish(seed), |hash, key| {
        finish(hash ^ key.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    })
}

fn finish(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A whole number in `low..high`.
pub(super) fn between(seed: u64, keys: &[u64], low: i64, high: i64) -> i64 {
    let span = u64::try_from(high - low).unwrap_or(1).max(1);
    low + i64::try_from(mix(seed, keys) % span).unwrap_or(0)
}

/// A number in `0.0..1.0`.
pub(super) fn unit(seed: u64, keys: &[u64]) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "53 of 64 bits are what a double holds")]
    let top = (mix(seed, keys) >> 11) as f64;
    top / 9_007_199_254_740_992.0
}
