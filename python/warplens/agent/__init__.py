"""Tools for agents: an MCP server over the reports of the command line. `warplens mcp` starts it."""
