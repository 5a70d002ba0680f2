//! `sessions` to look with: `list`, `search`, `show`, `export`, `check`.

use std::fs;

use serde_json::{Value, json};

use crate::world::{World, of_type, parse, script, text};

/// A run in which half an answer was withdrawn, and a tool printed a key.
fn withdrawn(world: &World) {
    let replies = json!([
        { "text": "Half an ans", "error": { "class": "transient", "message": "reset" } },
        { "text": "I look at it.", "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] },
        { "tool_calls": [{ "name": "shell", "arguments": { "command": "echo sk-very-secret-key" } }] },
        "The whole answer.",
    ]);
    let ran = world.json(&[
        "--mode",
        "unrestricted",
        "--script",
        &script(replies),
        "What stands in \u{1b}[31mone?",
    ]);
    assert_eq!((ran.code, ran.all("tombstone").len()), (0, 1), "{}", ran.err);
}

#[test]
fn the_list_is_newest_first_with_how_each_ended() {
    let world = World::new();
    let none = world.sessions_cli(&["list"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(none.err.contains("there are no sessions yet"), "{}", none.err);
    world.json(&["--script", r#"["One."]"#, "the first\nmessage"]);
    let call = r#"[{"tool_calls":[{"name":"list","arguments":{}}]}]"#;
    world.json(&["--max-turns", "1", "--script", call, "the second"]);
    world.json(&["--script", r#"["Three."]"#, "the third"]);
    // The process of the third died before its run had ended.
    let file = world.session_file();
    let text_of = fs::read_to_string(&file).unwrap();
    let (kept, _end) = text_of.trim_end().rsplit_once('\n').unwrap();
    fs::write(&file, format!("{kept}\n")).unwrap();

    let table = world.sessions_cli(&["list"]).out;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split("  ").collect()).collect();
    let of = |row: usize, wanted: &str| rows[row].iter().any(|cell| cell.trim() == wanted);
    assert!(of(0, "unfinished") && of(1, "max_turns") && of(2, "completed"), "{table}");
    assert!(of(0, "the third") && of(1, "the second") && of(2, "the first message"), "{table}");
    assert!(of(0, "~/work") && of(0, "script"), "{table}");

    let listed = parse(&world.sessions_cli(&["list", "--json"]).out);
    let endings: Vec<&Value> = listed.iter().map(|one| &one["ending"]).collect();
    assert_eq!(endings, [&Value::Null, &json!("max_turns"), &json!("completed")]);
    let ids: Vec<String> = listed.iter().map(|one| text(one, "session")).collect();
    let files: Vec<_> = world.sessions().iter().rev().map(|p| p.file_stem().unwrap().to_owned()).collect();
    assert_eq!(ids.iter().map(std::ffi::OsString::from).collect::<Vec<_>>(), files);
    assert_eq!(listed[2]["first_message"], "the first\nmessage");

    fs::write(file.with_file_name("broken.jsonl"), "nonsense\n").unwrap();
    let noted = world.sessions_cli(&["list"]);
    assert_eq!((noted.code, noted.out), (0, table));
    assert!(noted.err.contains("broken.jsonl"), "a bad file is told, not skipped in silence: {}", noted.err);
}

#[test]
fn a_transcript_is_for_people_and_holds_nothing_withdrawn() {
    let world = World::new();
    withdrawn(&world);
    let shown = world.sessions_cli(&["show", "--last"]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    for wanted in
        ["What stands in", "I look at it.", "\u{2713} read  one.txt", "first line", "The whole answer."]
    {
        assert!(shown.out.contains(wanted), "{wanted}: {}", shown.out);
    }
    assert!(!shown.out.contains("Half an ans") && !shown.out.contains('\u{1b}'), "{}", shown.out);
    let last = shown.out.trim_end().lines().last().unwrap();
    assert!(last.contains("completed") && last.contains("3 turns, 2 tool calls"), "{last}");

    let durable = world.sessions_cli(&["show", "--last", "--json"]).out;
    assert_eq!(durable, world.session_text(), "the lines of the file, what was withdrawn and all");
    let short = world.sessions_cli(&["show", "--last", "--events"]).out;
    assert!(!short.contains("Half an ans"));
    let kinds: Vec<String> = parse(&short).iter().map(|event| text(event, "type")).collect();
    assert_eq!(
        kinds,
        ["user_message", "tool_call", "tool_result", "tool_call", "tool_result", "agent_response"]
    );
}

#[test]
fn an_export_holds_no_key_and_nothing_withdrawn() {
    let world = World::new().with("SOME_API_KEY", "sk-very-secret-key");
    withdrawn(&world);
    assert!(world.session_text().contains("sk-very-secret-key"), "the tool printed it");
    let page = world.sessions_cli(&["export", "--last"]).out;
    assert!(page.starts_with("# Session ") && page.contains("## User\n\n> What stands in"), "{page}");
    assert!(page.contains("## Assistant\n\n> The whole answer."), "{page}");
    assert!(
        page.contains("\"command\": \"echo (key hidden)\"") && page.contains("```text\n(key hidden)\n```")
    );
    let exported = world.sessions_cli(&["export", "--last", "--json"]);
    assert!(exported.err.contains("left out, since it was withdrawn: "), "{}", exported.err);
    let lines = exported.out;
    for export in [&page, &lines] {
        assert!(!export.contains("Half an ans") && !export.contains("sk-very-secret-key"), "{export}");
        assert!(!export.contains("tombstone"), "{export}");
    }
    let events = parse(&lines);
    assert_eq!(of_type(&events, "agent_response").len(), 3);
    assert_eq!(of_type(&events, "tool_result").len(), 2);
    fs::write(world.work().join("talk.jsonl"), lines).unwrap();
    let checked = world.sessions_cli(&["check", "talk.jsonl"]);
    assert_eq!(checked.code, 0, "what was exported is well-formed: {}", checked.out);
}

#[test]
fn a_fence_in_a_result_does_not_end_its_block() {
    let world = World::new();
    fs::write(world.work().join("page.md"), "````\n# not a heading\n````\n").unwrap();
    let call = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"page.md"}}]},"ok"]"#;
    world.json(&["--script", call, "read"]);
    let page = world.sessions_cli(&["export", "--last"]).out;
    assert_eq!(page.matches("`````").count(), 2, "{page}");
}

#[test]
fn words_are_found_in_what_stands() {
    let world = World::new();
    withdrawn(&world);
    world.json(&["--script", r#"["Nothing of the kind."]"#, "another question"]);
    let found = world.sessions_cli(&["search", "whole", "ANSWER"]);
    assert_eq!(found.code, 0);
    let session = text(&world.entries()[0], "session");
    assert!(!found.out.contains(&session), "the newer session says nothing of it: {}", found.out);
    assert!(found.out.contains("agent_response: The whole answer."), "{}", found.out);
    let places = parse(&world.sessions_cli(&["search", "--json", "first line"]).out);
    assert_eq!((places.len(), &places[0]["type"]), (1, &json!("tool_result")), "{places:?}");
    for nothing in [&["search", "Half an ans"][..], &["search", "whole", "kind"]] {
        let none = world.sessions_cli(nothing);
        assert_eq!((none.code, none.out.as_str()), (0, ""), "{nothing:?}");
        assert!(none.err.contains("no session contains these words"), "{}", none.err);
    }
}

#[test]
fn a_command_is_found_as_people_write_it() {
    let world = World::new();
    let command = "printf '%s' \"alpha beta\" > 'C:\\new'";
    let call = json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }, "Done."]);
    world.json(&["--mode", "plan", "--script", &call.to_string(), "go"]);
    for words in ["\"alpha beta\"", "c:\\new", "shell command printf"] {
        let places = parse(&world.sessions_cli(&["search", "--json", words]).out);
        assert!(places.iter().any(|place| place["type"] == "tool_call"), "{words}: {places:?}");
    }
}

#[test]
fn sound_books_are_called_so_and_nothing_is_written() {
    let world = World::new();
    withdrawn(&world);
    let file = world.session_file();
    let whole = fs::read(&file).unwrap();
    let sound = world.sessions_cli(&["check", "--last"]);
    assert_eq!((sound.code, sound.err.as_str()), (0, ""));
    assert!(sound.out.contains("well-formed") && sound.out.contains("2 calls, each with one result"));

    // Cut off after it was on disk: that is no crash.
    fs::write(&file, &whole[..whole.len() - 20]).unwrap();
    let cut_off = world.sessions_cli(&["check", "--last"]);
    assert!(cut_off.code == 1 && cut_off.out.contains("this line was cut off"), "{}", cut_off.out);
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    fs::write(&file, lines[..lines.len() - 2].concat()).unwrap();
    let cut_off = world.sessions_cli(&["check", "--last"]);
    assert!(cut_off.code == 1 && cut_off.out.contains("2 more lines were on disk"), "{}", cut_off.out);
    let resumed = world.exec(&["--last", "--script", r#"["Fine."]"#, "go on"]);
    assert!(
        resumed.code == 0 && resumed.err.contains("missing at the end of the session file: 2"),
        "{}",
        resumed.err
    );
    fs::remove_file(file.with_extension("head")).unwrap();

    // Killed at any byte: what is left is well-formed, and may be torn or open.
    let newline = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in (newline..whole.len()).step_by(97) {
        fs::write(&file, &whole[..cut]).unwrap();
        let name = file.display().to_string();
        let cut_off = world.sessions_cli(&["check", &name]);
        assert_eq!(cut_off.code, 0, "cut at {cut}: {}", cut_off.out);
        let torn =
            serde_json::from_slice::<Value>(whole[..cut].rsplit(|b| *b == b'\n').next().unwrap()).is_err();
        let is_at_end = whole[cut - 1] == b'\n';
        assert_eq!(cut_off.out.contains("incomplete"), torn && !is_at_end, "cut at {cut}: {}", cut_off.out);
        assert_eq!(fs::read(&file).unwrap(), whole[..cut], "it was only read");
    }
    let open = whole.split_inclusive(|b| *b == b'\n').take(11).collect::<Vec<_>>().concat();
    fs::write(&file, &open).unwrap();
    let open = world.sessions_cli(&["check", "--last"]);
    assert!(open.code == 0 && open.out.contains("open at the end: c1"), "{}", open.out);
}

#[test]
fn every_fault_is_told_by_line_and_entry() {
    let world = World::new();
    withdrawn(&world);
    let file = world.session_file();
    let text_of = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text_of.lines().collect();
    let at =
        |kind: &str| lines.iter().position(|line| line.contains(&format!("\"type\":\"{kind}\""))).unwrap();
    let (result, user) = (at("tool_result"), at("user_message"));
    let mut bad: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    bad[result] = "{\"type\":\"tool_res".to_owned();
    bad.push(lines[user].to_owned());
    bad.push("{\"type\":\"note\",\"entry\":\"e99\",\"at\":\"2026-01-01T00:00:00Z\",\"about\":7}".to_owned());
    let damaged = bad.join("\n") + "\n";
    fs::write(&file, &damaged).unwrap();

    let told = world.sessions_cli(&["check", "--last"]);
    assert_eq!(told.code, 1, "{}", told.out);
    let line = |number: usize| format!("line {}", number + 1);
    let has = |wanted: &str| assert!(told.out.contains(wanted), "{wanted}: {}", told.out);
    has("not well-formed; 6 faults");
    has(&format!("{}: this line was cut off", line(result)));
    has("comes before the result of call c1");
    has(&format!("{} (e3): this id is used twice", line(lines.len())));
    has(&format!("{} (e99): `note`: field `about` is not text", line(lines.len() + 1)));
    assert_eq!(fs::read_to_string(&file).unwrap(), damaged, "it was only read");

    // What it says to do can be done.
    let (_, advice) = told.out.split_once("`countersign sessions ").unwrap();
    let words: Vec<&str> = advice.split_once('`').unwrap().0.split(' ').collect();
    let saved = world.sessions_cli(&words);
    assert_eq!(saved.code, 0, "{words:?}: {}", saved.err);
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
    let shown = world.sessions_cli(&["show", file.to_str().unwrap()]);
    assert!(shown.code == 1 && shown.complaint().contains("sessions check"), "{}", shown.err);
}

#[test]
fn a_file_of_another_kind_is_no_session() {
    let world = World::new();
    fs::write(world.work().join("list.json"), "[1, 2]\n[3]\n").unwrap();
    for (file, wanted) in [("one.txt", "not JSON"), ("list.json", "not session_started")] {
        let told = world.sessions_cli(&["check", &format!("./{file}")]);
        assert_eq!((told.code, told.out.lines().count()), (1, 3), "{}", told.out);
        assert!(told.out.contains(wanted) && told.out.contains("line 1"), "{}", told.out);
    }
    fs::write(world.work().join("empty.jsonl"), "").unwrap();
    assert_eq!(world.sessions_cli(&["check", "empty.jsonl"]).code, 1);
    let newer = r#"{"type":"session_started","entry":"e1","at":"2026-01-01T00:00:00Z","id":"e1","session":"s","cwd":"/","model":"m","version":99,"app":"9.9"}"#;
    fs::write(world.work().join("newer.jsonl"), newer).unwrap();
    let newer = world.sessions_cli(&["check", "newer.jsonl"]);
    assert!(newer.code == 1 && newer.out.contains("update countersign"), "{}", newer.out);
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let world = World::new();
    let line = |words: &[&str]| {
        let ran = world.sessions_cli(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {}", ran.err);
        ran.complaint()
    };
    assert!(line(&["show", "--last"]).contains("start one with `countersign`"));
    world.json(&["--script", r#"["One."]"#, "hi"]);
    let session = text(&world.entries()[0], "session");
    let mistyped = format!("{}zz", &session[..session.len() - 2]);
    assert!(line(&["show", &mistyped]).contains(&format!("did you mean {session}?")));
    assert!(line(&["show", "zebra"]).contains(&session), "the newest are named");
    assert!(line(&["check", "./nowhere.jsonl"]).contains("there is no file ./nowhere.jsonl"));
    assert!(line(&["fork", "--last", "--at", "e99"]).contains("has no entry e99"));
    assert!(line(&["fork", "--last", "--at", "here"]).contains("`here` is not an entry"));
    assert!(line(&["show"]).contains("SESSION"));
    assert!(line(&["show", "--last", &session]).contains("--last"));
    assert!(line(&["search", " "]).contains("nothing to search for"));
    assert_eq!(world.sessions_cli(&["show", &session[..13]]).code, 0, "the beginning of an id will do");
}

#[test]
fn help_shows_how_and_shells_complete_it() {
    let world = World::new();
    let help = world.sessions_cli(&["--help"]);
    assert!(help.code == 0 && help.out.contains("Examples:\n"), "{}", help.out);
    let output = world.program().args(["completions", "bash"]).output().unwrap();
    let completions = String::from_utf8(output.stdout).unwrap();
    for verb in ["list", "search", "show", "export", "import", "check", "fork", "remove"] {
        assert!(help.out.contains(&format!("\n  {verb} ")), "{verb}");
        let own = world.sessions_cli(&[verb, "--help"]).out;
        assert!(own.contains("Example"), "{verb}: {own}");
        assert!(completions.contains(&format!("countersign__subcmd__sessions__subcmd__{verb}")), "{verb}");
    }
}

/// Text that copies every mark of ours, in every place where others write.
const COPIES: &str = "## User\n\nyes\n\n### \u{2713} shell: ok after 0.1 s\n\n✓ shell  ls · ok\n· note on e5: x\n── completed\n› me\n</blockquote>\n<!-- \
    \n```text\nTitle\n===\r## Again\n> ## quoted\n```";

#[test]
fn an_export_has_our_headings_and_no_others() {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let world = World::new();
    let replies = json!([
        { "text": COPIES, "tool_calls": [
            { "name": "shell", "arguments": { "command": format!("printf '%s' '{}'", COPIES) } },
            { "name": "none\n## User", "arguments": {} },
        ] },
        COPIES,
    ]);
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(replies), COPIES]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let page = world.sessions_cli(&["export", "--last"]).out;
    let (mut headings, mut heading) = (Vec::new(), None::<String>);
    for event in Parser::new(&page) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) if heading.is_some() => heading.as_mut().unwrap().push_str(&text),
            Event::End(TagEnd::Heading(_)) => headings.extend(heading.take()),
            Event::Html(html) | Event::InlineHtml(html) => panic!("{html}\n{page}"),
            _ => {}
        }
    }
    let kinds: Vec<&str> = headings.iter().map(|heading| heading.split(':').next().unwrap()).collect();
    let kinds = [kinds[0].split(' ').next().unwrap(), kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]];
    assert_eq!(
        (headings.len(), kinds),
        (6, ["Session", "User", "Assistant", "✓ shell", "✗ none ## User", "Assistant"])
    );
    // In plain text only our own lines begin before the third cell.
    let shown = world.sessions_cli(&["show", "--last"]).out;
    let ours: Vec<&str> = shown.lines().filter(|line| !line.is_empty() && !line.starts_with("  ")).collect();
    let signs: Vec<&str> = ours.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(signs, ["session", "›", "✓", "✗", "──"], "{shown}");
}

#[test]
fn the_books_keep_what_a_command_wrote_and_the_model_reads_what_it_shows() {
    let world = World::new();
    let command = "printf '\\033[32mgreen\\033[0m 10 %%\\r\\033[Kdone\\n'";
    let replies = json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }, "ok"]);
    world.json(&["--mode", "unrestricted", "--script", &script(replies), "run"]);
    let events = parse(&world.session_text());
    let result = of_type(&events, "tool_result").remove(0);
    assert_eq!(text(&result, "content"), "done");
    assert_eq!(text(&result, "written"), "\u{1b}[32mgreen\u{1b}[0m 10 %\r\u{1b}[Kdone");
    let again = world.json(&["--last", "--script", r#"["more"]"#, "go on"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let events = parse(&world.session_text());
    assert_eq!(of_type(&events, "tool_result"), [result]);
    assert!(world.sessions_cli(&["export", "--last"]).out.contains("```text\ndone\n```"));
}
