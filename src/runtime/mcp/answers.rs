//! What a server may ask of us: whether we are there, and, where a person lets it, in which folder the work is. Nothing else.

use std::path::Path;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCreateRequestMethod,
    Implementation, ListRootsRequestMethod, ListRootsResult, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};
use url::Url;

/// Answers the questions of a server. Sampling and whatever is not here is refused by the SDK.
pub(super) struct ServerQuestions {
    /// `None`: it may not ask.
    roots: Option<Vec<Root>>,
}

impl ServerQuestions {
    /// Answers that name this folder as a root, or none that do.
    pub(super) fn new(root: Option<&Path>) -> Self {
        let named = |root: &Path| {
            let url = Url::from_file_path(root).ok();
            url.map(|url| Root::new(url.to_string())).into_iter().collect()
        };
        Self { roots: root.map(named) }
    }
}

impl ClientHandler for ServerQuestions {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = self.roots.as_ref().map(|_| RootsCapabilities::default());
        let ourselves = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, ourselves)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let roots = self.roots.clone().map(ListRootsResult::new);
        std::future::ready(roots.ok_or_else(ErrorData::method_not_found::<ListRootsRequestMethod>)).await
    }

    /// Nobody is asked anything for a server: it is refused, not declined in a person's name.
    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        std::future::ready(Err(ErrorData::method_not_found::<ElicitationCreateRequestMethod>())).await
    }
}
