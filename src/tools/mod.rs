//! The `Toolbox` port: MCP hub, capability registry, guard and sanitiser.
