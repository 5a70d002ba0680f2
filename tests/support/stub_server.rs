//! The stub of an MCP server, `examples/mcp_stub.rs`, wherever a test needs it. A plain `cargo test` builds the examples
//! before it runs anything, and `cargo test --test peers` builds none: then it is built here, once for each process.

#![allow(unreachable_pub, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mcp_stub.rs");
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

/// The program, built from its source as that stands.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(found_or_built).clone()
}

fn found_or_built() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    // `target/PROFILE/deps/TEST-0123` beside `target/PROFILE/examples/mcp_stub`.
    let folder = own.ancestors().nth(2).unwrap();
    let program = folder.join("examples/mcp_stub");
    if is_up_to_date(&program) {
        return program;
    }
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let words = format!("build --quiet --profile {profile} --example mcp_stub");
    // Cargo has a lock of its own: of several tests that find nothing one builds, and the others wait for it.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let built = Command::new(cargo).args(words.split(' ')).args(["--manifest-path", MANIFEST]).status();
    let why = match built {
        Ok(status) if status.success() && program.is_file() => return program,
        Ok(status) => format!("{status}"),
        Err(why) => why.to_string(),
    };
    let program = program.display();
    panic!(
        "{program} is not there and could not be built ({why}): run `cargo {words}` first, as you run the tests"
    );
}

/// Whether it is there, and no older than its source; where that is not there either, nothing can be built.
fn is_up_to_date(program: &Path) -> bool {
    let made = |path: &Path| -> Option<SystemTime> { path.metadata().ok()?.modified().ok() };
    made(program).is_some_and(|built| made(Path::new(SOURCE)).is_none_or(|written| written <= built))
}
