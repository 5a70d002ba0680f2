//! The keys of `[git]`: what commits say of the agent.

use super::{KeyRow, KeyValue, Owner, Tightens};

pub(super) static ROWS: &[KeyRow] = &[
    // It says more, and in the commits of that project.
    KeyRow::new(
        "git.trailers",
        KeyValue::switch(|config| config.trailers, |config, on| config.trailers = on),
        Tightens::Never,
        Owner::Trusted,
    ),
];
