//! Weighted ballot, consensus and quorum over several opinions. Pure.
