//! The journal of events, the session index and the recall of past incidents.
