#!/usr/bin/env bash
# Installs a release with cargo binstall, as our metadata says, from a server on this machine: packaging/binstall.sh ARCHIVE FOLDER.
# ARCHIVE is one for x86_64-unknown-linux-musl. cargo binstall takes https alone, so a certificate is made for the server.
set -euo pipefail
archive="$(realpath "$1")" into="$(realpath "$2")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name="$(basename "$archive")"
version="${name#countersign-}" version="${version%%-*}"
work="$(mktemp -d)"
server=
trap '[[ -z "$server" ]] || kill "$server"; rm -rf "$work"' EXIT
mkdir -p "$work/served/releases/download/v$version" "$work/crate/src"
cp "$archive" "$work/served/releases/download/v$version/"

cd "$work"
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -keyout ca.key -out ca.pem -subj /CN=trial 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout key -out request -subj /CN=localhost 2>/dev/null
openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out certificate 2>/dev/null \
  -extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1')
python3 - "$work" <<'PYTHON' &
import functools, http.server, os, ssl, sys
work = sys.argv[1]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=work + "/served")
handler.func.log_message = lambda *_: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
# Whoever only asks whether the archive is there hangs up: no fault of the trial.
server.handle_error = lambda *_: None
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(work + "/certificate", work + "/key")
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(work + "/port.new", "w") as port:
    port.write(str(server.server_port))
os.rename(work + "/port.new", work + "/port")
server.serve_forever()
PYTHON
server=$!
until [[ -s port ]]; do kill -0 "$server"; sleep 0.1; done

# The manifest as it is, with the address that a published one has.
sed "s#^readme = \"README.md\"#repository = \"https://localhost:$(cat port)\"\n&#" "$OLDPWD/Cargo.toml" > crate/Cargo.toml
grep -q '^repository = "https://localhost' crate/Cargo.toml
touch crate/src/main.rs crate/src/lib.rs
env -u HTTPS_PROXY -u https_proxy -u HTTP_PROXY -u http_proxy cargo binstall --manifest-path crate/Cargo.toml --root-certificates ca.pem --no-confirm \
  --no-track --disable-telemetry --disable-strategies quick-install,compile --install-path "$into" countersign
