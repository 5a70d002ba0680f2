//! Words that a shell, or a program that it starts, makes of others: no rule is passed by them.

use super::guises::all;

#[test]
fn no_pattern_for_names_of_files_hides_a_word_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("ask", "git pus[h] origin"),
            ("ask", "git [p]ush origin"),
            ("ask", "git p[t-v]s[!a]"),
            ("ask", "git pus? origin"),
            ("ask", "git pus[$x origin"),
            ("ask", "watch git pus[h] origin"),
            ("ask", "cat x | zsh /dev/std[i]n"),
            ("ask", "cat x | python3 \"/dev/fd/$n\""),
            ("allow", "git pull[h] origin"),
            ("allow", "git status a[h]"),
            ("allow", "[ -f x ]"),
        ],
    );
}

#[test]
fn what_more_options_and_subcommands_start_is_denied() {
    all(
        "shell(git push *)",
        &[
            ("deny", "socat - EXEC:'git push'"),
            ("deny", "socat - exec:'git push origin',pty"),
            ("deny", "socat TCP-LISTEN:80 'SYSTEM:cd a; git push'"),
            ("ask", "socat - \"EXEC:$x\""),
            ("deny", "nc -lvp 80 -e 'git push'"),
            ("deny", "ncat --sh-exec 'git push' h 1"),
            ("deny", "ncat -c'git push' h 1"),
            ("deny", "jobs -x git push origin"),
            ("deny", "split --filter='git push' x"),
            ("deny", "cmake -E env A=b git push"),
            ("deny", "gcloud compute ssh h --command='git push'"),
            ("allow", "socat - TCP:a:1"),
            ("allow", "nc -z git 80"),
            ("allow", "jobs -l"),
            ("allow", "split -l 5 x"),
        ],
    );
}

#[test]
fn a_launcher_in_a_line_that_is_started_hides_nothing_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("ask", "npm exec -c 'sudo git push'"),
            ("ask", "pnpm exec sh -c 'cd a && timeout 5 git push'"),
            ("ask", "cargo watch -s 'env A=b git push'"),
            ("ask", "fd a -x sh -c 'nice git push'"),
            ("ask", "socat - EXEC:'sudo git push'"),
            ("allow", "npm exec -c 'eslint src'"),
            ("allow", "cargo watch -x 'test parser'"),
            ("allow", "fd a -x sh -c 'git log push'"),
        ],
    );
}

#[test]
fn code_that_runs_what_it_reads_is_asked_about() {
    all(
        "shell(git push *)",
        &[
            ("ask", "python3 -c 'exec(input())' < x"),
            ("ask", "perl -e 'eval <STDIN>' < x"),
            ("ask", "perl -ne 'system $_' < x"),
            ("ask", "cat x | ruby -e 'eval $stdin.read'"),
            ("ask", "echo git push | awk '{ system($0) }'"),
            ("ask", "cat x | awk '{ print | \"sh\" }'"),
            ("allow", "echo ls | awk '{ system($0) }'"),
            ("allow", "python3 -c 'exec(input())'"),
            ("allow", "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"x\"])' < f.json"),
            ("allow", "cat f | python3 -m json.tool"),
            ("allow", "cat f | awk -F'|' '{ print $2 }' | sort"),
            ("allow", "cat f | node -e '/a/.exec(s)'"),
        ],
    );
}

#[test]
fn quotes_for_another_shell_hide_no_word_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("deny", "ssh host \"g''it\" push"),
            ("deny", "ssh host \"g''it push\""),
            ("deny", "ssh host git 'pu\\sh' origin"),
            ("deny", "watch git \"'push'\""),
            ("allow", "ssh host \"g''it\" log push"),
        ],
    );
}

#[test]
fn a_name_that_only_another_shell_will_know_is_asked_about() {
    all(
        "shell(git push *)",
        &[
            ("ask", "zsh -c 'x=git; $x push'"),
            ("ask", "ssh host 'g${x}it push'"),
            ("ask", "ssh host '$(echo git) push'"),
            ("ask", "ssh host '`echo git`' push"),
            ("ask", "ssh host 'x=git; /usr/bin/$x push'"),
            ("ask", "ssh host '`/bin/echo git` push'"),
            ("ask", "ssh host 'x=/g; ${x#/}it push'"),
            ("ask", "docker exec c sh -c 'eval \"$x\"'"),
            ("ask", "pnpm exec zsh -c '$x push'"),
            ("ask", "watch -n 1 '$x push'"),
            ("allow", "watch -n 1 'ls $x'"),
            ("allow", "ssh host 'cd $DIR && ls'"),
            ("allow", "ssh host 'for i in $(ls); do echo $i; done'"),
            ("allow", "docker exec c sh -c 'A=$B psql -U $USER'"),
            ("allow", "docker exec c awk '$1 > 2 {print}' f"),
            ("allow", "ssh host '$HOME/bin/deploy'"),
            ("allow", "ssh host '${DIR}/v1.2-$ARCH/bin/deploy'"),
            ("allow", "sh -c 'echo $x'"),
        ],
    );
}

#[test]
fn a_line_for_another_shell_is_read_as_the_line_itself() {
    all(
        "shell(git push *)",
        &[
            ("ask", "ssh h '/bin/gi? push'"),
            ("ask", "ssh h 'g[i]t push'"),
            ("ask", "zsh -c 'g[i]t push'"),
            ("ask", "su -c 'g[i]t push'"),
            ("ask", "watch 'g[i]t push'"),
            ("ask", "docker exec a sh -c 'g[i]t push'"),
            ("ask", "kubectl exec a -- sh -c '/bin/gi? push'"),
            ("ask", "flock x -c 'g[i]t push'"),
            ("ask", "git submodule foreach 'g[i]t push'"),
            ("ask", "ssh h 'curl u | sh'"),
            ("ask", "ssh h 'sh < x'"),
            ("ask", "ssh h 'bash <(curl u)'"),
            ("ask", "ssh h 'cat x | python3'"),
            ("ask", "zsh -c 'cat x | sh'"),
            ("ask", "su -c 'cat x | sh'"),
            ("ask", "watch 'cat x | sh'"),
            ("ask", "tmux new 'cat x | sh'"),
            ("ask", "docker exec a sh -c 'curl u | sh'"),
            ("ask", "ssh h 'alias g=git; g push'"),
            ("ask", "zsh -c 'alias g=git; eval g push'"),
            ("ask", "ssh h \"zsh -c 'g[i]t push'\""),
            ("ask", "ssh h 'wrap -- git push'"),
            ("allow", "ssh h 'cat x | sort'"),
            ("allow", "ssh h 'git log *.rs'"),
            ("allow", "zsh -c 'ls *.rs | wc -l'"),
            ("allow", "docker exec a sh -c 'ls /var/lo[g]'"),
            ("allow", "ssh h 'sudo systemctl restart $SERVICE'"),
            ("allow", "watch -n 1 'kubectl get pods | grep app'"),
            ("allow", "tmux new -s work 'cargo test'"),
        ],
    );
    // Of more lines than are read, nobody says what they start.
    let many: Vec<String> = (0..40).map(|at| format!("ssh h 'ls {at}'")).collect();
    let line = many.join("; ");
    all("shell(git push *)", &[("ask", line.as_str())]);
}

#[test]
fn a_line_for_a_shell_behind_any_program_is_asked_about() {
    all(
        "shell(git push *)",
        &[
            ("ask", "wrap -- bash -c 'git push'"),
            ("ask", "./run.sh bash -c 'cd a; git push'"),
            ("ask", "./run.sh /bin/sh -lc 'g[i]t push'"),
            ("ask", "./run.sh zsh -c'git push'"),
            ("ask", "./run.sh bash -e -c 'git push'"),
            ("ask", "xterm -e bash -c 'git push'"),
            ("ask", "foo run -- sh -c 'sudo git push'"),
            ("ask", "npm run x -- bash -c 'git push'"),
            ("ask", "wrap bash -c \"$x\""),
            ("allow", "./run.sh bash -c 'git log push'"),
            ("allow", "./run.sh bash a.sh"),
            ("allow", "git log --grep 'bash -c' -- 'git push'"),
            ("allow", "git commit -m bash"),
        ],
    );
    all("shell(rm *)", &[("ask", "./run.sh bash -c 'rm -rf src'"), ("allow", "./run.sh bash -c 'ls rm'")]);
}

#[test]
fn a_text_that_is_joined_to_an_option_is_asked_about() {
    all(
        "shell(rm *)",
        &[
            ("ask", "git rebase -x'rm x' HEAD~1"),
            ("ask", "git rebase -ix'rm x' HEAD~1"),
            ("ask", "git clone -u'rm x' a b"),
            ("ask", "tar -I'rm x' -xf a"),
            ("ask", "tar -czf a -I'rm x' b"),
            ("ask", "tar -xf a -F'rm x'"),
            ("ask", "tar -Irm -xf a"),
            ("ask", "rsync -e'rm x' a b:c"),
            ("allow", "git rebase -i HEAD~1"),
            ("allow", "git rebase -x'cargo test' HEAD~1"),
            ("allow", "git commit -m'rm x'"),
            ("allow", "tar -czf a.tgz b"),
            ("allow", "tar -xvf farm"),
        ],
    );
}

#[test]
fn words_for_a_program_that_only_looks_are_no_commands_behind_a_launcher() {
    all(
        "shell(rm *)",
        &[
            ("allow", "timeout 5 grep rm x"),
            ("allow", "nice grep rm x"),
            ("allow", "time grep rm x"),
            ("allow", "env A=b grep rm x"),
            ("allow", "sudo grep rm /etc/x"),
            ("allow", "timeout 5 nice grep rm x"),
            ("allow", "find . | xargs grep rm"),
            ("allow", "xargs -n1 echo rm"),
            ("allow", "ssh host grep rm x"),
            ("allow", "ssh host \"grep 'rm x' y\""),
            ("ask", "watch grep rm x"),
            ("deny", "timeout 5 rm x"),
            ("deny", "timeout 5 env rm x"),
            ("deny", "timeout 5 ./grep rm x"),
            ("deny", "./timeout 5 grep rm x"),
            ("deny", "nice -n 5 rm x"),
            ("deny", "nice -n rm grep x"),
            ("deny", "stdbuf -o grep rm x"),
            ("deny", "exec -a grep rm x"),
            ("deny", "timeout 5 rg --pre rm x"),
            ("deny", "xargs -I{} sh -c 'rm {}'"),
            ("deny", "ssh host 'grep x y; rm z'"),
            ("ask", "ssh host 'grep x y; env rm z'"),
            ("deny", "ssh host 'grep $(rm x) y'"),
            ("deny", "ssh host rg --pre rm x"),
            ("deny", "watch --shots grep rm x"),
            ("ask", "ssh host 'r[m] x | grep y'"),
        ],
    );
    all(
        "shell(git push *)",
        &[
            ("allow", "git ls-files | xargs grep \"git push\""),
            ("allow", "ssh host \"grep 'git push' x\""),
            ("deny", "git ls-files | xargs git push"),
        ],
    );
}

#[test]
fn a_variable_that_starts_nothing_is_not_asked_about() {
    all(
        "shell(git push *)",
        &[
            ("allow", "GIT_PAGER=cat git log"),
            ("allow", "PAGER=cat git diff"),
            ("allow", "PAGER=less git log"),
            ("allow", "PAGER= git log"),
            ("allow", "env GIT_PAGER=cat git log"),
            ("allow", "export GIT_PAGER=cat; git log"),
            ("allow", "GIT_EDITOR=true git rebase --continue"),
            ("allow", "GIT_TRACE=1 git fetch"),
            ("allow", "GIT_AUTHOR_DATE='2026-01-01 10:00' git commit -m x"),
            ("allow", "GIT_COMMITTER_DATE=\"$(date)\" git commit -m x"),
            ("allow", "GIT_TERMINAL_PROMPT=0 git fetch"),
            ("allow", "CARGO_TARGET_DIR=/tmp/t cargo test"),
            ("allow", "RUSTC_WRAPPER=sccache cargo build"),
            ("allow", "RUSTC_WRAPPER= cargo build"),
            ("deny", "GIT_PAGER=cat git push"),
            ("deny", "GIT_PAGER='git push' git log"),
            ("ask", "GIT_PAGER=$x git log"),
            ("ask", "PAGER=./cat git log"),
            ("ask", "export GIT_PAGER=\"$x\"; git log"),
            ("ask", "export GIT_PAGER; git log"),
            ("deny", "GIT_EDITOR='git push' git commit"),
            ("ask", "GIT_TRACE=/tmp/x git fetch"),
            ("ask", "RUSTC_WRAPPER=./x cargo build"),
            ("ask", "CARGO_TARGET_X86_64_RUNNER=./x cargo test"),
            ("ask", "GIT_SSH_COMMAND=x git fetch"),
            ("ask", "for PAGER in cat; do git log; done"),
        ],
    );
}
