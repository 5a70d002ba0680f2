#!/bin/sh
# Stands before git on the PATH of a command and adds a trailer to each commit that the command makes (see trailers.rs).
# `git commit` is given the trailer. The other verbs know no trailers: an editor adds it to their message, where nobody has named another
# one. A revert or a cherry-pick that goes on opens none unless it is asked to, and a merge that goes on takes no other word. A list of
# steps of a rebase is no message: the editor refuses it.
# All its variables begin with countersign_: what the command has exported stays what it is for those that git starts.

# What git starts itself finds git first, so that nothing gets a trailer twice.
countersign_here=${0%/*}
countersign_path=:$PATH:
while case $countersign_path in *":$countersign_here:"*) true ;; *) false ;; esac; do
  countersign_path=${countersign_path%%":$countersign_here:"*}:${countersign_path#*":$countersign_here:"}
done
countersign_path=${countersign_path#:}
PATH=${countersign_path%:}

# Somebody else has kept the place of this program.
[ -n "${COUNTERSIGN_TRAILER-}" ] || exec git "$@"

# Asked beside the command: nothing of it is seen.
ask_git() { GIT_TRACE=0 GIT_TRACE2=0 GIT_TRACE_SETUP=0 git "$@" 2>/dev/null; }

# What git makes of a name that is none of its own commands: only plain words, as nothing of a configuration may be read as a line.
alias_of() {
  countersign_alias=$(eval "ask_git $countersign_before config --get \"alias.\$1\"") || return 0
  case $countersign_alias in ''|*[!A-Za-z0-9\ _=.,:/@%+-]*) return 0 ;; esac
  ask_git --list-cmds=main,others,nohelpers | grep -qxF -e "$1" || echo "$countersign_alias"
}

# An editor that the command asks for is its own.
countersign_edit=--edit countersign_goes_on='' countersign_is_short='' countersign_own='' countersign_ff=''
look_at() {
  for countersign_word in "$@"; do
    case $countersign_word in
      --continue) countersign_goes_on=yes ;;
      --abort|--quit|--skip|--squash|--no-commit) countersign_edit='' ;;
      --ff) countersign_ff=yes ;;
      -e|--edit) countersign_own=yes ;;
      -n) countersign_is_short=yes ;;
    esac
  done
}

# The words before the verb, each in a variable of its own; the list of these variables is a line of the shell. What stands behind the verb
# may be thousands of words, and is moved once.
countersign_before='' countersign_number=0
keep() {
  countersign_number=$((countersign_number + 1))
  eval "countersign_word_$countersign_number=\$1"
  countersign_before="$countersign_before \"\$countersign_word_$countersign_number\""
}

has_own_cleanup() { [ -n "$(eval "ask_git $countersign_before config --get commit.cleanup")" ]; }

countersign_aliases=0
while [ $# -gt 0 ]; do
  countersign_verb=$1
  shift
  case $countersign_verb in
    -C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)
      keep "$countersign_verb"
      [ $# -eq 0 ] || { keep "$1"; shift; }
      continue
      ;;
    -*)
      keep "$countersign_verb"
      continue
      ;;
    commit|merge|revert|cherry-pick|pull)
      # A page of help is asked for with the words as they are.
      case ${1-} in --help|-h) keep "$countersign_verb"; break ;; esac
      ;;
  esac
  case $countersign_verb in
    commit)
      # What a conflict left for an editor, which would cut it off, is what git leaves without one: this commit may open none.
      countersign_message=$(eval "ask_git $countersign_before rev-parse --path-format=absolute --git-path MERGE_MSG")
      if [ -f "$countersign_message" ] && ! has_own_cleanup; then
        sed -i '/^# -* >8 -*$/,/^#$/d' "$countersign_message"
      fi
      keep commit
      keep --trailer
      keep "Countersigned-by: $COUNTERSIGN_TRAILER"
      break
      ;;
    merge|revert|cherry-pick|pull)
      look_at "$@"
      case $countersign_verb in
        merge|pull) [ -z "$countersign_goes_on" ] || countersign_edit='' ;;
        # One that may be a fast-forward takes no editor.
        *) [ -z "$countersign_is_short$countersign_ff" ] || countersign_edit='' ;;
      esac
      case $countersign_own${GIT_EDITOR:-true} in
        true|:)
          # Without an editor, lines that begin with # belong to the message. With one they would be remarks, and be lost.
          has_own_cleanup || { keep -c; keep commit.cleanup=scissors; }
          export GIT_EDITOR="sh -c 'case \$1 in *git-rebase-todo) exit 1 ;; esac
git interpret-trailers --in-place --no-divider --trailer \"Countersigned-by: \$COUNTERSIGN_TRAILER\" \"\$1\"' editor"
          keep "$countersign_verb"
          [ -z "$countersign_edit" ] || keep "$countersign_edit"
          for countersign_word in "$@"; do
            shift
            [ "$countersign_word" = --no-edit ] || set -- "$@" "$countersign_word"
          done
          ;;
        *) keep "$countersign_verb" ;;
      esac
      break
      ;;
    *)
      countersign_found=$(alias_of "$countersign_verb")
      countersign_aliases=$((countersign_aliases + 1))
      if [ -z "$countersign_found" ] || [ "$countersign_aliases" -gt 8 ]; then
        keep "$countersign_verb"
        break
      fi
      # Its characters are plain: only the spaces part it.
      # shellcheck disable=SC2086
      set -- $countersign_found "$@"
      ;;
  esac
done
eval "exec git $countersign_before \"\$@\""
