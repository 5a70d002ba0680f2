//! The keys of `[sessions]`: how long sessions are kept.

use super::{KeyRow, KeyValue, Owner, Tightens};

pub(super) static ROWS: &[KeyRow] = &[
    // What it removes is not only of the project that would set it.
    KeyRow::new(
        "sessions.keep_days",
        KeyValue::count(1, 36_500, |config| config.keep_days, |config, days| config.keep_days = Some(days)),
        Tightens::Never,
        Owner::User,
    ),
];
