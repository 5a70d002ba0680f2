//! Code in words that may run a text which it reads: `python3 -c 'exec(input())'`, `awk '{ system($0) }'`.

use super::interpreters::{is_shell, listed_name};

/// Names by which languages run a text as code, or as a command.
const RUNNING: &[&str] = &[
    "eval",
    "exec",
    "execv",
    "execve",
    "execvp",
    "execfile",
    "instance_eval",
    "class_eval",
    "module_eval",
    "evalstring",
    "include_string",
    "loadstring",
    "system",
    "popen",
    "popen2",
    "popen3",
    "proc_open",
    "shell_exec",
    "passthru",
    "capture2",
    "capture3",
    "open3",
    "spawn",
    "posix_spawn",
    "subprocess",
    "runpy",
    "qx",
];
/// The same in JavaScript, in which `exec` is what regular expressions do.
const RUNNING_SCRIPTS: &[&str] = &["eval", "Function", "child_process", "execSync", "spawnSync", "vm", "Bun"];
const OF_SCRIPTS: &[&str] = &["node", "nodejs", "tsx", "ts-node", "deno", "bun", "qjs"];
/// Those that run what stands between backquotes.
const WITH_BACKQUOTES: &[&str] = &["perl", "ruby", "jruby", "truffleruby", "php"];
const AWKS: &[&str] = &["awk", "gawk", "mawk", "nawk"];

/// Whether code in these words names what runs a text. Of the text itself nothing is known here: it may be what comes in.
pub(super) fn may_run_texts(program: &str, arguments: &[String]) -> bool {
    let name = listed_name(program).unwrap_or(program);
    let running = if OF_SCRIPTS.contains(&name) { RUNNING_SCRIPTS } else { RUNNING };
    arguments.iter().any(|text| {
        let mut names = names(text);
        let runs = match name {
            _ if AWKS.contains(&name) => names.any(|name| name == "system") || runs_through_pipe(text),
            "lua" | "luajit" => {
                names.any(|name| running.contains(&name) || name == "execute" || name == "load")
            }
            _ => names.any(|name| running.contains(&name)),
        };
        runs || (text.contains('`') && WITH_BACKQUOTES.contains(&name))
    })
}

/// Whether `awk` hands what it prints to a shell, or runs a field: `print | "sh"`, `$0 | getline`.
fn runs_through_pipe(text: &str) -> bool {
    let text = text.replace("||", ";");
    let Some((before, behind)) = text.split_once('|') else { return false };
    let is_field = |text: &str| {
        let field = text.trim_start_matches('&').trim_start().strip_prefix('$');
        field.is_some_and(|field| field.starts_with(|c: char| c.is_alphanumeric() || c == '('))
    };
    let reads_field = before.contains('$') && names(behind).any(|name| name == "getline");
    names(behind).any(is_shell) || behind.split('|').any(is_field) || reads_field
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_run(program: &str, code: &str) -> bool {
        may_run_texts(program, &[code.to_owned()])
    }

    #[test]
    fn code_that_runs_a_text_is_known_by_the_names_in_it() {
        for (program, code) in [
            ("python3", "exec(input())"),
            ("python3.12", "import os,sys; os.system(sys.stdin.read())"),
            ("perl", "eval <STDIN>"),
            ("perl", "print `$_`"),
            ("ruby", "eval $stdin.read"),
            ("node", "eval(require('fs').readFileSync(0)+'')"),
            ("lua5.4", "os.execute(io.read())"),
            ("awk", "{ system($0) }"),
            ("gawk", "{ print | \"sh\" }"),
            ("awk", "{ print \"\" | $1 }"),
            ("awk", "{ $0 | getline }"),
        ] {
            assert!(may_run(program, code), "{program} {code}");
        }
    }

    #[test]
    fn other_code_only_works_on_what_comes_in() {
        for (program, code) in [
            ("python3", "import json,sys; print(json.load(sys.stdin)[\"x\"])"),
            ("python3", "import re; re.compile('a')"),
            ("perl", "s/executed/done/"),
            ("node", "/x/.exec(s); `a${b}`"),
            ("awk", "{ print $2 }"),
            ("awk", "-F|"),
            ("awk", "$1 || $2 { print }"),
            ("awk", "/(a|$)/ { print $1 }"),
            ("awk", "BEGIN { FS=\"|\" } { print $2 }"),
            ("awk", "{ print | \"sort\" }"),
        ] {
            assert!(!may_run(program, code), "{program} {code}");
        }
    }
}
