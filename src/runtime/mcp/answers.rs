//! What a server may ask of us: whether we are there, and where the work is. Nothing else.

use std::path::Path;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCreateRequestMethod,
    Implementation, ListRootsResult, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};
use url::Url;

/// Answers the questions of a server. Sampling and whatever is not here is refused by the SDK.
pub(super) struct Answers {
    roots: Vec<Root>,
}

impl Answers {
    /// Answers for a session that works in this folder.
    pub(super) fn new(workspace: &Path) -> Self {
        let root = Url::from_file_path(workspace).ok().map(|url| Root::new(url.to_string()));
        Self { roots: root.into_iter().collect() }
    }
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let ourselves = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, ourselves)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        std::future::ready(Ok(ListRootsResult::new(self.roots.clone()))).await
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
