//! MCP servers as they are met: a stub that misbehaves as it is told, a small HTTP server, and reference servers.

mod bench;
mod calls;
mod ends;
mod http;
mod peers;
mod sandbox;
mod starting;
