//! Text files that a message names: sent as `read` returns them and recorded; or one clear line, and nothing is sent.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::model_server::Reply;
use crate::servers::{ALL, accepted};
use crate::world::World;

/// The texts of all user messages in a request.
fn words(body: &Value) -> String {
    let messages = body["messages"].as_array().or(body["input"].as_array()).unwrap();
    let users = messages.iter().filter(|message| message["role"] == "user");
    users.map(|message| message["content"].to_string()).collect()
}

impl World {
    fn text(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn files_go_with_the_message_as_read_returns_them_and_are_recorded() {
    for speech in ALL {
        let call = Reply::call("call_1", "read", &json!({ "path": "src/a.rs", "offset": 2, "limit": 2 }));
        let (server, world) = speech.serve(vec![call, Reply::text("Read."), Reply::text("The same.")]);
        world.text("src/a.rs", "one\ntwo\nthree\nfour\n");
        world.text("my notes.txt", "a note\n");
        let prompt = "Compare @src/a.rs#L2-3 and @\"my notes.txt\", and read it; `@src` and @alice are words";
        let ran = world.exec(&["--json", prompt]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{speech:?}: {}", ran.out);
        let told = ran.one("user_message");
        let file = &told["files"][0];
        assert_eq!(
            (&told["content"], &file["path"], &file["first"], &file["last"]),
            (&json!(prompt), &json!("src/a.rs"), &json!(2), &json!(3))
        );
        assert_eq!(
            file["sha256"], "c45d3a272228cc542168164ba961fa622e95260bfd107eb1276940cb5209433e",
            "of the whole file"
        );
        assert_eq!(told["files"].as_array().unwrap().len(), 2);
        assert!(!told.to_string().contains("three"), "no event holds the text: {told}");
        let kept = world.entries().into_iter().find(|e| e["type"] == "user_message").unwrap();
        let sent = kept["files"][0]["text"].as_str().unwrap().to_owned();
        let result = world.entries().into_iter().find(|e| e["type"] == "tool_result").unwrap();
        assert_eq!(json!(sent), result["content"], "the same as the tool returns");
        assert_eq!(world.exec(&["--last", "and again"]).out, "The same.\n");
        for body in accepted(&server) {
            let words = words(&body);
            assert!(words.contains("three") && words.contains("a note"), "{speech:?}: {words}");
        }
    }
}

#[test]
fn a_mention_brings_the_instructions_of_its_folder_as_the_first_read_does() {
    for speech in ALL {
        let call = Reply::call("call_1", "read", &json!({ "path": "below/z.txt" }));
        let (_server, world) = speech.serve(vec![call, Reply::text("Read.")]);
        for (name, text) in
            [("below/AGENTS.md", "near words\n"), ("below/y.txt", "y\n"), ("below/z.txt", "z\n")]
        {
            world.text(name, text);
        }
        let ran = world.exec(&["--json", "@below/y.txt hi"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{speech:?}: {}", ran.out);
        let of = |kind: &str| world.entries().into_iter().find(|entry| entry["type"] == kind).unwrap();
        let sent = of("user_message")["files"][0]["text"].to_string();
        assert!(sent.contains("They are not part of the file") && sent.contains("near words"), "{sent}");
        let read = of("tool_result")["content"].to_string();
        assert!(!read.contains("near words"), "it was told: {read}");
    }
}

#[test]
fn a_folder_goes_with_the_message_as_list_returns_it() {
    for speech in ALL {
        let call = Reply::call("call_1", "list", &json!({ "path": "src" }));
        let (server, world) = speech.serve(vec![call, Reply::text("Listed.")]);
        world.text("src/a.rs", "one\n");
        world.text("src/odd\n\nname", "one\n");
        let ran = world.exec(&["--json", "What is in @src/?"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{speech:?}: {}", ran.out);
        assert_eq!(ran.one("user_message")["files"][0]["path"], "src/");
        let of = |kind: &str| world.entries().into_iter().find(|entry| entry["type"] == kind).unwrap();
        let sent = &of("user_message")["files"][0]["text"];
        assert_eq!(sent, &of("tool_result")["content"], "the same as the tool returns");
        assert!(sent.as_str().unwrap().contains("odd\\n\\nname"), "a name is one line: {sent}");
        for body in accepted(&server) {
            let words = words(&body);
            assert!(words.contains("The user attached `src/`. The `list` tool returns for it:"), "{words}");
        }
    }
    let world = World::new();
    world.text("kept/a.txt", "kept\n");
    let world = world.configured("deny = [\"list(kept*)\"]\n");
    let ran = world.exec(&["-m", "rehearsal", "What is in @kept/?"]);
    assert_ne!(ran.code, 0, "{}", ran.out);
    assert!(ran.err.contains("kept/ cannot be attached: rule list(kept*) denies it"), "{}", ran.err);
}

#[test]
fn what_cannot_be_attached_is_one_line_and_nothing_is_sent() {
    let world = World::new();
    let work = world.work();
    world.text(".env", "TOKEN=1\n");
    world.text("denied/a.txt", "kept\n");
    world.text("denied/a.png", "kept\n");
    fs::write(work.join("binary.bin"), [0, 159, 146, 150, 0, 1]).unwrap();
    assert!(Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    fs::File::create(work.join("huge.txt")).unwrap().set_len(20 << 30).unwrap();
    fs::write(world.place().join("outside.txt"), "not yours\n").unwrap();
    symlink(world.place().join("outside.txt"), work.join("link.txt")).unwrap();
    symlink(work.join("loop"), work.join("loop")).unwrap();
    for n in 0..21 {
        world.text(&format!("many/{n}"), "x\n");
    }
    let world = world.configured("deny = [\"read(denied/**)\"]\n");
    let many: String = (0..21).map(|n| format!("@many/{n} ")).collect();
    let cases = [
        ("@gone.rs#L10-40", "there is no file at gone.rs; next: correct the path"),
        ("@gone.pdf", "there is no file at gone.pdf; next: correct the path"),
        (
            "@denied/x.ending",
            "there is no file at denied/x.ending; next: correct the path, or put it in `backquotes`",
        ),
        ("@binary.bin", "`binary.bin` is not text"),
        ("@pipe", "`pipe` is neither a file nor a folder"),
        ("@huge.txt", "`huge.txt` is too large"),
        ("@loop", "`loop` goes through too many symlinks"),
        ("see @.env", ".env may contain secrets; next: put its path in `backquotes`"),
        ("@denied/a.txt", "denied/a.txt cannot be attached: rule read(denied/**) denies it"),
        ("@denied/a.png", "denied/a.png cannot be attached: rule"),
        ("@../outside.txt", "../outside.txt is outside of the workspace: it leads to /"),
        ("@link.txt", "link.txt is outside of the workspace: it leads to /"),
        (many.as_str(), "a message can have at most 20 files"),
    ];
    for (prompt, says) in cases {
        let line = world.refused(&["-m", "rehearsal", prompt]);
        assert!(line.contains(says), "{prompt}: {line}");
        assert!(world.sessions().is_empty(), "{prompt}");
    }
    for words in [
        "the names `@.env`, `@x.ending` and `@denied/a.txt`",
        "@app.get(\"/a.json\") of @types/node by a@b.org",
    ] {
        let ran = world.exec(&["-m", "rehearsal", words]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

#[test]
fn what_is_not_sent_of_a_file_is_said_on_stderr_and_in_the_event() {
    let world = World::new();
    world.text("big.txt", &"x\n".repeat(200_000));
    for n in 0..501 {
        world.text(&format!("many/{n}"), "x\n");
    }
    let said = |prompt: &str| {
        let ran = world.exec(&["--json", "--script", r#"["Read."]"#, prompt]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        (ran.err.clone(), ran.one("user_message")["files"][0].clone())
    };
    let (err, file) = said("look at @big.txt");
    assert_eq!(err, "note: not all of it is sent: [file: big.txt · lines 1-2000 of 200,000]\n");
    assert_eq!((&file["last"], &file["of_lines"]), (&json!(2_000), &json!(200_000)), "{file}");
    let (err, file) = said("look at @big.txt#L5-9000");
    assert!(err.starts_with("note: not all of it is sent: [file: big.txt · lines 5-"), "{err}");
    assert!(file["cut_chars"].as_u64() > Some(0), "{file}");
    assert_eq!(said("look at @big.txt#L5-9").0, "", "all that was asked for is sent");
    let (err, file) = said("look at @many/");
    assert_eq!(err, "note: not all of it is sent: [folder: many/ · 500 entries of 501]\n");
    assert_eq!(file["of_lines"], json!(501), "{file}");
    let both = "note: not all of it is sent: [file: big.txt · lines 1-2000 of 200,000], [folder: many/ · 500 entries of 501]\n";
    assert_eq!(said("look at @big.txt and @many/").0, both);
}

#[test]
fn what_is_refused_before_it_is_sent_is_an_event_too() {
    let world = World::new();
    world.text("denied/a.txt", "kept\n");
    let world = world.configured("deny = [\"read(denied/**)\"]\n");
    let commands = world.config_file().with_file_name("commands");
    fs::create_dir_all(&commands).unwrap();
    fs::write(commands.join("fix.md"), "---\ndescription: never closed\nFix it.\n").unwrap();
    for (prompt, says) in [
        ("see @gone.pdf", "there is no file at gone.pdf"),
        ("see @denied/a.txt", "denied/a.txt cannot be attached: rule"),
        ("/fix it", "its header is not closed: line 1 opens one"),
    ] {
        let ran = world.exec(&["--json", "-m", "rehearsal", prompt]);
        assert_eq!((ran.code, ran.events().len()), (2, 1), "{prompt}: {} {}", ran.out, ran.err);
        let error = ran.one("error");
        let (said, next) = (error["message"].as_str().unwrap(), error["next"].as_str().unwrap());
        assert!(said.contains(says) && !next.is_empty() && error.get("entry").is_none(), "{error}");
        assert_eq!(ran.complaint(), world.refused(&["-m", "rehearsal", prompt]), "stderr says the same");
        assert!(ran.complaint().contains(says), "{}", ran.err);
    }
}

#[test]
fn a_word_that_may_be_no_file_is_sent_as_text_and_a_note_says_so() {
    let world = World::new();
    for word in ["user.name", "john.doe", "mock.patch", "tanstack/react.query", "pytest.mark.skip"] {
        let ran = world.exec(&["--script", "[\"sent\"]", &format!("why is @{word} nil?")]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "sent\n"), "{word}: {}", ran.err);
        let note = format!("note: there is no file at {word}; sent as text");
        assert!(ran.err.contains(&note), "{}", ran.err);
    }
}

#[test]
fn a_line_that_is_not_there_is_named_in_the_words_of_the_message() {
    let world = World::new();
    let line = world.refused(&["-m", "rehearsal", "see @one.txt#L200"]);
    assert!(
        line.contains("`one.txt` has 2 lines, so it has no line 200") && !line.contains("offset"),
        "{line}"
    );
}

#[test]
fn a_custom_command_that_waits_for_trust_is_not_sent_as_words() {
    let world = World::new();
    world.text(".claude/commands/fix.md", "Fix $1.\nFirst: !`git status\ngit diff`\n");
    world.text(".claude/commands/help.md", "Help me.\n");
    world.text(".agents/skills/pdf/SKILL.md", "---\ndescription: Reads PDFs\n---\nuse pdftotext\n");
    world.text(".claude/commands/pdf.md", "Read it.\n");
    for name in ["/fix it", "/pdf it"] {
        let line = world.refused(&["--script", "[\"sent\"]", name]);
        let (name, _) = name.split_once(' ').unwrap();
        assert!(line.contains(&format!("{name} cannot be used: the folder of ")), "{line}");
        assert!(line.contains("is not trusted yet; `countersign trust` shows it and asks"), "{line}");
    }
    assert_eq!(
        world.exec(&["--script", "[\"sent\"]", "/help"]).out,
        "sent\n",
        "a built-in command has the name"
    );
    let trusted = world.program().args(["trust", "--yes"]).output().unwrap();
    let said = String::from_utf8(trusted.stdout).unwrap();
    assert!(said.contains("a built-in command has the name /help, so this one cannot be called"), "{said}");
    assert!(!said.contains("the command /help"), "{said}");
    assert!(said.contains("a skill has the name /pdf, so this command cannot be called"), "{said}");
    assert!(!said.contains("the command /pdf"), "{said}");
    let line = world.refused(&["--script", "[\"sent\"]", "/fix it\nand more"]);
    assert!(line.contains("/fix runs `git status …` first, which nobody can approve here"), "{line}");
}

#[test]
fn where_a_file_that_a_custom_command_names_is_gone_its_own_file_is_named() {
    let world = World::new();
    let folder = world.place().join("config/countersign/commands");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("look.md"), "See @gone.txt.\n").unwrap();
    let line = world.refused(&["--script", "[\"sent\"]", "/look"]);
    assert!(
        line.contains("commands/look.md: there is no file at gone.txt; next: correct the path"),
        "{line}"
    );
    let line = world.refused(&["--script", "[\"sent\"]", "see @gone.txt"]);
    assert!(!line.contains("look.md"), "{line}");
}

#[test]
fn a_custom_command_that_is_ignored_is_not_sent_as_words() {
    let world = World::new();
    let folder = world.place().join("config/countersign/commands");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("broken.md"), "---\ndescription: [open\n---\nDo it.\n").unwrap();
    fs::create_dir(folder.join("folder.md")).unwrap();
    for (prompt, why) in [
        ("/broken now", "broken.md: line 2 of its header cannot be read: a bracket is not closed"),
        ("/folder", "folder.md cannot be read: it is not a regular file"),
    ] {
        let ran = world.exec(&["--script", "[\"sent\"]", prompt]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{prompt}: {}", ran.err);
        assert!(
            ran.err.contains(why) && ran.err.contains("next: correct that, or write the prompt out"),
            "{}",
            ran.err
        );
    }
    for prompt in ["/unknown", "/broken/path is a path", "say /broken"] {
        assert_eq!(world.exec(&["--script", "[\"sent\"]", prompt]).out, "sent\n", "{prompt}");
    }
}

#[test]
fn a_hook_that_blocks_reads_blocks_a_mention_before_anything_is_sent() {
    for speech in ALL {
        let (server, world) = speech.serve(Vec::new());
        let world = world.configured(
            "[[hooks.pre_tool]]\nmatcher = 'read|list'\n\
             command = 'tee -a heard; echo not for models >&2; exit 2'\n",
        );
        world.text("src/a.rs", "one\ntwo\nthree\n");
        fs::write(world.work().join("a.png"), crate::pictures::png(2, 2)).unwrap();
        for (words, named) in
            [("see @./src/a.rs#L2-3", "./src/a.rs"), ("see @src/", "src/"), ("see @a.png", "a.png")]
        {
            let ran = world.exec(&[words]);
            assert_eq!(ran.code, 2, "{speech:?} {words}: {}", ran.out);
            let why = format!("{named} cannot be attached: a hook blocks it: not for models");
            assert!(ran.err.contains(&why), "{}", ran.err);
        }
        assert!(accepted(&server).is_empty(), "{speech:?}");
        let heard = fs::read_to_string(world.work().join("heard")).unwrap();
        let heard: Vec<Value> = heard.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let calls: Vec<_> = heard.iter().map(|told| (&told["tool_name"], &told["tool_input"])).collect();
        assert_eq!(
            calls,
            [
                (&json!("read"), &json!({ "path": "src/a.rs", "offset": 2, "limit": 2 })),
                (&json!("list"), &json!({ "path": "src" })),
                (&json!("read"), &json!({ "path": "a.png" })),
            ]
        );
        assert!(heard.iter().all(|told| told.get("tool_use_id").is_none()), "no call of the model");
    }
}
