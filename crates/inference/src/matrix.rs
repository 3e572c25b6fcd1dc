//! Weights as whole steps on a grid, one grid for every 32 of them, as the file
//! has them: nothing is rounded a second time where the file's own kind is such
//! a grid. Rows lie sixteen abreast, so that sixteen sums grow at once. A crew
//! of threads shares the work and leaves one core to everything else.

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;

use crate::fault::LocalFault;
use crate::kinds::{BLOCK, Grid};
use crate::packing::{ABREAST, MatrixInput, MatrixInputPart, RegisterWords, StepPacking};
use crate::product::{self, Attention, Tiles};

/// A matrix of weights; a product has one number per row.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    packing: StepPacking,
    words: Vec<RegisterWords>,
    scales: Vec<[f32; ABREAST]>,
    offsets: Vec<[f32; ABREAST]>,
}

impl Matrix {
    pub fn new(
        grids: &[Grid],
        [columns, rows]: [usize; 2],
        name: &str,
    ) -> Result<Matrix, LocalFault> {
        let blocks = columns / BLOCK;
        if columns == 0 || rows == 0 || !columns.is_multiple_of(BLOCK) {
            let problem = format!("tensor {name} is {columns} × {rows}, not a multiple of {BLOCK}");
            return Err(LocalFault::Damaged(problem));
        }
        if grids.len() != blocks * rows {
            return Err(LocalFault::Damaged(format!("tensor {name} has not all its numbers")));
        }
        let small = grids.iter().all(|grid| grid.steps.iter().all(|step| *step < 16));
        let packing = if small { StepPacking::Nibbles } else { StepPacking::Bytes };
        let places = rows.div_ceil(ABREAST) * blocks;
        let mut words = Vec::with_capacity(places * packing.words());
        let (mut scales, mut offsets) = (Vec::with_capacity(places), Vec::with_capacity(places));
        for tile in grids.chunks(ABREAST * blocks) {
            for block in 0..blocks {
                // Rows beyond the last one are empty.
                let abreast: [Option<&Grid>; ABREAST] =
                    std::array::from_fn(|row| tile.get(row * blocks + block));
                scales.push(abreast.map(|grid| grid.map_or(0.0, |grid| grid.scale)));
                offsets.push(abreast.map(|grid| grid.map_or(0.0, |grid| grid.offset)));
                words.extend((0..packing.words()).map(|word| pack(&abreast, word, packing)));
            }
        }
        Ok(Matrix { rows, columns, packing, words, scales, offsets })
    }

    fn blocks(&self) -> usize {
        self.columns / BLOCK
    }

    /// One row as plain numbers; a row that does not exist is empty.
    pub fn row(&self, row: usize) -> Vec<f32> {
        let (tile, within) = (row / ABREAST, row % ABREAST);
        let (planes, bits) = (self.packing.planes(), self.packing.bits());
        let mut numbers = Vec::with_capacity(self.columns);
        for place in tile * self.blocks()..(tile + 1) * self.blocks() {
            let of = |all: &[[f32; ABREAST]]| all.get(place).map_or(0.0, |all| all[within]);
            let (scale, offset) = (of(&self.scales), of(&self.offsets));
            for column in 0..BLOCK {
                let (pair, odd) = (column / 2, column % 2);
                let words = self.words.get(place * self.packing.words() + pair / planes);
                let word = words.map_or(0, |words| words.0[2 * within + odd]);
                let step = word >> (bits * (pair % planes) as u32) & ((1 << bits) - 1);
                numbers.push(scale * f32::from(step) + offset);
            }
        }
        numbers
    }

    /// The product with each of the tokens in `input`, one after the other.
    pub fn times(&self, input: &[f32], crew: &Crew) -> Vec<f32> {
        let tokens = input.len() / self.columns;
        let input = MatrixInput::of(input, crew);
        let mut out = vec![0.0; tokens * self.rows];
        let tiles = self.rows.div_ceil(ABREAST);
        if crew.threads == 1 {
            crew.product(self, 0..tiles, input.all(), &mut out);
        } else if tokens == 1 {
            let share = tiles.div_ceil(crew.threads).max(1);
            crew.share(&mut out, share * ABREAST, |part, out| {
                let to = tiles.min((part + 1) * share);
                crew.product(self, part * share..to, input.all(), out);
            });
        } else {
            let share = tokens.div_ceil(crew.threads).max(1);
            let blocks = share * self.blocks();
            crew.share(&mut out, share * self.rows, |part, out| {
                crew.product(self, 0..tiles, input.part(part, blocks), out);
            });
        }
        out
    }

    fn tiles(&self, tiles: std::ops::Range<usize>) -> Tiles<'_> {
        let (blocks, words) = (self.blocks(), self.packing.words());
        let places = tiles.start * blocks..tiles.end * blocks;
        Tiles {
            blocks,
            packing: self.packing,
            words: &self.words[places.start * words..places.end * words],
            scales: &self.scales[places.clone()],
            offsets: &self.offsets[places],
        }
    }
}

fn pack(abreast: &[Option<&Grid>; ABREAST], word: usize, packing: StepPacking) -> RegisterWords {
    let mut words = RegisterWords::default();
    for (at, out) in words.0.iter_mut().enumerate() {
        let Some(grid) = abreast[at / 2] else { continue };
        for plane in 0..packing.planes() {
            let step = grid.steps[2 * (word * packing.planes() + plane) + at % 2];
            *out |= u16::from(step) << (packing.bits() * plane as u32);
        }
    }
    words
}

impl MatrixInput {
    /// The length must be a multiple of the block.
    fn of(numbers: &[f32], crew: &Crew) -> MatrixInput {
        let mut input = MatrixInput::default();
        dispatch!(crew.level, simd => product::steps(simd, numbers, &mut input));
        input
    }

    fn all(&self) -> MatrixInputPart<'_> {
        MatrixInputPart { pairs: &self.pairs, sizes: &self.sizes, sums: &self.sums }
    }

    fn part(&self, part: usize, blocks: usize) -> MatrixInputPart<'_> {
        let to = ((part + 1) * blocks).min(self.sums.len());
        let range = (part * blocks).min(to)..to;
        MatrixInputPart {
            pairs: &self.pairs[range.clone()],
            sizes: &self.sizes[range.clone()],
            sums: &self.sums[range],
        }
    }
}

/// The threads that compute together.
#[derive(Debug)]
pub struct Crew {
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    level: Level,
}

impl Crew {
    /// As many threads as there are cores but one: threads that wait for each
    /// other on a full machine cost far more than the core they add.
    pub fn of_this_machine() -> Crew {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Crew::of(cores.saturating_sub(1))
    }

    pub fn of(threads: usize) -> Crew {
        let name = |number| format!("model-{number}");
        let pool = (threads > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name))
            .and_then(|builder| builder.build().ok());
        let threads = if pool.is_some() { threads } else { 1 };
        Crew { threads, pool, level: Level::new() }
    }

    /// A crew that uses no more of the processor than every one of its kind has.
    #[cfg(test)]
    pub fn plain() -> Crew {
        Crew { level: Level::baseline(), ..Crew::of(1) }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` for each part of `out` with the number of the part.
    pub(crate) fn share(
        &self,
        out: &mut [f32],
        size: usize,
        work: impl Fn(usize, &mut [f32]) + Send + Sync,
    ) {
        let size = size.max(1);
        match &self.pool {
            None => out.chunks_mut(size).enumerate().for_each(|(part, out)| work(part, out)),
            Some(pool) => pool.install(|| {
                out.par_chunks_mut(size).enumerate().for_each(|(part, out)| work(part, out));
            }),
        }
    }

    /// Some tiles of rows, times every token of `input`.
    fn product(
        &self,
        matrix: &Matrix,
        tiles: std::ops::Range<usize>,
        input: MatrixInputPart<'_>,
        out: &mut [f32],
    ) {
        let tiles = matrix.tiles(tiles);
        dispatch!(self.level, simd => product::product(simd, tiles, input, out));
    }

    /// One head's look back over everything read so far.
    pub(crate) fn attend(&self, attention: Attention<'_>, out: &mut [f32]) {
        dispatch!(self.level, simd => product::attend(simd, attention, out));
    }

    /// `gate` becomes silu(gate) × up.
    pub(crate) fn open_gate(&self, gate: &mut [f32], up: &[f32]) {
        dispatch!(self.level, simd => product::open_gate(simd, gate, up));
    }
}
