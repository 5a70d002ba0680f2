//! How a model of this program says that it wants a tool.

/// How a model says that it wants a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolMode {
    /// As events of the protocol.
    #[default]
    Native,
    /// As text, which someone else reads.
    String,
}
