//! How many cases a property is tried with: few enough for every day, and as
//! many as `PROPTEST_CASES` says where somebody has the time.
#![allow(dead_code)]

use proptest::prelude::ProptestConfig;

/// What a config says of itself where the environment says nothing.
const UNASKED: u32 = 256;

/// A number written into a config would win over the environment, so it is put
/// in only where the environment says nothing.
pub fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if config.cases == UNASKED { usual } else { config.cases };
    ProptestConfig { cases, ..config }
}
