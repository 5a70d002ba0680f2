#!/usr/bin/env bash
# Makes a Debian package of a built program: packaging/deb.sh PROGRAM FOLDER
# The package needs no more than libc6 and libgcc-s1; which libc6 is read off the program. A static program needs neither.
set -euo pipefail
program="$(realpath "$1")" out="$(realpath "$2")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version="$("$program" --version | cut -d' ' -f2)"
# Read off the program (e_machine of its ELF header), not asked of the machine: it may run programs of another architecture.
case "$(od -An -tx1 -j18 -N2 "$program" | tr -d ' ')" in
  3e00) architecture=amd64 ;;
  b700) architecture=arm64 ;;
  *) printf 'this is not a program for amd64 or arm64: %s\n' "$program" >&2; exit 1 ;;
esac
libc="$(packaging/glibc.sh "$program")"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
install -Dm755 "$program" "$root/usr/bin/countersign"
install -Dm644 README.md "$root/usr/share/doc/countersign/README.md"
install -Dm644 CHANGELOG.md "$root/usr/share/doc/countersign/changelog"
gzip -9n "$root/usr/share/doc/countersign/changelog"
cat LICENSE-MIT LICENSE-APACHE | install -Dm644 /dev/stdin "$root/usr/share/doc/countersign/copyright"
mkdir -p "$root/usr/share/man/man1"
"$program" man --dir "$root/usr/share/man/man1" >/dev/null
gzip -9n "$root"/usr/share/man/man1/*.1
"$program" completions bash | install -Dm644 /dev/stdin "$root/usr/share/bash-completion/completions/countersign"
"$program" completions zsh | install -Dm644 /dev/stdin "$root/usr/share/zsh/vendor-completions/_countersign"
"$program" completions fish | install -Dm644 /dev/stdin "$root/usr/share/fish/vendor_completions.d/countersign.fish"
install -d "$root/DEBIAN"
cat > "$root/DEBIAN/control" <<CONTROL
Package: countersign
Version: $version
Architecture: $architecture
Maintainer: ${MAINTAINER:-the countersign authors <countersign@localhost>}
Installed-Size: $(du -sk "$root" | cut -f1)
${libc:+Depends: libc6 (>= $libc), libgcc-s1
}Recommends: git, ca-certificates
Section: devel
Priority: optional
Description: terminal AI agent that keeps its books
 It proposes, you countersign: every call of a tool waits for a decision, every
 decision and every result is an entry of a ledger, and the Linux kernel holds
 commands to what they may touch.
CONTROL
dpkg-deb --root-owner-group --build "$root" "$out/countersign_${version}_$architecture.deb"
