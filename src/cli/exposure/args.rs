//! What was typed after `exposure`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign exposure .env                    which requests had the file, and who got them
  countersign exposure src                     the same for all files in a folder
  countersign exposure --text 'sk-live-'       the same for a text
  countersign exposure --keys                  the keys in your environment, named by their variables
  countersign exposure .env --over 30d --json  what was sent in the last 30 days, as one JSON object

WHAT is a file if there is one of that name, else a text. Texts are compared as they are, and as JSON escapes
them. What a model says in its own words about a file, and what commands send without naming it, is not found.";

/// `exposure`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExposureArgs {
    /// A file, a folder or a text
    #[arg(required_unless_present = "keys")]
    pub what: Option<String>,

    /// The values of variables that may hold a key, instead of WHAT; they are named, never printed
    #[arg(long, conflicts_with = "what")]
    pub keys: bool,

    /// WHAT is a path, even if it no longer exists
    #[arg(long, conflicts_with_all = ["text", "keys"])]
    pub path: bool,

    /// WHAT is a text, even if there is a file of that name
    #[arg(long, conflicts_with = "keys")]
    pub text: bool,

    /// Only this session: an id, the beginning of one, or a file
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,

    /// Only what was sent in this time: 90d, 12w
    #[arg(long, value_name = "TIME", value_parser = days)]
    pub over: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}

/// A number of days, as `90d` or `12w`.
fn days(text: &str) -> Result<u64, String> {
    let wrong = || "write a number of days or weeks, such as 90d or 12w".to_owned();
    let (number, of) = match (text.strip_suffix('d'), text.strip_suffix('w')) {
        (Some(days), _) => (days, 1),
        (_, Some(weeks)) => (weeks, 7),
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_not_a_number| wrong())?;
    Some(number).filter(|number| (1..=36_500).contains(number)).map(|number| number * of).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::days;

    #[test]
    fn times_are_days_or_weeks() {
        assert_eq!((days("90d"), days("2w")), (Ok(90), Ok(14)));
        for wrong in ["", "d", "90", "0d", "-1d", "1.5d", "9999999d", "1m"] {
            assert!(days(wrong).is_err(), "{wrong}");
        }
    }
}
