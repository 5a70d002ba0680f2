#!/usr/bin/env bash
# Makes every package that this machine can make of a built program, and tries each: packaging/check.sh PROGRAM
# What cannot be tried here is named. With root and debootstrap, the Debian package is installed in a clean system.
set -euo pipefail
program="$(realpath "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT
missed=0
ok() { printf 'ok       %s\n' "$*"; }
missing() { printf 'NOT TRIED %s\n' "$*"; missed=$((missed + 1)); }
wrong() { printf 'WRONG    %s\n' "$*" >&2; exit 1; }

said="$("$program" --version)"
[[ "$said" =~ ^countersign\ [0-9]+\.[0-9]+\.[0-9]+ ]] || wrong "--version says $said"
ok "--version: $said"

# Pages and completions, from the definitions of the arguments.
mkdir "$out/man"
"$program" man --dir "$out/man" >/dev/null
for page in countersign countersign-exec countersign-sessions countersign-config; do
  [[ -s "$out/man/$page.1" ]] || wrong "there is no page $page.1"
done
if command -v man >/dev/null; then
  for page in "$out"/man/*.1; do
    warnings="$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings=w -E UTF-8 -l "$page" 2>&1 >/dev/null)"
    [[ -z "$warnings" ]] || wrong "$page: $warnings"
  done
  ok "$(find "$out/man" -name '*.1' | wc -l) man pages, without a warning"
else
  missing 'man pages: there is no man'
fi
for shell in bash zsh fish; do
  "$program" completions "$shell" > "$out/completions.$shell"
  if ! command -v "$shell" >/dev/null; then
    missing "completions of $shell: it is not installed"
  elif [[ "$shell" == bash ]]; then
    bash -c "source '$out/completions.bash' && complete -p countersign" >/dev/null || wrong 'completions of bash'
    ok 'completions of bash'
  else
    "$shell" -n "$out/completions.$shell" || wrong "completions of $shell"
    ok "completions of $shell"
  fi
done

# A program that runs elsewhere.
libc="$(packaging/glibc.sh "$program")"
if [[ -z "$libc" ]]; then
  ok 'it is linked statically'
else
  others="$(objdump -p "$program" | awk '/NEEDED/ {print $2}' | grep -vE '^(libc|libm|libgcc_s|ld-linux.*)\.so' || true)"
  [[ -z "$others" ]] || wrong "it needs libraries that not every system has: $others"
  ok "it needs glibc $libc or newer, and no other library"
fi

# The archive of a release: the same bytes each time, and it says what the program says.
archive="$(packaging/archive.sh "$program" x86_64-unknown-linux-gnu "$out")"
first="$(sha256sum < "$archive")"
packaging/archive.sh "$program" x86_64-unknown-linux-gnu "$out" >/dev/null
[[ "$first" == "$(sha256sum < "$archive")" ]] || wrong 'the archive has other bytes each time'
tar -xzf "$archive" -C "$out"
[[ "$("${archive%.tar.gz}/countersign" --version)" == "$said" ]] || wrong 'the program in the archive'
(cd "$out" && sha256sum --check --quiet ./*.sha256) || wrong 'the sum of the archive'
ok 'the archive, with its sum'

# The formula, with sums as a release has them.
version="$(cut -d' ' -f2 <<< "$said")"
for target in aarch64-apple-darwin x86_64-apple-darwin aarch64-unknown-linux-musl x86_64-unknown-linux-musl; do
  cp "$archive.sha256" "$out/countersign-$version-$target.tar.gz.sha256"
done
packaging/formula.sh https://packages.example/countersign "$version" "$out" > "$out/countersign.rb"
! grep -q '@' "$out/countersign.rb" || wrong 'the formula has an empty place'
if command -v ruby >/dev/null; then ruby -c "$out/countersign.rb" >/dev/null && ok 'the formula is Ruby'; else missing 'the formula: there is no ruby'; fi
if command -v brew >/dev/null && command -v python3 >/dev/null && [[ "$(uname -s)" == Linux ]]; then
  release="$(packaging/archive.sh "$program" "$(uname -m)-unknown-linux-musl" "$out")"
  status=0
  packaging/brew.sh "$release" >"$out/brew.log" 2>&1 || status=$?
  if [[ "$status" == 0 ]]; then
    ok 'the formula by brew itself, from a server on this machine: installed, used, removed'
    while read -r what; do missing "${what#NOT TRIED }"; done < <(grep '^NOT TRIED' "$out/brew.log")
  elif [[ "$status" == 3 ]]; then
    missing "the formula by brew itself: $(tail -1 "$out/brew.log")"
  else
    cat "$out/brew.log" >&2
    wrong 'brew'
  fi
else
  missing 'the formula by brew itself: it is not installed'
fi

# A release, as cargo binstall takes it.
if command -v cargo-binstall >/dev/null && command -v python3 >/dev/null && [[ "$(uname -sm)" == 'Linux x86_64' ]]; then
  mkdir "$out/binstalled"
  release="$(packaging/archive.sh "$program" x86_64-unknown-linux-musl "$out")"
  packaging/binstall.sh "$release" "$out/binstalled" >"$out/binstall.log" 2>&1 || { cat "$out/binstall.log" >&2; wrong 'cargo binstall'; }
  [[ "$("$out/binstalled/countersign" --version)" == "$said" ]] || wrong 'the program that cargo binstall installs'
  ok 'cargo binstall, from a server on this machine'
else
  missing 'cargo binstall: it is not installed'
fi

# The Debian package.
if command -v dpkg-deb >/dev/null; then
  packaging/deb.sh "$program" "$out" >/dev/null
  package="$(echo "$out"/*.deb)"
  # The program ran here, so the package is one for this machine; its name says so, and a release has one of each architecture.
  here="$(dpkg --print-architecture)"
  [[ "$(dpkg-deb --field "$package" Architecture)" == "$here" ]] || wrong "the package is not for $here"
  [[ "$package" == *"_$here.deb" ]] || wrong "the name of the package does not say $here: $(basename "$package")"
  # Not into a pipe: grep would close it at the first match, and dpkg-deb would fail.
  contents="$(dpkg-deb --contents "$package")"
  grep -q 'usr/share/man/man1/countersign.1.gz' <<< "$contents" || wrong 'the package has no page'
  if [[ "$(id -u)" == 0 ]] && command -v debootstrap >/dev/null; then
    root="$out/root"
    debootstrap --variant=minbase "${SUITE:-bookworm}" "$root" ${MIRROR:+"$MIRROR"} >"$out/debootstrap.log" 2>&1 || { tail -5 "$out/debootstrap.log" >&2; wrong 'debootstrap'; }
    cp "$package" "$root/tmp/countersign.deb"
    chroot "$root" dpkg --install /tmp/countersign.deb >/dev/null
    [[ "$(chroot "$root" countersign --version)" == "$said" ]] || wrong 'the installed program'
    chroot "$root" useradd --create-home one
    answer="$(chroot "$root" su one -c 'cd && echo "a line" > notes.txt && countersign exec -m rehearsal "read notes.txt"')"
    grep -q 'a line' <<< "$answer" || wrong "the installed program answered: $answer"
    chroot "$root" dpkg --remove countersign >/dev/null
    ok 'the Debian package: installed in a clean system, used there by a user, removed'
  else
    dpkg-deb --extract "$package" "$out/extracted"
    [[ "$("$out/extracted/usr/bin/countersign" --version)" == "$said" ]] || wrong 'the program in the package'
    missing 'the Debian package in a clean system: this needs root and debootstrap; its program runs'
  fi
else
  missing 'the Debian package: there is no dpkg-deb'
fi

# The image. LOCAL_BASES=1 makes the images that it begins with from packages, where they cannot be fetched.
if command -v buildah >/dev/null; then
  fetch=(--pull)
  if [[ -n "${LOCAL_BASES:-}" ]]; then
    packaging/local_bases.sh >/dev/null || wrong 'the images that it begins with'
    fetch=(--pull-never --network host)
  fi
  # In a folder instead of a container: that works inside of containers and virtual machines, too.
  folder=(--isolation chroot)
  # The image gets no repository, so that it is told the commit; an archive of the sources has none.
  commit="$(git rev-parse --verify --quiet HEAD || true)"
  buildah build --quiet "${folder[@]}" "${fetch[@]}" --build-arg "COMMIT=$commit" --file packaging/Containerfile --tag countersign-check . >/dev/null
  container="$(buildah from --pull-never countersign-check)"
  trap 'rm -rf "$out"; buildah rm "$container" >/dev/null' EXIT
  mkdir "$out/mounted"
  echo 'a line' > "$out/mounted/notes.txt"
  chown 1000 "$out/mounted"
  in_image=(buildah run "${folder[@]}" --volume "$out/mounted:/work" "$container" -- countersign)
  in_image_said="$("${in_image[@]}" --version)"
  [[ "$in_image_said" == countersign* ]] || wrong 'the program in the image'
  [[ -z "$commit" || "$in_image_said" == *"(${commit:0:12})"* ]] || wrong "the program in the image does not name the commit ${commit:0:12}: $in_image_said"
  answer="$("${in_image[@]}" exec -m rehearsal 'read notes.txt')"
  grep -q 'a line' <<< "$answer" || wrong "the program in the image answered: $answer"
  ok 'the image: built, and used by its user'
else
  missing 'the image: there is no buildah'
fi
printf '\nevery package that could be tried here is right; not tried: %d\n' "$missed"
