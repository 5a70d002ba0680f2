//! MCP servers that a client of the Agent Client Protocol brings: they join those of the configuration, under the same checks.

use super::super::Config;
use super::super::peers::{Entry as _, check_name};
use super::super::source::Source;
use super::McpEntry;
use crate::wire::Secret;

/// A server as a client names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientServer {
    /// Its name, as people write it.
    pub(crate) name: String,
    /// How it is started or reached.
    pub(crate) way: ClientServerWay,
}

/// How a client says that a server is started or reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClientServerWay {
    /// A program.
    Command {
        /// Its name or path.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables by name.
        env: Vec<(String, String)>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Headers by name.
        headers: Vec<(String, String)>,
    },
}

impl Config {
    /// Adds a server. One of the configuration with the same name stands, switched off or not.
    ///
    /// # Errors
    /// Why it is left out: a sentence without its values.
    pub(crate) fn add_client_server(&mut self, server: ClientServer) -> Result<(), String> {
        let name = plain(&server.name);
        let left_out = |why: &str| format!("the MCP server {name} of the editor is left out: {why}");
        check_name::<McpEntry>(&name).map_err(|why| left_out(&why))?;
        if let Some(known) = self.mcp_servers.get(&name) {
            return Err(left_out(&format!("{} has one of this name", known.source.place())));
        }
        let mut entry = McpEntry::new(Source::Flag("the editor"));
        let mut texts = Vec::new();
        match server.way {
            ClientServerWay::Command { command, args, env } => {
                texts.extend(args.iter().chain(env.iter().map(|(_, value)| value)).cloned());
                texts.push(command.clone());
                entry.env = secrets(env);
                (entry.command, entry.args) = (Some(command), args);
            }
            ClientServerWay::Http { url, headers } => {
                texts.extend(headers.iter().map(|(_, value)| value).cloned());
                texts.push(url.clone());
                entry.headers = secrets(headers);
                entry.url = Some(url);
            }
        }
        // Variables are put into what the user's files say; an editor has put in its own.
        if texts.iter().any(|text| text.contains("${") || text.contains('\0')) {
            return Err(left_out("it contains a `${` or a NUL, which cannot be handed on as it is"));
        }
        entry.check(&name, self).map_err(|why| left_out(&why))?;
        self.mcp_servers.insert(name, entry);
        Ok(())
    }
}

fn secrets(pairs: Vec<(String, String)>) -> std::collections::BTreeMap<String, Secret> {
    pairs.into_iter().map(|(name, value)| (name, Secret::new(value))).collect()
}

/// A name as tools can have it: what is no letter and no digit becomes a `-`.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String = name.chars().take(64).map(|c| if fits(c) { c } else { '-' }).collect();
    name.replace("__", "-").trim_matches(['_', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_one_that_tools_can_have() {
        for (name, wanted) in [("my server", "my-server"), ("a__b", "a-b"), ("_x_", "x"), ("日本", "")] {
            assert_eq!(plain(name), wanted);
        }
    }
}
