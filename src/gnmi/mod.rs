//! The collector: gNMI client and the MCP server that offers it to agents.
