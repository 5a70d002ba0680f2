//! A command line of a page, taken apart as a shell would: enough for what pages write, and no more.

/// The words of each command of a line that begins with `countersign`, without what leads to files.
pub(super) fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for words in parts(line) {
        let at = words.iter().position(|word| !word.contains('=') || word.starts_with('-'));
        let Some(words) = at.and_then(|at| words.get(at..)) else { continue };
        if words.first().is_some_and(|word| word == "countersign") {
            commands.push(words.to_vec());
        }
    }
    commands
}

/// The words of each part of a line between `|`, `;`, `&&`, up to a comment.
fn parts(line: &str) -> Vec<Vec<String>> {
    let (mut parts, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let mut quote = None;
    let mut skip_next = false;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | ';' | '&' | '>' | '<' | '(' | ')') => {
                if let Some(whole) = word.take()
                    && !std::mem::take(&mut skip_next)
                {
                    words.push(whole);
                }
                skip_next |= c == '>' || c == '<';
                if "|;&()".contains(c) {
                    parts.push(std::mem::take(&mut words));
                }
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.filter(|_| !skip_next));
    parts.push(words);
    parts
}

#[test]
fn lines_are_taken_apart() {
    let all = |line| commands(line).iter().map(|words| words.join("·")).collect::<Vec<_>>();
    assert_eq!(all("git diff | countersign exec -   # from stdin"), ["countersign·exec·-"]);
    assert_eq!(
        all("A=1 countersign --allow 'shell(a *)' \"b c\" > f; x"),
        ["countersign·--allow·shell(a *)·b c"]
    );
    assert_eq!(all("echo countersign"), [""; 0]);
    assert_eq!(
        all("countersign exec <f >g && countersign doctor"),
        ["countersign·exec", "countersign·doctor"]
    );
}
