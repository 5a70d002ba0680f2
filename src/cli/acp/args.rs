//! What was typed after `acp`.

use clap::Args;

use crate::config::Flags;

const EXAMPLES: &str = "\
Examples:
  countersign acp                          an editor starts this and speaks to it on stdin and stdout
  countersign acp -m rehearsal             no key: the embedded model, with real tools
  countersign acp --mode plan              each session begins in this mode

Zed, settings.json:
  { \"agent_servers\": { \"countersign\": { \"type\": \"custom\", \"command\": \"countersign\", \"args\": [\"acp\"] } } }

Flags hold for every session of the editor. The editor names the folder of each session.";

/// `acp`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct AcpArgs {
    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}
