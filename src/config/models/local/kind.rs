//! Which servers of models people run themselves.

/// A kind of server that people run themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config::models) enum Kind {
    Ollama,
    LlamaCpp,
    Vllm,
    LmStudio,
}
