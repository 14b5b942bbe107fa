"""The product in a browser and for programs: HTTP API, pages, event streams, MCP."""
