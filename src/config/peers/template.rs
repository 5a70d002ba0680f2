//! `${VAR}` and `${VAR:-default}` in what is said of a peer.

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// As it stands.
    Text(&'t str),
    /// What a variable holds.
    Variable {
        /// Its name.
        name: &'t str,
        /// What stands there when it is not set, or empty.
        default: Option<&'t str>,
    },
}

/// Takes a text apart.
///
/// # Errors
/// A sentence that repeats nothing of the text.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (inside, behind) = after.split_once('}').ok_or("contains a `${` without its `}`")?;
        let (name, default) =
            inside.split_once(":-").map_or((inside, None), |(name, rest)| (name, Some(rest)));
        if !is_variable(name) {
            return Err("contains a `${…}` that is not ${NAME} or ${NAME:-default}, as in ${GITHUB_TOKEN}");
        }
        pieces.extend([Piece::Text(before), Piece::Variable { name, default }]);
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The variables that a text asks for.
pub(crate) fn variables(text: &str) -> Vec<&str> {
    // What cannot be taken apart was refused when it was read.
    let named = |piece| if let Piece::Variable { name, .. } = piece { Some(name) } else { None };
    pieces(text).unwrap_or_default().into_iter().filter_map(named).collect()
}

/// The text with what its variables hold.
///
/// # Errors
/// The name of the first variable that is not set and has no default.
pub(crate) fn filled<'e>(text: &str, variable: impl Fn(&str) -> Option<&'e str>) -> Result<String, String> {
    let mut whole = String::new();
    for piece in pieces(text).unwrap_or_default() {
        whole.push_str(match piece {
            Piece::Text(text) => text,
            Piece::Variable { name, default } => match (variable(name), default) {
                (Some(held), _) => held,
                (None, Some(default)) => default,
                (None, None) => return Err(name.to_owned()),
            },
        });
    }
    Ok(whole)
}

/// Whether this can be the name of a variable.
pub(crate) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_nothing_else_is_touched() {
        let held = |name: &str| if name == "A" { Some("one ${B}") } else { None };
        for (text, wanted) in [
            ("", ""),
            ("plain $A $(A) {A}", "plain $A $(A) {A}"),
            ("${A}", "one ${B}"),
            ("<${A}|${B:-two}|${A:-three}>", "<one ${B}|two|one ${B}>"),
            ("${B:-}", ""),
            ("${B:-a:-b}", "a:-b"),
            ("漢${B:-字}", "漢字"),
        ] {
            assert_eq!(filled(text, held).as_deref(), Ok(wanted), "{text}");
        }
        assert_eq!(filled("${A} ${NOT_SET}", held), Err("NOT_SET".to_owned()));
        assert_eq!(variables("${A} b ${C:-d}"), ["A", "C"]);
        for wrong in ["${", "${A", "a ${} b", "${1}", "${A:=b}", "${a b}", "${${A}}"] {
            let sentence = pieces(wrong).unwrap_err();
            assert!(sentence.starts_with("contains a `${"), "{wrong}: {sentence}");
        }
    }
}
