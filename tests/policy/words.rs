//! What words are made of: which text is known, what the shell puts in, where that comes from and whether it may become
//! several words.

use countersign::policy::shell::{HoleSource, WordPiece, read};

/// The last word: text as it is, `*` and its kin in angle brackets, and holes as where they come from, with `…` behind
/// what may become several words.
fn last(line: &str) -> String {
    let reading = read(line);
    assert_eq!(reading.unreadable, None, "{line}");
    let word = reading.commands.last().and_then(|command| command.words.last()).unwrap();
    let written = |piece: &WordPiece| match piece {
        WordPiece::Text(text) => text.clone(),
        WordPiece::Glob(c) => format!("<{c}>"),
        WordPiece::Hole { splits, of } => {
            let of = match of {
                HoleSource::Variable(name) => name.as_str(),
                HoleSource::Number => "number",
                HoleSource::Given => "given",
                HoleSource::Home => "home",
                HoleSource::Unknown => "unknown",
            };
            format!("({of}{})", if *splits { "…" } else { "" })
        }
    };
    word.pieces.iter().map(written).collect()
}

#[test]
fn each_expansion_is_what_the_shell_makes_of_it() {
    for (word, pieces) in [
        ("$x", "(x…)"),
        ("\"$x\"", "(x)"),
        ("a$xy", "a(xy…)"),
        ("${x}", "(x…)"),
        ("\"${x}\"", "(x)"),
        ("${xy}z", "(xy…)z"),
        ("$1a", "(unknown…)a"),
        ("${1}", "(unknown…)"),
        ("${10}", "(unknown…)"),
        ("\"$@\"", "(unknown…)"),
        ("\"${@}\"", "(unknown…)"),
        ("\"$*\"", "(unknown)"),
        ("\"${x[@]}\"", "(unknown…)"),
        ("\"${x[0]}\"", "(unknown…)"),
        ("$#a", "(number…)a"),
        ("${#}", "(number…)"),
        ("${#x}", "(number…)"),
        ("\"${#xy}\"", "(number)"),
        ("\"${#x[@]}\"", "(number…)"),
        ("$?", "(number…)"),
        ("${?}", "(unknown…)"),
        ("${x:-a}", "(unknown…)"),
        ("\"${x:-a}\"", "(unknown)"),
        ("$((1+1))", "(number…)"),
        ("\"$((1+1))\"", "(number)"),
        ("$(ls)", "(unknown…)"),
        ("a\"$(:)\"", "a(unknown)"),
        ("`:`", "(unknown…)"),
        ("\"`:`\"", "(unknown)"),
        ("$'a'", "(unknown)"),
        ("$\"a\"", "a(unknown)"),
        ("{a,b}", "(given…)"),
        ("{a,*}", "(unknown…)"),
        ("{a,$x}", "(unknown…)"),
        ("a*", "a<*>"),
        ("[a]", "<[>a]"),
        ("[a", "[a"),
        ("~", "(home)"),
        ("a~", "a~"),
        ("$", "$"),
        ("a\\$b", "a$b"),
        ("'$x'", "$x"),
    ] {
        // A word for each: what a substitution runs stands before the command that it is a word of.
        assert_eq!(last(&format!("echo {word}")), pieces, "{word}");
    }
}

#[test]
fn a_continued_line_goes_on_with_the_next_word() {
    for line in ["echo a\\\n b c", "echo a \\\nb c", "echo \\\n a b c", "echo a\\\n\tb \\\n \\\n c"] {
        let reading = read(line);
        assert_eq!(reading.unreadable, None, "{line:?}");
        let words: Vec<Option<String>> =
            reading.commands[0].words.iter().map(|word| word.literal()).collect();
        assert_eq!(words, ["echo", "a", "b", "c"].map(|word| Some(word.to_owned())), "{line:?}");
    }
}
