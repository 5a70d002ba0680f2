//! Where traces of sessions go, if the user wants any to go anywhere: `[telemetry]`.

use crate::wire::Secret;

use super::environment::Environment;

/// What the configuration says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Telemetry {
    /// The address of the collector; `None`: nothing is sent.
    pub otlp: Option<String>,
    /// Name of the variable that holds the headers which it gets.
    pub headers_env: Option<String>,
}

/// The headers of the variable that is named, as `NAME=VALUE,NAME=VALUE`, values with `%20` for what cannot stand there.
///
/// # Errors
/// A sentence without its end, which repeats nothing of them.
pub(crate) fn headers(
    telemetry: &Telemetry,
    environment: &Environment,
) -> Result<Vec<(String, Secret)>, String> {
    let Some(variable) = &telemetry.headers_env else { return Ok(Vec::new()) };
    let held = environment.text(variable).ok_or_else(|| format!("the variable {variable} is not set"))?;
    let pairs = held.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let headers = pairs.map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), Secret::new(decoded(value)?)))
    });
    headers.collect::<Option<_>>().ok_or_else(|| format!("{variable} must be NAME=VALUE,NAME=VALUE"))
}

/// The text with its `%20`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut whole = Vec::new();
    while let Some(byte) = bytes.next() {
        let digit =
            |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        whole.push(if byte == b'%' { digit(bytes.next())? * 16 + digit(bytes.next())? } else { byte });
    }
    String::from_utf8(whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stand_in_a_variable() {
        let telemetry = Telemetry { otlp: None, headers_env: Some("H".to_owned()) };
        let of = |text: &str| headers(&telemetry, &Environment::of([("H", text)]));
        let shown = |text: &str| -> Vec<(String, String)> {
            of(text).unwrap().into_iter().map(|(name, value)| (name, value.expose().to_owned())).collect()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(shown("a=b, c=Bearer%20x=,"), [pair("a", "b"), pair("c", "Bearer x=")]);
        for wrong in ["secret-word", "a=%2", "a=%ff", "a=%zz"] {
            let why = of(wrong).unwrap_err();
            assert!(why.contains("H must be") && !why.contains("secret-word"), "{wrong}: {why}");
        }
        assert!(of("").unwrap_err().contains("not set"));
        assert_eq!(headers(&Telemetry::default(), &Environment::default()), Ok(Vec::new()));
    }
}
