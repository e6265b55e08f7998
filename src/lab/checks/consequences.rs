//! For every operation: what must change where.
