//! MCP servers as they are met: a stub that misbehaves as it is told, a small HTTP server, and reference servers.

mod calls;
mod ends;
mod fixture;
mod http;
mod peers;
mod sandbox;
mod starting;
mod streams;
