//! MCP servers as they are met: a stub that misbehaves as it is told, a small HTTP server, and reference servers.

use crate::inner;
use crate::mcp_site;
use crate::pictures;
use crate::stub_server;

mod bench;
mod calls;
mod ends;
mod http;
mod peers;
mod sandbox;
mod starting;
