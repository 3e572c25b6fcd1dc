//! The file of the embedding table is unpacked to the bit, and refused if damaged.

use super::*;

/// A file of two rows with two numbers each, as the shipped one is laid out.
fn file(header: &str, data: &[u8]) -> &'static [u8] {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes.leak()
}

const HEADER: &str = r#"{"scale":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},
    "q4":{"dtype":"U8","shape":[2,1],"data_offsets":[4,6]}}"#;
/// Scales 1 and 0.5; nibbles 9 and 7, then 15 and 0.
const DATA: [u8; 6] = [0x00, 0x3c, 0x00, 0x38, 0x79, 0x0f];

#[test]
fn a_row_is_unpacked_low_nibble_first_and_scaled() {
    let table = VectorTable::open(file(HEADER, &DATA)).unwrap();
    assert_eq!((table.rows(), table.dims()), (2, 2));
    let mut sum = vec![0.0; 2];
    table.add(0, &mut sum);
    assert_eq!(sum, [1.0, -1.0]);
    table.add(1, &mut sum);
    assert_eq!(sum, [1.0 + 3.5, -1.0 - 4.0]);
    table.add(2, &mut sum);
    assert_eq!(sum, [4.5, -5.0], "a row that is not there adds nothing");
}

#[test]
fn a_damaged_file_is_refused() {
    let huge = u64::MAX.to_le_bytes();
    let cases: [&'static [u8]; 8] = [
        b"",
        b"short",
        huge.to_vec().leak(),
        file("not json", &DATA),
        file("{}", &DATA),
        file(HEADER, DATA.get(..5).unwrap()),
        file(&HEADER.replace("[2,1]", "[3,1]"), &DATA),
        file(&HEADER.replace("\"U8\"", "\"I8\""), &DATA),
    ];
    for case in cases {
        assert!(VectorTable::open(case).is_err(), "{case:?}");
    }
}

#[test]
fn half_precision_is_read_to_the_bit() {
    let cases = [
        (0x0000, 0.0),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x3555, 0.333_251_95),
        (0x7bff, 65504.0),
        (0x0400, 6.103_515_6e-5),
        (0x0001, 5.960_464_5e-8),
    ];
    for (bits, value) in cases {
        assert_eq!(half_precision(bits), value, "{bits:#06x}");
    }
    assert!(half_precision(0x7c00).is_infinite());
    assert!(half_precision(0x7e00).is_nan());
}
