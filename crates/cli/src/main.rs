//! The `keyroute` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    keyroute_cli::main()
}
