//! Corpus, index and retrieval with provenance: what planner and critic read.
