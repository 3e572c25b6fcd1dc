//! Runs the fake provider until it is interrupted and prints its address.
//! `fake_provider [port [latency in ms [tool that every model calls once, or - [pause
//! between the pieces of an answer in ms [pieces]]]]]`;
//! `fake_provider --faults` lists its faults.

use std::time::Duration;

use fake_provider::faults::FAULTS;
use fake_provider::{FakeOptions, FakeProvider, calls_once};

#[tokio::main]
#[allow(clippy::print_stdout)] // Printing its address is what this program is for.
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("--faults") {
        for fault in FAULTS {
            println!("fault:{:<24} {}", fault.name, fault.about);
        }
        return Ok(());
    }
    let port = argument.map_or(Ok(0), |port| port.parse())?;
    let latency = std::env::args().nth(2).map_or(Ok(0), |ms| ms.parse())?;
    let latency = Duration::from_millis(latency);
    let mut options = FakeOptions { port, latency, ..FakeOptions::default() };
    if let Some(tool) = std::env::args().nth(3).filter(|tool| tool != "-") {
        options.calls = calls_once(tool);
    }
    if let Some(pace) = std::env::args().nth(4) {
        options.pace = Duration::from_millis(pace.parse()?);
    }
    if let Some(pieces) = std::env::args().nth(5) {
        options.pieces = pieces.parse()?;
    }
    let server = FakeProvider::start(options).await?;
    println!("{}", server.base_url());
    tokio::signal::ctrl_c().await?;
    Ok(())
}
