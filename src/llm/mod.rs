//! Chat with language models: providers, streaming, retries, usage, record and replay. Knows no agent.
