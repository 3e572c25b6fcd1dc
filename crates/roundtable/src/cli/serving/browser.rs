//! Shows an address in the user's browser.

use std::process::{Command, Stdio};

/// Programs that open an address, by system.
#[cfg(target_os = "macos")]
const OPENERS: [&[&str]; 1] = [&["open"]];
#[cfg(windows)]
const OPENERS: [&[&str]; 1] = [&["rundll32", "url.dll,FileProtocolHandler"]];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENERS: [&[&str]; 3] = [&["xdg-open"], &["wslview"], &["sensible-browser"]];

/// Opens an address with the user's own program, else with the system's. Returns false
/// if none could be started.
pub fn show(address: &str, own: Option<&str>) -> bool {
    let own = own.map(|program| vec![program]);
    let usual = OPENERS.iter().map(|words| words.to_vec());
    own.into_iter().chain(usual).any(|words| {
        let Some((program, rest)) = words.split_first() else { return false };
        let mut command = Command::new(program);
        command.args(rest).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}
