#!/usr/bin/env bash
# Makes the archive of a release: packaging/archive.sh PROGRAM TARGET FOLDER. The same input gives the same bytes.
set -euo pipefail
program="$(realpath "$1")" target="$2" out="$(realpath "$3")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version="$("$program" --version | cut -d' ' -f2)"
name="countersign-$version-$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/man" "$work/$name/completions"
install -m755 "$program" "$work/$name/countersign"
install -m644 README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$work/$name/"
"$program" man --dir "$work/$name/man" >/dev/null
"$program" completions bash > "$work/$name/completions/countersign.bash"
"$program" completions zsh > "$work/$name/completions/_countersign"
"$program" completions fish > "$work/$name/completions/countersign.fish"
date="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -C "$work" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
printf '%s\n' "$out/$name.tar.gz"
