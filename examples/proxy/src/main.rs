//! A front end over a fleet that fails, drains, grows and flaps while clients ask it: see README.md.

mod backend;
mod front_end;
mod ledger;
mod load;
mod oracle;
mod script;
mod upstream;

use std::process::ExitCode;
use std::time::Instant;

use script::Script;
use upstream::Error;

/// Nodes of the fleet.
const NODES: u32 = 20;

#[tokio::main]
async fn main() -> ExitCode {
    match play().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the script could not go on: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all was as it should be.
async fn play() -> Result<bool, Error> {
    let began = Instant::now();
    let mut script = Script::new(NODES).await?;
    let outcome = script.play().await;
    let ledger = &script.ledger;
    println!("{}\n", ledger.table());
    for fault in ledger.faults().iter().take(20) {
        println!("FAULT: {fault}");
    }
    outcome?;
    let seconds = began.elapsed().as_secs();
    let (requests, faults) = (ledger.requests(), ledger.faults().len());
    println!("{requests} requests in {seconds} s, {faults} faults");
    Ok(faults == 0)
}
