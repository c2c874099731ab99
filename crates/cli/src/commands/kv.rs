//! `keyroute kv`: a key-value store over the nodes.

use std::io::Write;

use clap::{Args, Subcommand};

use crate::kv::serve::{self, ServeArgs};
use crate::{CliError, Outcome};

/// Serve a key-value store whose nodes change while it serves
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub(crate) struct KvArgs {
    #[command(subcommand)]
    command: KvCommand,
}

#[derive(Debug, Subcommand)]
enum KvCommand {
    Serve(ServeArgs),
}

pub(crate) fn run(args: KvArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    match args.command {
        KvCommand::Serve(args) => serve::run(&args, out),
    }
}
