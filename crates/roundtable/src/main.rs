//! Roundtable: one binary, several faces. Everything is in the library beside
//! it; here only the exit code is given.

use std::process::ExitCode;

fn main() -> ExitCode {
    roundtable::run()
}
