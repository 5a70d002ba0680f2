//! The keys of `[telemetry]`: where traces of sessions are sent. Nothing is, unless the user says where.

use super::providers::variable;
use super::{KeyRow, KeyValue, Owner, Tightens};
use crate::config::connection::check_base_url;
use crate::config::spelling::quoted;

pub(super) static ROWS: &[KeyRow] = &[
    KeyRow::new(
        "telemetry.otlp",
        KeyValue::letters(
            // A query may hold a key.
            |config| {
                let address = config.telemetry.otlp.as_deref()?;
                Some(quoted(address.split('?').next().unwrap_or_default()))
            },
            |config, setting| {
                let address = setting.value.text()?;
                // An empty one takes back what another of the user's files says.
                if !address.is_empty() {
                    check_base_url(address)?;
                }
                config.telemetry.otlp = Some(address.to_owned()).filter(|address| !address.is_empty());
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "telemetry.headers_env",
        KeyValue::letters(
            |config| config.telemetry.headers_env.as_deref().map(quoted),
            |config, setting| {
                config.telemetry.headers_env = Some(variable(&setting.value)?);
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
];
