//! Reads a GGUF file: its description of itself and the places of its tensors.
//! Nothing in the file is trusted: every length is checked against the rest of
//! the file before memory is reserved, so a damaged file causes an error, never
//! an allocation.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use crate::fault::Fault;
use crate::kinds::{self, BLOCK, Grid, Kind};

const MAGIC: [u8; 4] = *b"GGUF";
/// Versions 2 and 3 are laid out alike; 1 has not been written since 2023.
const VERSIONS: [u32; 2] = [2, 3];
const USUAL_ALIGNMENT: u64 = 32;
const MOST_DIMENSIONS: u32 = 4;

/// One value of the file's own description. Lists other than of texts and of
/// whole numbers are skipped, because nothing here needs them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Whole(i64),
    Real(f64),
    Truth(bool),
    Text(String),
    Texts(Vec<String>),
    Wholes(Vec<i64>),
    Skipped,
}

pub(crate) struct Tensor {
    kind: &'static Kind,
    /// As stored: the fastest first, so `[columns, rows]`.
    dimensions: Vec<usize>,
    start: u64,
    bytes: usize,
}

pub struct Gguf {
    file: BufReader<File>,
    values: HashMap<String, Value>,
    tensors: HashMap<String, Tensor>,
}

impl Gguf {
    pub fn open(path: &Path) -> Result<Gguf, Fault> {
        let file = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Fault::NotFound,
            _ => Fault::Unreadable(error.to_string()),
        })?;
        let length = file.metadata().map_err(|error| Fault::Unreadable(error.to_string()))?;
        if !length.is_file() {
            return Err(Fault::Unreadable("it is not a file".into()));
        }
        Reader { file: BufReader::new(file), length: length.len() }.read()
    }

    pub(crate) fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, key: &str) -> Option<usize> {
        match self.value(key) {
            Some(Value::Whole(number)) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(crate) fn real(&self, key: &str) -> Option<f32> {
        match self.value(key) {
            Some(Value::Real(number)) => Some(*number as f32),
            _ => None,
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Option<&[String]> {
        match self.value(key) {
            Some(Value::Texts(texts)) => Some(texts),
            _ => None,
        }
    }

    pub(crate) fn wholes(&self, key: &str) -> Option<&[i64]> {
        match self.value(key) {
            Some(Value::Wholes(numbers)) => Some(numbers),
            _ => None,
        }
    }

    pub(crate) fn has(&self, tensor: &str) -> bool {
        self.tensors.contains_key(tensor)
    }

    /// A tensor as plain numbers.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Vec<f32>, Fault> {
        let (bytes, tensor) = self.bytes(name)?;
        Ok(tensor.kind.numbers(&bytes))
    }

    /// A tensor as steps on grids, with `[columns, rows]`.
    pub(crate) fn grids(&mut self, name: &str) -> Result<(Vec<Grid>, [usize; 2]), Fault> {
        let (bytes, tensor) = self.bytes(name)?;
        let shape = match tensor.dimensions.as_slice() {
            [columns] => [*columns, 1],
            [columns, rows] => [*columns, *rows],
            _ => return Err(Fault::Damaged(format!("tensor {name} has too many dimensions"))),
        };
        // A grid across the end of a row would belong to two of them.
        if shape[0].is_multiple_of(BLOCK) {
            Ok((tensor.kind.grids(&bytes), shape))
        } else {
            Ok((Vec::new(), shape))
        }
    }

    fn bytes(&mut self, name: &str) -> Result<(Vec<u8>, &Tensor), Fault> {
        let tensor = self.tensors.get(name).ok_or_else(|| Fault::Missing(name.into()))?;
        let mut bytes = vec![0; tensor.bytes];
        self.file
            .seek(SeekFrom::Start(tensor.start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| Fault::Unreadable(error.to_string()))?;
        Ok((bytes, tensor))
    }
}

/// The header while it is being read.
struct Reader {
    file: BufReader<File>,
    length: u64,
}

impl Reader {
    fn read(mut self) -> Result<Gguf, Fault> {
        // A file too short for the magic number is not GGUF either.
        let magic = self.bytes::<4>().map_err(|_| Fault::NotGguf)?;
        if magic != MAGIC {
            return Err(Fault::NotGguf);
        }
        let version = self.u32()?;
        if !VERSIONS.contains(&version) {
            return Err(Fault::Version(version));
        }
        let (tensor_count, value_count) = (self.u64()?, self.u64()?);
        let mut values = HashMap::new();
        for _ in 0..value_count {
            let key = self.text()?;
            let kind = self.u32()?;
            values.insert(key, self.value(kind)?);
        }
        let mut heads = Vec::new();
        for _ in 0..tensor_count {
            heads.push(self.tensor_head()?);
        }
        let alignment = match values.get("general.alignment") {
            Some(Value::Whole(bytes)) => u64::try_from(*bytes).unwrap_or(USUAL_ALIGNMENT).max(1),
            _ => USUAL_ALIGNMENT,
        };
        let data = self.position()?.div_ceil(alignment).saturating_mul(alignment);
        let tensors = heads
            .into_iter()
            .map(|(name, mut tensor)| {
                tensor.start = tensor.start.saturating_add(data);
                let end = tensor.start.saturating_add(tensor.bytes as u64);
                if end <= self.length {
                    Ok((name, tensor))
                } else {
                    Err(Fault::Truncated { needs: end, has: self.length })
                }
            })
            .collect::<Result<_, Fault>>()?;
        Ok(Gguf { file: self.file, values, tensors })
    }

    fn tensor_head(&mut self) -> Result<(String, Tensor), Fault> {
        let name = self.text()?;
        let count = self.u32()?;
        if count == 0 || count > MOST_DIMENSIONS {
            return Err(Fault::Damaged(format!("tensor {name} has {count} dimensions")));
        }
        let mut dimensions = Vec::new();
        for _ in 0..count {
            dimensions.push(usize::try_from(self.u64()?).unwrap_or(usize::MAX));
        }
        let code = self.u32()?;
        let start = self.u64()?;
        let kind = kinds::find(code)
            .ok_or_else(|| Fault::Kind(kinds::name(code), kinds::all_names().join(", ")))?;
        let elements = dimensions.iter().try_fold(1_usize, |all, one| all.checked_mul(*one));
        let bytes = elements
            .filter(|elements| elements.is_multiple_of(kind.block))
            .and_then(|elements| (elements / kind.block).checked_mul(kind.bytes))
            .ok_or_else(|| Fault::Damaged(format!("tensor {name} has an impossible size")))?;
        Ok((name, Tensor { kind, dimensions, start, bytes }))
    }

    fn value(&mut self, kind: u32) -> Result<Value, Fault> {
        Ok(match kind {
            0 => Value::Whole(self.bytes::<1>().map(u8::from_le_bytes)?.into()),
            1 => Value::Whole(self.bytes::<1>().map(i8::from_le_bytes)?.into()),
            2 => Value::Whole(self.bytes::<2>().map(u16::from_le_bytes)?.into()),
            3 => Value::Whole(self.bytes::<2>().map(i16::from_le_bytes)?.into()),
            4 => Value::Whole(self.u32()?.into()),
            5 => Value::Whole(self.bytes::<4>().map(i32::from_le_bytes)?.into()),
            6 => Value::Real(self.bytes::<4>().map(f32::from_le_bytes)?.into()),
            7 => Value::Truth(self.bytes::<1>()? != [0]),
            8 => Value::Text(self.text()?),
            9 => self.list()?,
            10 => Value::Whole(i64::try_from(self.u64()?).unwrap_or(i64::MAX)),
            11 => Value::Whole(self.bytes::<8>().map(i64::from_le_bytes)?),
            12 => Value::Real(self.bytes::<8>().map(f64::from_le_bytes)?),
            other => return Err(Fault::Damaged(format!("a value of the unknown type {other}"))),
        })
    }

    fn list(&mut self) -> Result<Value, Fault> {
        const A_LIST: u32 = 9;
        let kind = self.u32()?;
        let count = self.u64()?;
        if kind == A_LIST {
            return Err(Fault::Damaged("a list of lists in its description".into()));
        }
        // Every element takes at least one byte, so a longer list cannot be real.
        self.room(count)?;
        let (mut texts, mut wholes) = (Vec::new(), Vec::new());
        for _ in 0..count {
            match self.value(kind)? {
                Value::Text(text) => texts.push(text),
                Value::Whole(number) => wholes.push(number),
                _ => {}
            }
        }
        Ok(match (texts.is_empty(), wholes.is_empty()) {
            (false, _) => Value::Texts(texts),
            (true, false) => Value::Wholes(wholes),
            (true, true) => Value::Skipped,
        })
    }

    fn text(&mut self) -> Result<String, Fault> {
        let length = self.u64()?;
        self.room(length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact(&mut bytes).map_err(|error| self.broken(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Fault> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|error| self.broken(&error))?;
        Ok(bytes)
    }

    fn room(&mut self, bytes: u64) -> Result<(), Fault> {
        let end = self.position()?.saturating_add(bytes);
        if end <= self.length {
            Ok(())
        } else {
            Err(Fault::Truncated { needs: end, has: self.length })
        }
    }

    fn position(&mut self) -> Result<u64, Fault> {
        self.file.stream_position().map_err(|error| Fault::Unreadable(error.to_string()))
    }

    fn broken(&self, error: &std::io::Error) -> Fault {
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                Fault::Truncated { needs: self.length.saturating_add(1), has: self.length }
            }
            _ => Fault::Unreadable(error.to_string()),
        }
    }
}
