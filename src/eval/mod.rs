//! The diagnosis benchmark: runs scenarios through the real path and scores the verdicts.
