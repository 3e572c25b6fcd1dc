//! Reads the packed table: a safetensors file with one half-precision scale and
//! a row of four-bit numbers per word piece. Rows stay packed and are unpacked
//! as they are summed, so that opening the table costs nothing. Refuses a file
//! whose header and length disagree.

use std::ops::Range;

use serde_json::Value;

/// The table as it lies in the binary.
#[derive(Debug)]
pub(super) struct VectorTable {
    scales: &'static [u8],
    packed: &'static [u8],
    rows: usize,
    dims: usize,
}

impl VectorTable {
    pub(super) fn open(file: &'static [u8]) -> Result<VectorTable, String> {
        let length = file
            .first_chunk::<8>()
            .and_then(|bytes| usize::try_from(u64::from_le_bytes(*bytes)).ok())
            .ok_or("it is shorter than its header")?;
        let header_end = length.checked_add(8).ok_or("its header is too long")?;
        let header = file.get(8..header_end).ok_or("it is shorter than its header")?;
        let header: Value =
            serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
        let data = file.get(header_end..).unwrap_or_default();

        let (rows, _) = shape(&header, "scale", "F16")?;
        let (packed_rows, half) = shape(&header, "q4", "U8")?;
        if rows != packed_rows {
            return Err(format!("it has {rows} scales for {packed_rows} rows"));
        }
        let scales = data.get(span(&header, "scale")?).ok_or("its scales are cut off")?;
        let packed = data.get(span(&header, "q4")?).ok_or("its rows are cut off")?;
        if scales.len() != rows * 2 || packed.len() != rows * half || half == 0 {
            return Err("its sizes disagree".into());
        }
        Ok(VectorTable { scales, packed, rows, dims: half * 2 })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// Adds a row to a sum of [`VectorTable::dims`] numbers; a row that is not there
    /// adds nothing.
    pub(super) fn add(&self, row: usize, sum: &mut [f32]) {
        let half = self.dims / 2;
        let (Some(scale), Some(packed)) = (
            self.scales.get(row * 2..).and_then(|rest| rest.first_chunk::<2>()),
            self.packed.get(row * half..(row + 1) * half),
        ) else {
            return;
        };
        let scale = half_precision(u16::from_le_bytes(*scale));
        for (pair, byte) in sum.chunks_exact_mut(2).zip(packed) {
            if let [even, odd] = pair {
                *even += f32::from(i16::from(byte & 0x0f) - 8) * scale;
                *odd += f32::from(i16::from(byte >> 4) - 8) * scale;
            }
        }
    }
}

/// Rows and row length of a tensor, which must be of the given type.
fn shape(header: &Value, tensor: &str, dtype: &str) -> Result<(usize, usize), String> {
    let entry = header.get(tensor).ok_or_else(|| format!("it has no tensor {tensor}"))?;
    if entry.get("dtype").and_then(Value::as_str) != Some(dtype) {
        return Err(format!("its tensor {tensor} is not {dtype}"));
    }
    let size = |at: usize| entry.get("shape")?.get(at)?.as_u64()?.try_into().ok();
    let rows = size(0).ok_or_else(|| format!("its tensor {tensor} has no shape"))?;
    Ok((rows, size(1).unwrap_or(1)))
}

fn span(header: &Value, tensor: &str) -> Result<Range<usize>, String> {
    let offset = |at: usize| -> Option<usize> {
        header.get(tensor)?.get("data_offsets")?.get(at)?.as_u64()?.try_into().ok()
    };
    offset(0)
        .zip(offset(1))
        .map(|(start, end)| start..end)
        .ok_or_else(|| format!("its tensor {tensor} has no place"))
}

/// An IEEE half-precision number.
fn half_precision(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x03ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests;
