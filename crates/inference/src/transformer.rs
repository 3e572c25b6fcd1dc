//! The model itself: tokens in, a score for every possible next token out. It
//! supports the two families of small instruct models, and keeps its state so
//! that texts with a common beginning are read once. It chooses no token and
//! knows no words.

use crate::fault::LocalFault;
use crate::gguf::Gguf;
use crate::kinds::Grid;
use crate::matrix::{Crew, Matrix};
use crate::packing::ABREAST;
use crate::product::Attention;

/// No dimension of a model that can be run here comes near this; a larger one
/// means a damaged file, and would overflow when multiplied.
const MOST: usize = 1 << 24;

/// The pairs of numbers that are rotated by a position's angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairs {
    /// Each number with its neighbour.
    Neighbours,
    /// Each number with the one half a head further on.
    Halves,
}

struct Family {
    name: &'static str,
    pairs: Pairs,
}

static FAMILIES: &[Family] = &[
    Family { name: "llama", pairs: Pairs::Neighbours },
    Family { name: "qwen2", pairs: Pairs::Halves },
];

#[derive(Debug, Clone, Copy)]
struct ModelShape {
    width: usize,
    heads: usize,
    key_heads: usize,
    head: usize,
    inner: usize,
    pairs: Pairs,
    epsilon: f32,
}

struct Layer {
    before_attention: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    before_inner: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// A matrix and, in some families, something to add.
struct Linear {
    matrix: Matrix,
    bias: Option<Vec<f32>>,
}

pub(crate) struct Transformer {
    shape: ModelShape,
    words: Matrix,
    layers: Vec<Layer>,
    last: Vec<f32>,
    /// Absent if the token table is used in both directions.
    scores: Option<Matrix>,
    frequencies: Vec<f32>,
    /// The longest text the model was made for.
    pub window: usize,
    pub vocabulary: usize,
}

/// The tokens read so far, with their keys and values, layer by layer.
#[derive(Default)]
pub(crate) struct Memory {
    pub tokens: Vec<u32>,
    keys: Vec<Vec<f32>>,
    values: Vec<Vec<f32>>,
}

impl Memory {
    /// Drops everything after the first `length` tokens.
    pub fn keep(&mut self, length: usize) {
        let had = self.tokens.len();
        self.tokens.truncate(length);
        for store in self.keys.iter_mut().chain(&mut self.values) {
            let each = store.len().checked_div(had).unwrap_or(0);
            store.truncate(each * length);
        }
    }
}

impl Transformer {
    pub fn read(gguf: &mut Gguf) -> Result<Transformer, LocalFault> {
        let name = gguf.text("general.architecture").unwrap_or("none").to_owned();
        let family = FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let known: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
            LocalFault::Architecture(name.clone(), known.join(" and "))
        })?;
        let needed = |key: &str| {
            let key = format!("{name}.{key}");
            gguf.whole(&key)
                .filter(|number| (1..=MOST).contains(number))
                .ok_or(LocalFault::Missing(key))
        };
        let (width, heads) = (needed("embedding_length")?, needed("attention.head_count")?);
        let shape = ModelShape {
            width,
            heads,
            key_heads: needed("attention.head_count_kv").unwrap_or(heads),
            head: needed("attention.key_length").unwrap_or(width / heads),
            inner: needed("feed_forward_length")?,
            pairs: family.pairs,
            epsilon: gguf.real(&format!("{name}.attention.layer_norm_rms_epsilon")).unwrap_or(1e-5),
        };
        let (layers, window) = (needed("block_count")?, needed("context_length")?);
        if !shape.heads.is_multiple_of(shape.key_heads) {
            return Err(LocalFault::Damaged("its heads do not divide".into()));
        }
        if shape.head == 0 || !shape.head.is_multiple_of(ABREAST) {
            let problem = format!("its heads are {} wide, not a multiple of {ABREAST}", shape.head);
            return Err(LocalFault::Damaged(problem));
        }
        let base = gguf.real(&format!("{name}.rope.freq_base")).unwrap_or(10_000.0);
        let frequencies = frequencies(gguf, shape.head, base)?;
        let (grids, [columns, vocabulary]) = gguf.grids("token_embd.weight")?;
        let words = sized(&grids, [columns, vocabulary], [width, vocabulary], "token_embd")?;
        let scores = if gguf.has("output.weight") {
            Some(matrix(gguf, "output.weight", [width, vocabulary])?)
        } else {
            None
        };
        let layers = (0..layers)
            .map(|number| Layer::read(gguf, number, shape))
            .collect::<Result<_, LocalFault>>()?;
        let last = vector(gguf, "output_norm.weight", width)?;
        Ok(Transformer { shape, words, layers, last, scores, frequencies, window, vocabulary })
    }

    /// Reads `tokens` after those in the memory. Returns a score for every token
    /// that could come next.
    pub fn read_on(&self, tokens: &[u32], memory: &mut Memory, crew: &Crew) -> Vec<f32> {
        memory.keys.resize_with(self.layers.len(), Vec::new);
        memory.values.resize_with(self.layers.len(), Vec::new);
        let start = memory.tokens.len();
        let mut flow: Vec<f32> =
            tokens.iter().flat_map(|token| self.words.row(*token as usize)).collect();
        let stores = memory.keys.iter_mut().zip(&mut memory.values);
        for (layer, (keys, values)) in self.layers.iter().zip(stores) {
            self.attend(layer, &mut flow, start, (keys, values), crew);
            let calm = normal(&flow, &layer.before_inner, self.shape);
            let mut gate = layer.gate.times(&calm, crew);
            let up = layer.up.times(&calm, crew);
            crew.open_gate(&mut gate, &up);
            add(&mut flow, &layer.down.times(&gate, crew));
        }
        memory.tokens.extend_from_slice(tokens);
        let from = flow.len().saturating_sub(self.shape.width);
        let calm = normal(&flow[from..], &self.last, self.shape);
        self.scores.as_ref().unwrap_or(&self.words).times(&calm, crew)
    }

    fn attend(
        &self,
        layer: &Layer,
        flow: &mut [f32],
        start: usize,
        (keys, values): (&mut Vec<f32>, &mut Vec<f32>),
        crew: &Crew,
    ) {
        let ModelShape { heads, key_heads, head, .. } = self.shape;
        let calm = normal(flow, &layer.before_attention, self.shape);
        let mut queries = layer.query.times(&calm, crew);
        let mut new_keys = layer.key.times(&calm, crew);
        self.turn(&mut queries, heads, start);
        self.turn(&mut new_keys, key_heads, start);
        keys.extend(new_keys);
        values.extend(layer.value.times(&calm, crew));
        let (keys, values, group) = (&*keys, &*values, heads / key_heads);
        // Queries that look at the same keys stand together, so that a key is
        // fetched once for all of them.
        let tokens = queries.len() / (heads * head);
        let together = moved(&queries, [tokens, key_heads], group * head);
        let mut seen = vec![0.0; queries.len()];
        crew.share(&mut seen, tokens * group * head, |number, out| {
            let own = number * out.len();
            let this = Attention {
                queries: &together[own..own + out.len()],
                group,
                size: head,
                keys,
                values,
                stride: key_heads * head,
                offset: number * head,
                start,
            };
            crew.attend(this, out);
        });
        let seen = moved(&seen, [key_heads, tokens], group * head);
        add(flow, &layer.output.times(&seen, crew));
    }

    /// Turns each pair of numbers by an angle that grows with the position.
    fn turn(&self, numbers: &mut [f32], heads: usize, start: usize) {
        let ModelShape { head, pairs, .. } = self.shape;
        for (token, numbers) in numbers.chunks_exact_mut(heads * head).enumerate() {
            let position = (start + token) as f32;
            let angles: Vec<(f32, f32)> =
                self.frequencies.iter().map(|speed| (position * speed).sin_cos()).collect();
            for numbers in numbers.chunks_exact_mut(head) {
                for (pair, (sin, cos)) in angles.iter().enumerate() {
                    let (one, other) = match pairs {
                        Pairs::Neighbours => (2 * pair, 2 * pair + 1),
                        Pairs::Halves => (pair, pair + head / 2),
                    };
                    let (a, b) = (numbers[one], numbers[other]);
                    numbers[one] = a * cos - b * sin;
                    numbers[other] = a * sin + b * cos;
                }
            }
        }
    }
}

impl Layer {
    fn read(gguf: &mut Gguf, number: usize, shape: ModelShape) -> Result<Layer, LocalFault> {
        let ModelShape { width, heads, key_heads, head, inner, .. } = shape;
        let (all, few) = (heads * head, key_heads * head);
        let mut linear =
            |name: &str, size| Linear::read(gguf, &format!("blk.{number}.{name}"), size);
        let query = linear("attn_q", [width, all])?;
        let key = linear("attn_k", [width, few])?;
        let value = linear("attn_v", [width, few])?;
        let output = linear("attn_output", [all, width])?;
        let gate = linear("ffn_gate", [width, inner])?;
        let up = linear("ffn_up", [width, inner])?;
        let down = linear("ffn_down", [inner, width])?;
        let mut norm = |name: &str| vector(gguf, &format!("blk.{number}.{name}.weight"), width);
        let (before_attention, before_inner) = (norm("attn_norm")?, norm("ffn_norm")?);
        Ok(Layer { before_attention, query, key, value, output, before_inner, gate, up, down })
    }
}

impl Linear {
    fn read(gguf: &mut Gguf, name: &str, size: [usize; 2]) -> Result<Linear, LocalFault> {
        let matrix = matrix(gguf, &format!("{name}.weight"), size)?;
        let bias = format!("{name}.bias");
        let bias = if gguf.has(&bias) { Some(vector(gguf, &bias, size[1])?) } else { None };
        Ok(Linear { matrix, bias })
    }

    fn times(&self, input: &[f32], crew: &Crew) -> Vec<f32> {
        let mut out = self.matrix.times(input, crew);
        if let Some(bias) = &self.bias {
            out.chunks_exact_mut(bias.len()).for_each(|token| add(token, bias));
        }
        out
    }
}

fn matrix(gguf: &mut Gguf, name: &str, size: [usize; 2]) -> Result<Matrix, LocalFault> {
    let (grids, found) = gguf.grids(name)?;
    sized(&grids, found, size, name)
}

fn sized(
    grids: &[Grid],
    found: [usize; 2],
    size: [usize; 2],
    name: &str,
) -> Result<Matrix, LocalFault> {
    if found != size {
        let problem = format!("tensor {name} is {found:?} where {size:?} is due");
        return Err(LocalFault::Damaged(problem));
    }
    Matrix::new(grids, size, name)
}

fn vector(gguf: &mut Gguf, name: &str, size: usize) -> Result<Vec<f32>, LocalFault> {
    let numbers = gguf.numbers(name)?;
    if numbers.len() == size {
        Ok(numbers)
    } else {
        let problem = format!("tensor {name} has {} numbers, {size} are due", numbers.len());
        Err(LocalFault::Damaged(problem))
    }
}

/// Returns the speed of rotation of each pair. Models stretched to longer texts
/// carry a divisor for each.
fn frequencies(gguf: &mut Gguf, head: usize, base: f32) -> Result<Vec<f32>, LocalFault> {
    const STRETCH: &str = "rope_freqs.weight";
    let stretch =
        if gguf.has(STRETCH) { vector(gguf, STRETCH, head / 2)? } else { vec![1.0; head / 2] };
    let speed = |(pair, by): (usize, &f32)| base.powf(-2.0 * pair as f32 / head as f32) / by;
    Ok(stretch.iter().enumerate().map(speed).collect())
}

/// Runs of numbers that lay row by row, column by column.
fn moved(numbers: &[f32], [rows, columns]: [usize; 2], run: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(numbers.len());
    for column in 0..columns {
        for row in 0..rows {
            let from = (row * columns + column) * run;
            out.extend_from_slice(&numbers[from..from + run]);
        }
    }
    out
}

/// Every token's numbers brought to the same overall size.
fn normal(flow: &[f32], weights: &[f32], shape: ModelShape) -> Vec<f32> {
    let mut out = Vec::with_capacity(flow.len());
    for token in flow.chunks_exact(shape.width) {
        let square: f32 = token.iter().map(|number| number * number).sum();
        let scale = 1.0 / (square / shape.width as f32 + shape.epsilon).sqrt();
        out.extend(token.iter().zip(weights).map(|(number, weight)| number * scale * weight));
    }
    out
}

fn add(to: &mut [f32], what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += what;
    }
}
