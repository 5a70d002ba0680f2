//! What no ledger holds of a story: its requests, and what looks and hooks said.

use countersign::hooks::HookAnswer;
use countersign::ledger::CallId;
use countersign::model::Request;
use countersign::tool::Preparation;

#[derive(Default)]
pub struct Outside {
    pub requested: Vec<Request>,
    pub found: Vec<(CallId, Preparation)>,
    pub said: Vec<Vec<HookAnswer>>,
}
