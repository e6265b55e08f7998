# Short names for what one does every day; `just` lists them. CI runs `.ci/run`, which needs no `just`.

_default:
    @just --list

# Compile and lint
check:
    cargo clippy --all-targets -- -D warnings

# Format the source
fmt:
    cargo fmt --all

# All tests
test *args:
    cargo test {{args}}

# Everything CI does
ci:
    .ci/run

# Accept changed snapshots (needs cargo-insta)
review:
    cargo insta review

# Licences, sources and advisories of the dependencies (needs cargo-deny)
deny:
    cargo deny check

# The benchmarks
bench *args:
    cargo bench {{args}}

# What is shipped: smaller and slower to link
dist:
    cargo build --profile dist
