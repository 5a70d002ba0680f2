//! The numbers in a refusal of a prompt that is too long: the window, and what the prompt holds. Each vendor and server
//! words it in its own way; what none of these patterns finds is not stated.

use crate::model::Sizes;

use super::report::Report;

/// Reads a report that is known to speak of an overflow.
pub(super) fn told(report: &Report) -> Sizes {
    let words = report.message.to_lowercase();
    let window = report.window.or_else(|| first(&words, WINDOW));
    let prompt = report.prompt.or_else(|| {
        // OpenAI counts the schemas of tools apart, and one gateway the tools' input.
        let more = first(&words, &[Before(" in the functions"), Before(" of tool input")]);
        first(&words, PROMPT).map(|tokens| tokens.saturating_add(more.unwrap_or_default()))
    });
    Sizes { window: window.filter(|most| *most > 0), prompt: prompt.filter(|tokens| *tokens > 0) }
}

/// Where a number stands.
#[derive(Clone, Copy)]
enum NumberPlace {
    After(&'static str),
    Before(&'static str),
}

use NumberPlace::{After, Before};

const WINDOW: &[NumberPlace] = &[
    After("maximum context length is "),
    After("maximum context length of "),
    After("maximum context length: "),
    After("maximum prompt length is "),
    After("maximum model length of "),
    After("context length is only "),
    After("model's context length ("),
    After("available context size ("),
    After("maximum number of tokens allowed ("),
    After("exceeds the limit of "),
    After("model token limit: "),
    After("n_ctx: "),
    Before(" maximum context length"),
    // "213462 tokens > 200000 maximum", "199759 + 8192 > 200000, decrease …", "Limit 30000, Requested 42000".
    After(" tokens > "),
    Before(", decrease input length"),
    Before(", requested "),
];

const PROMPT: &[NumberPlace] = &[
    Before(" in the messages"),
    Before(" tokens from the input messages"),
    Before(" of text input"),
    Before(" input tokens"),
    Before(" tokens > "),
    After("context limit: "),
    After("messages resulted in "),
    After("prompt contains "),
    After("request contains "),
    After("request ("),
    After("the input ("),
    After("prompt (length "),
    After("input token count ("),
    After("prompt token count of "),
    After("(requested: "),
    After(", requested "),
    After("n_keep: "),
];

fn first(words: &str, places: &[NumberPlace]) -> Option<u64> {
    places.iter().find_map(|place| match place {
        After(phrase) => number(words.split_once(phrase)?.1.split(ends).next()?),
        Before(phrase) => number(words.split_once(phrase)?.0.rsplit(ends).next()?),
    })
}

/// Whether a character is no part of a number.
fn ends(c: char) -> bool {
    !c.is_ascii_digit() && c != ',' && c != '_' && c != '.'
}

/// `200000`, `200,000`, `200_000`; some servers count in `524288.0`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim_matches([',', '.']);
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    whole.replace([',', '_'], "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(message: &str) -> (Option<u64>, Option<u64>) {
        let Sizes { window, prompt } = told(&Report { message: message.to_owned(), ..Report::default() });
        (window, prompt)
    }

    /// A refusal, the window and the prompt that it states.
    const WORDINGS: &[(&str, u64, u64)] = &[
        ("prompt is too long: 213462 tokens > 200000 maximum", 200_000, 213_462),
        (
            "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
            200_000,
            199_759,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 13192 tokens (5000 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
            8_192,
            5_000,
        ),
        (
            "This model's maximum context length is 4097 tokens. However, you requested 4123 tokens (97 in the messages, 26 in the functions, and 4000 in the completion).",
            4_097,
            123,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9031 tokens. Please reduce the length of the messages.",
            8_192,
            9_031,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 4700 input tokens (8192 > 8192 - 4700).",
            8_192,
            4_700,
        ),
        (
            "This model's maximum context length is 51200 tokens. However, you requested 12054 output tokens and your prompt contains at least 40000 input tokens, for a total of at least 52054 tokens.",
            51_200,
            40_000,
        ),
        (
            "You passed 31745 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens.",
            32_768,
            31_745,
        ),
        (
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            8_192,
            9_000,
        ),
        (
            "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 524300.0 tokens: 12 tokens from the input messages and 524288.0 tokens for the completion.",
            131_072,
            12,
        ),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8_192, 9_000),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (120000 of text input, 12000 of tool input, 8000 in the output).",
            131_072,
            132_000,
        ),
        (
            "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
            512,
            2_009,
        ),
        (
            "This model's maximum prompt length is 131,072 but the request contains 537,812 tokens.",
            131_072,
            537_812,
        ),
        (
            "Prompt contains 140123 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
            131_072,
            140_123,
        ),
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            1_048_575,
            1_196_265,
        ),
        ("prompt token count of 130000 exceeds the limit of 128000", 128_000, 130_000),
        (
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 272891)",
            262_144,
            272_891,
        ),
        (
            "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 42000. The input or output tokens must be reduced.",
            30_000,
            42_000,
        ),
        (
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 4096).",
            4_096,
            9_001,
        ),
    ];

    #[test]
    fn each_wording_gives_the_window_and_the_prompt() {
        for (message, window, prompt) in WORDINGS.iter().copied() {
            assert_eq!(sizes(message), (Some(window), Some(prompt)), "{message}");
        }
    }

    #[test]
    fn what_is_not_stated_is_not_guessed() {
        for message in [
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "Please reduce the length of the messages or completion.",
            "prompt too long; exceeded max context length by 42 tokens",
            "input is too long for requested model",
            "This model's maximum context length is 0 tokens.",
            "This model's maximum context length is 99999999999999999999999999 tokens.",
        ] {
            assert_eq!(sizes(message), (None, None), "{message}");
        }
        assert_eq!(
            sizes("This model's maximum context length is 4096 tokens. However, …"),
            (Some(4_096), None)
        );
    }
}
