//! The layout of weights and inputs in memory, which the matrix writes and the
//! inner loops read.

use crate::kinds::BLOCK;

/// So many rows lie abreast.
pub(crate) const ABREAST: usize = 16;

/// One register full: for each row abreast, two neighbouring columns.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct RegisterWords(pub [u16; 2 * ABREAST]);

/// The number of steps in one word, and of bits in each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepPacking {
    Nibbles,
    Bytes,
}

impl StepPacking {
    pub const fn bits(self) -> u32 {
        match self {
            StepPacking::Nibbles => 4,
            StepPacking::Bytes => 8,
        }
    }

    /// Steps in a word of 16 bits.
    pub const fn planes(self) -> usize {
        16 / self.bits() as usize
    }

    /// Words for a block of columns.
    pub const fn words(self) -> usize {
        BLOCK / 2 / self.planes()
    }
}

/// The numbers that flow through the model, in steps of their own: per block of
/// 32 numbers the steps in pairs, their size, and their sum.
#[derive(Debug, Default)]
pub(crate) struct MatrixInput {
    pub pairs: Vec<[i32; BLOCK / 2]>,
    pub sizes: Vec<f32>,
    pub sums: Vec<f32>,
}

/// Some tokens of an input.
#[derive(Clone, Copy)]
pub(crate) struct MatrixInputPart<'a> {
    pub pairs: &'a [[i32; BLOCK / 2]],
    pub sizes: &'a [f32],
    pub sums: &'a [f32],
}
