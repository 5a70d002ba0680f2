# The commands of every day. `just` lists them.

default:
    @just --list

# everything that CI checks
check:
    .ci/run

# the tests alone
test *ARGS:
    cargo test {{ARGS}}

# the benchmarks, in an optimised build
bench *ARGS:
    cargo bench {{ARGS}}

# the walk over all orders of events, with what it counted
sim *ARGS:
    cargo test -p countersign-core --release --test simulation {{ARGS}} -- --nocapture

# the app on the embedded model, no key needed
demo:
    cargo run --release -- -m rehearsal "tour"

# licences, advisories, duplicates (needs cargo-deny)
deny:
    cargo deny check
