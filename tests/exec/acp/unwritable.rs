//! Files that the disk does not take while the editor would: nobody is told that nothing was changed where the editor has the new text.

use std::cell::Cell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde_json::{Value, json};

use super::client::{Editor, FileAnswer, calls};
use crate::world::{World, of_type, text};

const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The program as an unprivileged user, for whom the permissions of files hold.
fn unprivileged(world: &World) -> Command {
    let (ours, copy) = (world.program(), world.place().join("countersign"));
    // A child copies it: a program that this process has open for writing may be busy for other tests' children.
    assert!(Command::new("cp").arg(ours.get_program()).arg(&copy).status().unwrap().success());
    [&world.place(), &world.work()].into_iter().for_each(|folder| set_mode(folder, 0o777));
    let mut program = Command::new(copy);
    program.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    program.current_dir(world.work()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if rustix::process::geteuid().is_root() {
        program.uid(NOBODY).gid(NOBODY);
    }
    program
}

/// Has `ro/f.txt` edited and read again in a folder of this mode, with an editor that takes everything over and saves nothing. When it is
/// told to, the folder loses its write permission. Gives the results, and how often the editor was told to.
fn edited(mode: u32) -> (Vec<Value>, usize) {
    let world = World::new();
    let folder = world.work().join("ro");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("f.txt"), "as it was\n").unwrap();
    let program = unprivileged(&world);
    set_mode(&folder, mode);
    let read = calls("read", json!({ "path": "ro/f.txt" }));
    let edits = json!([{ "old_text": "as it was", "new_text": "changed" }]);
    let edit = calls("edit", json!({ "path": "ro/f.txt", "edits": edits }));
    let script = json!([read, edit, read, "Done."]).to_string();
    let able = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut editor = Editor::starting(program, &["--mode", "unrestricted", "--script", &script], able);
    let (told, count) = (Rc::new(Cell::new(0)), Cell::new(None));
    let (counted, closed) = (Rc::clone(&told), folder.clone());
    editor.files = Some(Box::new(move |method, path, content| {
        if method == "fs/write_text_file" {
            counted.set(counted.get() + 1);
            count.set(content.map(str::to_owned));
            set_mode(&closed, 0o555);
            return FileAnswer::Result(Value::Null);
        }
        let held = count.take();
        count.set(held.clone());
        FileAnswer::Result(json!({ "content": held.unwrap_or_else(|| fs::read_to_string(path).unwrap()) }))
    }));
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "go");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
    assert_eq!(fs::read_to_string(folder.join("f.txt")).unwrap(), "as it was\n");
    // The folder can be removed again.
    set_mode(&folder, 0o777);
    (of_type(&world.entries(), "tool_result"), told.get())
}

#[test]
fn what_the_disk_will_refuse_is_not_given_to_the_editor() {
    let (results, told) = edited(0o555);
    assert_eq!(told, 0, "{results:?}");
    let said = text(&results[1], "content");
    assert!(said.contains("no permission for `ro/f.txt`") && said.contains("nothing was changed"), "{said}");
    assert!(text(&results[2], "content").contains("as it was"), "{}", results[2]);
    assert_eq!(results[2]["facts"].get("editor"), None, "{}", results[2]);
}

#[test]
fn what_only_the_editor_has_in_the_end_is_said_so() {
    let (results, told) = edited(0o777);
    assert_eq!((told, &results[1]["outcome"]), (1, &json!("failed")), "{results:?}");
    let said = text(&results[1], "content");
    assert!(
        said.contains(
            "the editor has the new text of `ro/f.txt`; the file on disk is as it was: no permission"
        ),
        "{said}"
    );
    assert!(!said.contains("nothing"), "{said}");
    assert_eq!(results[2]["facts"]["editor"], true, "{}", results[2]);
}
