#!/bin/sh
# Stands before git on the PATH of a command and adds a trailer to each commit that the command makes (see trailers.rs).
# Each word goes from the front to the back, and the trailer behind the word `commit`, if that is the verb. The other verbs know no
# trailers: an editor adds it to their message, where nobody has named another one. A revert or a cherry-pick that goes on opens none
# unless it is asked to, and a merge that goes on takes no other word. A list of steps of a rebase is no message: the editor refuses it.

# What git starts itself finds git first, so that nothing gets the trailer of this twice.
here=${0%/*}
path=:$PATH:
while case $path in *":$here:"*) true ;; *) false ;; esac; do
  path=${path%%":$here:"*}:${path#*":$here:"}
done
path=${path#:}
PATH=${path%:}

words() { echo $#; }

# What git makes of a name that is none of its own commands: only plain words, as nothing of a configuration may be read as a line.
# The words that are still to come stand first in "$@", behind them those of git itself: `-C folder` and the like.
alias_of() (
  name=$1 count=$2
  shift 2
  while [ "$count" -gt 0 ]; do shift; count=$((count - 1)); done
  alias=$(git "$@" config --get "alias.$name") || exit 0
  case $alias in ''|*[!A-Za-z0-9\ _=.,:/@%+-]*) exit 0 ;; esac
  git --list-cmds=main,others,nohelpers | grep -qxF -e "$name" || echo "$alias"
)

edit=--edit goes_on='' is_short=''
look_at() {
  for word in "$@"; do
    case $word in
      --continue) goes_on=yes ;;
      --abort|--quit|--skip|--squash|--no-commit) edit='' ;;
      -n) is_short=yes ;;
    esac
  done
}

count=$# verb='' skips='' aliases=0
look_at "$@"
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  if [ "$verb" = edited ] && [ "$word" = --no-edit ]; then continue; fi
  if [ -n "$verb" ] || [ -n "$skips" ]; then
    skips=''
    set -- "$@" "$word"
    continue
  fi
  case $word in
    -C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)
      skips=1
      set -- "$@" "$word"
      ;;
    -*) set -- "$@" "$word" ;;
    commit)
      verb=commit
      set -- "$@" "$word" --trailer 'Countersigned-by: TRAILER'
      ;;
    merge|revert|cherry-pick|pull)
      set -- "$@" "$word"
      case $word in
        merge|pull) [ -z "$goes_on" ] || edit='' ;;
        *) [ -z "$is_short" ] || edit='' ;;
      esac
      verb=other
      case ${GIT_EDITOR:-true} in
        true|:)
          verb=edited
          set -- "$@" ${edit:+"$edit"}
          export GIT_EDITOR="sh -c 'case \$1 in *git-rebase-todo) exit 1 ;; esac
git interpret-trailers --in-place --trailer \"Countersigned-by: TRAILER\" \"\$1\"' editor"
          ;;
      esac
      ;;
    *)
      alias=$(alias_of "$word" "$count" "$@")
      aliases=$((aliases + 1))
      if [ -n "$alias" ] && [ "$aliases" -lt 9 ]; then
        # Its characters are plain: only the spaces part it.
        # shellcheck disable=SC2086
        {
          look_at $alias
          count=$((count + $(words $alias)))
          set -- $alias "$@"
        }
      else
        verb=other
        set -- "$@" "$word"
      fi
      ;;
  esac
done
exec git "$@"
