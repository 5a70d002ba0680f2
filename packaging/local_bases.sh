#!/usr/bin/env bash
# Makes the two images that packaging/Containerfile begins with, for a machine that cannot fetch them: packaging/local_bases.sh
# Debian comes from its packages, by debootstrap; Rust is the toolchain of this machine. Needs root, debootstrap and podman.
set -euo pipefail
suite=bookworm
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
toolchain="$(rustc --print sysroot)"
# The names stand only in the file.
file="$(dirname "${BASH_SOURCE[0]}")/Containerfile"
debian="$(awk '/^FROM .*\/debian:/ {print $2}' "$file")"
rust="$(awk '/^FROM .*\/rust:/ {print $2}' "$file")"

root="$work/root"
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" ${MIRROR:+"$MIRROR"} >/dev/null
# A machine may trust authorities of its own on its way to the packages.
cp "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/certs/ca-certificates.crt"
tar -C "$root" --one-file-system -c . | podman import --quiet - "$debian" >/dev/null
printf '%s\n' "$debian"

chroot "$root" apt-get install --yes --no-install-recommends gcc libc6-dev >/dev/null 2>&1
mkdir -p "$root/usr/local/rust"
cp -a "$toolchain/." "$root/usr/local/rust"
rm -rf "$root/usr/local/rust/share/doc"
tar -C "$root" --one-file-system -c . |
  podman import --quiet --change 'ENV PATH=/usr/local/rust/bin:/usr/local/bin:/usr/bin:/bin' - "$rust" >/dev/null
printf '%s\n' "$rust"
