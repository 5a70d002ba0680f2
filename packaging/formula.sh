#!/usr/bin/env bash
# Prints the Homebrew formula of a release: packaging/formula.sh HOMEPAGE VERSION FOLDER, with the sums of the archives in FOLDER.
# An archive that is not there is an error: a formula with a wrong sum installs nothing.
set -euo pipefail
homepage="$1" version="$2" folder="$3"
formula="$(cat "$(dirname "${BASH_SOURCE[0]}")/countersign.rb")"
formula="${formula//@HOMEPAGE@/$homepage}"
formula="${formula//@VERSION@/$version}"
for target in aarch64-apple-darwin x86_64-apple-darwin aarch64-unknown-linux-musl x86_64-unknown-linux-musl; do
  sum="$(cut -d' ' -f1 "$folder/countersign-$version-$target.tar.gz.sha256")"
  formula="${formula//@SHA256_$target@/$sum}"
done
printf '%s\n' "$formula" | sed '1d'
