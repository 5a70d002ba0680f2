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

is_old() {
  case $(ask_git --version)' ' in
    'git version '[01].*|'git version 2.'[0-9][!0-9]*|'git version 2.'[12][0-9][!0-9]*) true ;;
    'git version 2.3'[01][!0-9]*) true ;;
    *) false ;;
  esac
}

# Whether a commit takes the message that a merge, a revert or a cherry-pick left, and is made: no word gives it another one, or only asks what
# it would be.
takes_what_was_left() {
  for countersign_word in "$@"; do
    case $countersign_word in
      --) return 0 ;;
      --m*|--f*|--reu*|--ree*|--sq*|--am*|--d*|--sh*|--po*|--lo*|--nu*) return 1 ;;
      --*) ;;
      -[mFCcz]*|-[aesqvnpio][mFCcz]*|-[aesqvnpio][aesqvnpio][mFCcz]*|-[aesqvnpio][aesqvnpio][aesqvnpio][mFCcz]*) return 1 ;;
    esac
  done
  return 0
}

# For an editor, git leaves lines behind its line with scissors after a conflict. An editor would cut them off, and this commit may open none:
# it gets what git leaves without one. Only what git itself wrote goes: from the scissors to the first line of only a #, where all that follows
# are remarks. All of it comes back if there is no commit after all.
countersign_message='' countersign_left='' countersign_cut=''
cut_what_was_left() {
  countersign_found=$(eval "ask_git $countersign_before rev-parse --path-format=absolute --git-path MERGE_MSG")
  [ -f "$countersign_found" ] || return 0
  countersign_place=${countersign_found%/*}
  [ -e "$countersign_place/MERGE_HEAD" ] || [ -e "$countersign_place/CHERRY_PICK_HEAD" ] ||
    [ -e "$countersign_place/REVERT_HEAD" ] || return 0
  # What follows the end keeps the newlines before it.
  countersign_left=$(cat "$countersign_found" && echo .) || return 0
  countersign_cut=$(awk '{ line[NR] = $0; if ($0 ~ /^# -+ >8 -+$/) from = NR }
    END {
      to = from + 1
      while (from && line[to] ~ /^# /) to++
      is_gits = from && line[to] == "#"
      for (at = to + 1; at <= NR; at++) if (line[at] !~ /^#/) is_gits = 0
      if (!is_gits) exit 1
      for (at = 1; at <= NR; at++) if (at < from || at > to) print line[at]
    }' "$countersign_found" && echo .) || return 0
  countersign_message=$countersign_found
  printf '%s' "${countersign_cut%.}" > "$countersign_message"
}

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
      if is_old; then
        echo 'countersign: this commit does not name its call: git before 2.32 knows no --trailer' >&2
        keep commit
        break
      fi
      if takes_what_was_left "$@" && ! has_own_cleanup; then cut_what_was_left; fi
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
[ -n "$countersign_message" ] || eval "exec git $countersign_before \"\$@\""
eval "git $countersign_before \"\$@\""
countersign_status=$?
if [ "$countersign_status" -ne 0 ] && [ "$(cat "$countersign_message" 2>/dev/null && echo .)" = "$countersign_cut" ]; then
  printf '%s' "${countersign_left%.}" > "$countersign_message"
fi
exit "$countersign_status"
