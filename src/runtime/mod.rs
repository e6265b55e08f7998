//! The driver of the agent: journals and publishes events, runs effects through the ports.
