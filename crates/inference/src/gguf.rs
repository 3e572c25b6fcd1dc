//! Reads a GGUF file: its description of itself and the places of its tensors.
//! Nothing in the file is trusted: every length is checked against the rest of
//! the file before memory is reserved, so a damaged file causes an error, never
//! an allocation.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use crate::fault::LocalFault;
use crate::kinds::{self, BLOCK, BlockFormat, Grid};

const MAGIC: [u8; 4] = *b"GGUF";
/// Versions 2 and 3 are laid out alike; 1 has not been written since 2023.
const VERSIONS: [u32; 2] = [2, 3];
const USUAL_ALIGNMENT: u64 = 32;
const MOST_DIMENSIONS: u32 = 4;

/// One value of the file's own description. Lists other than of texts and of
/// whole numbers are skipped, because nothing here needs them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GgufValue {
    Whole(i64),
    Real(f64),
    Truth(bool),
    Text(String),
    Texts(Vec<String>),
    Wholes(Vec<i64>),
    Skipped,
}

pub(crate) struct Tensor {
    kind: &'static BlockFormat,
    /// As stored: the fastest first, so `[columns, rows]`.
    dimensions: Vec<usize>,
    start: u64,
    bytes: usize,
}

pub struct Gguf {
    file: BufReader<File>,
    values: HashMap<String, GgufValue>,
    tensors: HashMap<String, Tensor>,
}

impl Gguf {
    pub fn open(path: &Path) -> Result<Gguf, LocalFault> {
        let file = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => LocalFault::NotFound,
            _ => LocalFault::Unreadable(error.to_string()),
        })?;
        let length = file.metadata().map_err(|error| LocalFault::Unreadable(error.to_string()))?;
        if !length.is_file() {
            return Err(LocalFault::Unreadable("it is not a file".into()));
        }
        GgufReader { file: BufReader::new(file), length: length.len() }.read()
    }

    pub(crate) fn value(&self, key: &str) -> Option<&GgufValue> {
        self.values.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Some(GgufValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, key: &str) -> Option<usize> {
        match self.value(key) {
            Some(GgufValue::Whole(number)) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(crate) fn real(&self, key: &str) -> Option<f32> {
        match self.value(key) {
            Some(GgufValue::Real(number)) => Some(*number as f32),
            _ => None,
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Option<&[String]> {
        match self.value(key) {
            Some(GgufValue::Texts(texts)) => Some(texts),
            _ => None,
        }
    }

    pub(crate) fn wholes(&self, key: &str) -> Option<&[i64]> {
        match self.value(key) {
            Some(GgufValue::Wholes(numbers)) => Some(numbers),
            _ => None,
        }
    }

    pub(crate) fn has(&self, tensor: &str) -> bool {
        self.tensors.contains_key(tensor)
    }

    /// A tensor as plain numbers.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Vec<f32>, LocalFault> {
        let (bytes, tensor) = self.bytes(name)?;
        Ok(tensor.kind.numbers(&bytes))
    }

    /// A tensor as steps on grids, with `[columns, rows]`.
    pub(crate) fn grids(&mut self, name: &str) -> Result<(Vec<Grid>, [usize; 2]), LocalFault> {
        let (bytes, tensor) = self.bytes(name)?;
        let shape = match tensor.dimensions.as_slice() {
            [columns] => [*columns, 1],
            [columns, rows] => [*columns, *rows],
            _ => return Err(LocalFault::Damaged(format!("tensor {name} has too many dimensions"))),
        };
        // A grid across the end of a row would belong to two of them.
        if shape[0].is_multiple_of(BLOCK) {
            Ok((tensor.kind.grids(&bytes), shape))
        } else {
            Ok((Vec::new(), shape))
        }
    }

    fn bytes(&mut self, name: &str) -> Result<(Vec<u8>, &Tensor), LocalFault> {
        let tensor = self.tensors.get(name).ok_or_else(|| LocalFault::Missing(name.into()))?;
        let mut bytes = vec![0; tensor.bytes];
        self.file
            .seek(SeekFrom::Start(tensor.start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| LocalFault::Unreadable(error.to_string()))?;
        Ok((bytes, tensor))
    }
}

/// The header while it is being read.
struct GgufReader {
    file: BufReader<File>,
    length: u64,
}

impl GgufReader {
    fn read(mut self) -> Result<Gguf, LocalFault> {
        // A file too short for the magic number is not GGUF either.
        let magic = self.bytes::<4>().map_err(|_| LocalFault::NotGguf)?;
        if magic != MAGIC {
            return Err(LocalFault::NotGguf);
        }
        let version = self.u32()?;
        if !VERSIONS.contains(&version) {
            return Err(LocalFault::Version(version));
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
            Some(GgufValue::Whole(bytes)) => {
                u64::try_from(*bytes).unwrap_or(USUAL_ALIGNMENT).max(1)
            }
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
                    Err(LocalFault::Truncated { needs: end, has: self.length })
                }
            })
            .collect::<Result<_, LocalFault>>()?;
        Ok(Gguf { file: self.file, values, tensors })
    }

    fn tensor_head(&mut self) -> Result<(String, Tensor), LocalFault> {
        let name = self.text()?;
        let count = self.u32()?;
        if count == 0 || count > MOST_DIMENSIONS {
            return Err(LocalFault::Damaged(format!("tensor {name} has {count} dimensions")));
        }
        let mut dimensions = Vec::new();
        for _ in 0..count {
            dimensions.push(usize::try_from(self.u64()?).unwrap_or(usize::MAX));
        }
        let code = self.u32()?;
        let start = self.u64()?;
        let kind = kinds::find(code)
            .ok_or_else(|| LocalFault::Kind(kinds::name(code), kinds::all_names().join(", ")))?;
        let elements = dimensions.iter().try_fold(1_usize, |all, one| all.checked_mul(*one));
        let bytes = elements
            .filter(|elements| elements.is_multiple_of(kind.block))
            .and_then(|elements| (elements / kind.block).checked_mul(kind.bytes))
            .ok_or_else(|| LocalFault::Damaged(format!("tensor {name} has an impossible size")))?;
        Ok((name, Tensor { kind, dimensions, start, bytes }))
    }

    fn value(&mut self, kind: u32) -> Result<GgufValue, LocalFault> {
        Ok(match kind {
            0 => GgufValue::Whole(self.bytes::<1>().map(u8::from_le_bytes)?.into()),
            1 => GgufValue::Whole(self.bytes::<1>().map(i8::from_le_bytes)?.into()),
            2 => GgufValue::Whole(self.bytes::<2>().map(u16::from_le_bytes)?.into()),
            3 => GgufValue::Whole(self.bytes::<2>().map(i16::from_le_bytes)?.into()),
            4 => GgufValue::Whole(self.u32()?.into()),
            5 => GgufValue::Whole(self.bytes::<4>().map(i32::from_le_bytes)?.into()),
            6 => GgufValue::Real(self.bytes::<4>().map(f32::from_le_bytes)?.into()),
            7 => GgufValue::Truth(self.bytes::<1>()? != [0]),
            8 => GgufValue::Text(self.text()?),
            9 => self.list()?,
            10 => GgufValue::Whole(i64::try_from(self.u64()?).unwrap_or(i64::MAX)),
            11 => GgufValue::Whole(self.bytes::<8>().map(i64::from_le_bytes)?),
            12 => GgufValue::Real(self.bytes::<8>().map(f64::from_le_bytes)?),
            other => {
                return Err(LocalFault::Damaged(format!("a value of the unknown type {other}")));
            }
        })
    }

    fn list(&mut self) -> Result<GgufValue, LocalFault> {
        const A_LIST: u32 = 9;
        let kind = self.u32()?;
        let count = self.u64()?;
        if kind == A_LIST {
            return Err(LocalFault::Damaged("a list of lists in its description".into()));
        }
        // Every element takes at least one byte, so a longer list cannot be real.
        self.room(count)?;
        let (mut texts, mut wholes) = (Vec::new(), Vec::new());
        for _ in 0..count {
            match self.value(kind)? {
                GgufValue::Text(text) => texts.push(text),
                GgufValue::Whole(number) => wholes.push(number),
                _ => {}
            }
        }
        Ok(match (texts.is_empty(), wholes.is_empty()) {
            (false, _) => GgufValue::Texts(texts),
            (true, false) => GgufValue::Wholes(wholes),
            (true, true) => GgufValue::Skipped,
        })
    }

    fn text(&mut self) -> Result<String, LocalFault> {
        let length = self.u64()?;
        self.room(length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact(&mut bytes).map_err(|error| self.broken(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn u32(&mut self) -> Result<u32, LocalFault> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, LocalFault> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], LocalFault> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|error| self.broken(&error))?;
        Ok(bytes)
    }

    fn room(&mut self, bytes: u64) -> Result<(), LocalFault> {
        let end = self.position()?.saturating_add(bytes);
        if end <= self.length {
            Ok(())
        } else {
            Err(LocalFault::Truncated { needs: end, has: self.length })
        }
    }

    fn position(&mut self) -> Result<u64, LocalFault> {
        self.file.stream_position().map_err(|error| LocalFault::Unreadable(error.to_string()))
    }

    fn broken(&self, error: &std::io::Error) -> LocalFault {
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                LocalFault::Truncated { needs: self.length.saturating_add(1), has: self.length }
            }
            _ => LocalFault::Unreadable(error.to_string()),
        }
    }
}
