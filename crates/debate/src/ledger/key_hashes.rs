//! Hashes for maps whose keys are hashes of words already: one multiplication spreads them.
//! A secret number keeps a text from choosing where its keys stand.

use std::hash::{BuildHasher, Hasher, RandomState};

/// An odd number without a pattern in its bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug, Clone)]
pub(super) struct KeyHashes {
    secret: u64,
}

impl Default for KeyHashes {
    fn default() -> KeyHashes {
        KeyHashes { secret: RandomState::new().hash_one(SPREAD) }
    }
}

impl BuildHasher for KeyHashes {
    type Hasher = KeyHasher;

    fn build_hasher(&self) -> KeyHasher {
        KeyHasher { state: self.secret }
    }
}

pub(super) struct KeyHasher {
    state: u64,
}

impl Hasher for KeyHasher {
    fn write_u64(&mut self, key: u64) {
        let product = u128::from(self.state ^ key) * u128::from(SPREAD);
        self.state = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
