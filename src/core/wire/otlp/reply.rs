//! What a collector answers: it may take a request and refuse spans of it.

use serde_json::Value;

/// Spans that a collector did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// How many.
    pub spans: u64,
    /// Why, in its words; neither bounded nor made safe.
    pub why: String,
}

/// What a collector refused of a request that it took; `None`: nothing, or its answer does not say.
pub fn refused(answer: &[u8]) -> Option<Refused> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let partial = answer.get("partialSuccess").or_else(|| answer.get("partial_success"))?;
    let member = |names: [&str; 2]| names.into_iter().find_map(|name| partial.get(name));
    let spans = member(["rejectedSpans", "rejected_spans"]).and_then(count).unwrap_or_default();
    let why =
        member(["errorMessage", "error_message"]).and_then(Value::as_str).unwrap_or_default().to_owned();
    (spans > 0 || !why.is_empty()).then_some(Refused { spans, why })
}

/// JSON has 64-bit numbers as text; some write them as numbers.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused() {
        let said = |text: &str| refused(text.as_bytes());
        for nothing in ["", "{}", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":null}"#, "[1]", "no JSON"]
        {
            assert_eq!(said(nothing), None, "{nothing}");
        }
        let expected = Some(Refused { spans: 3, why: "too old".to_owned() });
        assert_eq!(said(r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#), expected);
        assert_eq!(said(r#"{"partial_success":{"rejected_spans":3,"error_message":"too old"}}"#), expected);
        assert_eq!(said(r#"{"partialSuccess":{"errorMessage":"slow down"}}"#).unwrap().spans, 0);
    }
}
