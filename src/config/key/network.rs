//! The keys of `[network]`: how servers are reached.

use super::{KeyRow, KeyValue, Owner, Tightens};
use crate::config::connection::check_proxy;
use crate::config::spelling::quoted;

pub(super) static ROWS: &[KeyRow] = &[
    KeyRow::new(
        "network.proxy",
        KeyValue::letters(
            |config| config.network.proxy.as_deref().map(quoted),
            |config, setting| {
                // What was written may hold a password, so no message repeats it.
                let address = setting.value.text().map_err(|_repeats_it| "must be the address of a proxy")?;
                check_proxy(address)?;
                config.network.proxy = Some(address.to_owned());
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "network.ca_file",
        KeyValue::letters(
            |config| config.network.ca_file.as_ref().map(|path| quoted(&path.to_string_lossy())),
            |config, setting| match setting.value.text()? {
                "" => Err("must be the name of a file".to_owned()),
                path => {
                    config.network.ca_file = Some(path.into());
                    Ok(())
                }
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
];
