//! A PostgreSQL server of one test alone, which may be shut down.

use std::path::Path;
use std::process::{Command, Stdio};

pub struct OwnPostgres {
    pub address: String,
    folder: tempfile::TempDir,
}

impl OwnPostgres {
    /// Starts one; `None` where nothing is tried on PostgreSQL.
    pub fn start() -> Option<OwnPostgres> {
        proof::postgres()?;
        // The server is run by another user, who must find the folder.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let address = tool(&["start"], folder.path());
        Some(OwnPostgres { address, folder })
    }

    /// Shuts the server down and starts it again: `fast`, or `immediate` as a crash would.
    pub fn restart(&self, how: &str) {
        tool(&["restart", how], self.folder.path());
    }
}

fn tool(what: &[&str], folder: &Path) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/postgres");
    let mut command = Command::new(script);
    command.arg(what[0]).arg(folder.join("server")).args(&what[1..]);
    let done = command.stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        tool(&["stop"], self.folder.path());
    }
}
