//! Layered configuration, its schema and the origin of each value.
