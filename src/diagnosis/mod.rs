//! Fault ontology, detectors, correlation and verdict: from tool results to a cited cause. Pure.
