//! Wire types: the gNMI messages generated from `proto/`, and gNMI paths as text.
