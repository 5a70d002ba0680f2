#!/usr/bin/env bash
# Installs, uses, tests and removes a release with Homebrew, by our formula, from a server on this machine: packaging/brew.sh ARCHIVE.
# ARCHIVE is the one for this machine, with its sum beside it. brew does not run as root: root runs it as BREW_USER, or as its owner.
# Where brew cannot be used at all, the last line says why, with status 3. A command that brew lacks something for is named as NOT TRIED.
set -euo pipefail
archive="$(realpath "$1")"
here="$(realpath "$(dirname "${BASH_SOURCE[0]}")")"
targets=(aarch64-apple-darwin x86_64-apple-darwin aarch64-unknown-linux-musl x86_64-unknown-linux-musl)
wrong() { printf 'WRONG %s\n' "$*" >&2; exit 1; }
unusable() { printf '%s\n' "$*" >&2; exit 3; }

name="$(basename "$archive" .tar.gz)" version=
for target in "${targets[@]}"; do
  [[ "$name" != countersign-*-"$target" ]] || { version="${name#countersign-}"; version="${version%-"$target"}"; }
done
[[ -n "$version" ]] || wrong "$name.tar.gz is not the archive of a target of the formula"

command -v brew >/dev/null || unusable 'there is no brew'
work="$(mktemp -d)"
server='' installed='' taps=''
cleanup() {
  [[ -z "$server" ]] || kill "$server"
  [[ -z "$installed" ]] || run uninstall --formula --force countersign >/dev/null 2>&1 || true
  [[ -z "$taps" ]] || rm -rf "$taps/countersign-trial"
  cd /
  rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"
mkdir -p "$work/home" "$work/archive" "$work/served/releases/download/v$version"

# What brew downloads and remembers for a user goes into a home of its own, and our server is reached without a proxy.
# HOMEBREW_DEVELOPER: else brew would remember for ever that it ran `brew test`.
as=()
if [[ "$(id -u)" == 0 ]]; then
  user="${BREW_USER:-$(stat -c %U "$(realpath "$(command -v brew)")")}"
  [[ "$user" != root ]] || unusable 'brew does not run as root: name a user in BREW_USER'
  chown "$user" "$work/home"
  as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --init-groups)
fi
local_too="127.0.0.1${no_proxy:+,$no_proxy}"
as+=(env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME "HOME=$work/home" "no_proxy=$local_too" "NO_PROXY=$local_too"
  HOMEBREW_NO_AUTO_UPDATE=1 HOMEBREW_NO_ANALYTICS=1 HOMEBREW_NO_ENV_HINTS=1 HOMEBREW_NO_INSTALL_CLEANUP=1 HOMEBREW_NO_COLOR=1
  HOMEBREW_DEVELOPER=1)
run() { "${as[@]}" brew "$@"; }
cd "$work/home"

prefix="$(run --prefix)" cellar="$(run --cellar)"
[[ ! -e "$cellar/countersign" ]] || unusable 'brew has a countersign already, and would remove it'

cp "$archive" "$work/served/releases/download/v$version/"
tar -xzf "$archive" -C "$work/archive" --strip-components=1
for target in "${targets[@]}"; do cp "$archive.sha256" "$work/countersign-$version-$target.tar.gz.sha256"; done
python3 - "$work" <<'PYTHON' &
import functools, http.server, os, sys
work = sys.argv[1]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=work + "/served")
handler.func.log_message = lambda *_: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
server.handle_error = lambda *_: None
with open(work + "/port.new", "w") as port:
    port.write(str(server.server_port))
os.rename(work + "/port.new", work + "/port")
server.serve_forever()
PYTHON
server=$!
until [[ -s "$work/port" ]]; do kill -0 "$server"; sleep 0.1; done

taps="$(run --repository)/Library/Taps"
formula=countersign-trial/tap/countersign
"${as[@]}" mkdir -p "$taps/countersign-trial/homebrew-tap/Formula"
"$here/formula.sh" "http://127.0.0.1:$(cat "$work/port")" "$version" "$work" |
  "${as[@]}" tee "$taps/countersign-trial/homebrew-tap/Formula/countersign.rb" >/dev/null

# Installed, everything is where the shells and man look for it.
installed=yes
if ! run install --formula "$formula" >"$work/log" 2>&1; then
  cat "$work/log" >&2
  ! grep -q 'Could not resolve host' "$work/log" || unusable 'brew did not reach its own list of formulae'
  ! grep -qE 'built from source|No developer tools installed' "$work/log" || unusable 'brew installs a formula without bottles only where there is a C compiler'
  wrong 'brew install'
fi
said="$("${as[@]}" "$prefix/bin/countersign" --version)"
[[ "$said" == "$("${as[@]}" "$work/archive/countersign" --version)" ]] || wrong 'the installed program'
places=("$prefix/etc/bash_completion.d/countersign" "$prefix/share/zsh/site-functions/_countersign"
  "$prefix/share/fish/vendor_completions.d/countersign.fish")
cmp "$work/archive/completions/countersign.bash" "${places[0]}" || wrong 'the completions of bash'
cmp "$work/archive/completions/_countersign" "${places[1]}" || wrong 'the completions of zsh'
cmp "$work/archive/completions/countersign.fish" "${places[2]}" || wrong 'the completions of fish'
for page in "$work"/archive/man/*.1; do
  places+=("$prefix/share/man/man1/$(basename "$page")")
  cmp "$page" "${places[${#places[@]} - 1]}" || wrong "the page $(basename "$page")"
done
printf 'ok %s\n' "brew install: the program, completions of three shells and $((${#places[@]} - 3)) man pages are where they belong"

# Every system takes the archive that is made for it.
cat > "$work/systems.rb" <<RUBY
require "formula"
require "formulary"
[:macos, :linux].product([:arm, :intel]).each do |os, arch|
  Homebrew::SimulateSystem.with(os: os, arch: arch) do
    Formulary.clear_cache
    stable = Formulary.factory("$formula").stable
    puts "#{stable.version} #{File.basename(stable.url)}"
  end
end
RUBY
run ruby "$work/systems.rb" >"$work/systems" 2>"$work/log" || { cat "$work/log" >&2; wrong 'the archives of the systems'; }
diff "$work/systems" <(for target in "${targets[@]}"; do echo "$version countersign-$version-$target.tar.gz"; done) || wrong 'the archives of the systems'
echo 'ok each of four systems gets its archive'

trial() {
  if run "$@" "$formula" >"$work/log" 2>&1; then
    printf 'ok brew %s\n' "$*"
  elif grep -qE "failed to (install the '.*' gem|run .*bundle install)|Could not find a valid gem" "$work/log"; then
    printf 'NOT TRIED brew %s: brew did not get the gems that it needs\n' "$*"
  else
    cat "$work/log" >&2
    wrong "brew $*"
  fi
}
trial test
trial style --formula
trial audit --strict --formula

run uninstall --formula countersign >"$work/log" 2>&1 || { cat "$work/log" >&2; wrong 'brew uninstall'; }
installed=
for place in "$cellar/countersign" "$prefix/bin/countersign" "${places[@]}"; do
  [[ ! -e "$place" && ! -L "$place" ]] || wrong "brew uninstall left $place"
done
echo 'ok brew uninstall: nothing of it is left'
