//! Other ways to write what a rule denies.

use super::files::decide;

/// Each line with what comes of it.
fn all(denied: &str, lines: &[(&str, &str)]) {
    for (expected, line) in lines {
        assert_eq!(decide(denied, line), *expected, "{denied}: {line}");
    }
}

#[test]
fn no_alias_of_git_hides_a_subcommand_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("deny", "git -c alias.x=push x origin HEAD:refs/heads/aliased"),
            ("deny", "git -c 'alias.x=push -f' x origin"),
            ("deny", "git -C sub -c 'Alias.x=--no-pager push' x"),
            ("deny", "git send-pack origin HEAD"),
            ("deny", "git-push origin"),
            ("deny", "git config alias.p push && git push"),
            ("ask", "git config alias.p push"),
            ("ask", "git config --global Alias.p 'push -f'"),
            ("ask", "git p origin"),
            ("ask", "git -C sub --no-pager p origin"),
            ("ask", "git --config-env=alias.x=V x"),
            ("ask", "git --config-env alias.x=V x"),
            ("ask", "git -c \"$x\" status"),
            ("ask", "git subtree push --prefix=a origin b"),
            ("ask", "watch git p"),
            ("ask", "watch 'git p'"),
            ("allow", "git -C sub status"),
            ("allow", "git -c user.name=me commit -m 'alias.x y'"),
            ("allow", "git config user.name me"),
            ("allow", "git config --get alias.p"),
            ("allow", "git check-ignore x"),
            ("allow", "git fetch"),
            ("allow", "git"),
            ("allow", "rg git src"),
        ],
    );
    // Where no rule is about git, its aliases are nobody's concern.
    for denied in ["shell(rm *)", "shell(gitk *)"] {
        all(denied, &[("allow", "git p origin"), ("allow", "git config alias.p push")]);
    }
}

#[test]
fn what_a_program_starts_by_an_option_or_a_subcommand_is_denied() {
    all(
        "shell(rm *)",
        &[
            ("deny", "pnpm exec rm -rf x"),
            ("deny", "npm exec -c 'rm -rf x'"),
            ("deny", "npm --prefix a exec -- rm x"),
            ("deny", "bundle exec rm x"),
            ("deny", "yarn exec rm x"),
            ("deny", "rg --pre rm x ."),
            ("deny", "go test -exec rm ./..."),
            ("deny", "go test --exec='rm -f' ./..."),
            ("deny", "fd -x rm"),
            ("deny", "fd -Hx rm"),
            ("deny", "sort --compress-program=rm x"),
            ("deny", "watchexec rm x"),
            ("deny", "nodemon --exec 'rm x'"),
            ("deny", "just --command rm x"),
            ("deny", "java -XX:OnError='rm x' A"),
            ("ask", "npm exec \"$x\""),
            // What would be found, sorted or built is started by nobody.
            ("allow", "rg rm src"),
            ("allow", "rg 'rm -rf' src"),
            ("allow", "rg --pretty rm"),
            ("allow", "sort rm"),
            ("allow", "fd rm"),
            ("allow", "fd -tx rm"),
            ("allow", "go test ./... rm"),
            ("allow", "npm run build rm"),
            ("allow", "npm test"),
            ("allow", "npm exec eslint src"),
            ("allow", "just rm"),
            ("allow", "java -jar rm"),
        ],
    );
}

#[test]
fn a_text_for_a_program_that_runs_its_input_is_asked_about() {
    all(
        "shell(rm *)",
        &[
            ("ask", "make -f /dev/stdin <<< 'all:; rm x'"),
            ("ask", "make -f - <<E\nall:\n\trm x\nE"),
            ("ask", "env A=b python3 - <<'E'\nimport os; os.system('rm x')\nE"),
            ("ask", "bash /dev/stdin <<< 'rm x'"),
            ("ask", "{ python3 -; } <<< 'os.system(\"rm x\")'"),
            ("allow", "python3 - <<'E'\nprint(1)\nE"),
            ("allow", "python3 - <<< \"$x\""),
            ("allow", "cat <<< 'rm x'"),
            ("allow", "cat > build.sh <<'E'\nrm x\nE\nmake all"),
            ("allow", "git commit -F - <<'E'\nrm x\nE"),
        ],
    );
}

#[test]
fn options_in_another_order_or_spelling_are_asked_about() {
    all(
        "shell(rm -rf *)",
        &[
            ("deny", "rm -rf x"),
            ("ask", "rm -fr x"),
            ("ask", "rm -r -f x"),
            ("ask", "rm x -r -f"),
            ("ask", "rm --recursive --force x"),
            ("ask", "sudo rm -fr x"),
            ("ask", "watch 'rm -fr x'"),
            ("ask", "find . -exec rm -fr {} +"),
            ("allow", "rm -r x"),
            ("allow", "rm -f x"),
            ("allow", "rm x"),
            // On the safe side: what is behind `--` is a name here.
            ("ask", "rm -- -fr"),
            ("allow", "ls -fr"),
        ],
    );
    all(
        "shell(rm -rf*)",
        &[
            ("deny", "rm -rf x"),
            ("ask", "rm -fr x"),
            ("ask", "rm -r -f x"),
            ("ask", "rm --recursive --force x"),
            ("allow", "rm -r x"),
            ("allow", "rm x"),
        ],
    );
    all(
        "shell(git push --force *)",
        &[
            ("deny", "git push --force origin"),
            ("ask", "git push origin main --force"),
            ("ask", "git push -f origin main"),
            ("ask", "git -C sub push -f"),
            ("ask", "git push origin +main"),
            ("allow", "git push origin main"),
            ("allow", "git push --force-with-lease"),
            ("allow", "git fetch -f"),
        ],
    );
}
