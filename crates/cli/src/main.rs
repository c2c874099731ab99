//! The `keyroute` command.

use std::process::ExitCode;

/// A command that `kv serve` is sent takes memory some five times.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    keyroute_cli::main()
}
