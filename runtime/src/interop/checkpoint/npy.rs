//! NumPy's format npy, one array a file: its header, and its elements. Knows no archives.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use super::format::Content;
use super::order::{Order, native, row_major};
use crate::types::{DType, Spec};
use crate::value::Value;
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The header and the elements together start at a multiple of this, for those who map files into memory.
const ALIGNMENT: usize = 64;

/// Each element type in the format, without the order of its bytes.
const TYPES: &[(DType, &str)] = &[
    (DType::F32, "f4"),
    (DType::F64, "f8"),
    (DType::I32, "i4"),
    (DType::I64, "i8"),
    (DType::U8, "u1"),
    (DType::Bool, "b1"),
];

/// Writes a row-major value, in the order of bytes of this machine.
pub(super) fn write(value: &Value, to: &mut impl Write) -> io::Result<()> {
    let (dtype, name) =
        TYPES.iter().find(|it| it.0 == value.dtype()).expect("every element type is in the table");
    let order = match (dtype.size(), Order::NATIVE) {
        (1, _) => '|',
        (_, Order::Little) => '<',
        (_, Order::Big) => '>',
    };
    let shape = value.spec().shape();
    let mut header =
        format!("{{'descr': '{order}{name}', 'fortran_order': False, 'shape': {shape}, }}");
    let start = MAGIC.len() + 4;
    let padded = (start + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.extend(std::iter::repeat_n(' ', padded - start - header.len() - 1));
    header.push('\n');
    let len = u16::try_from(header.len())
        .map_err(|_| io::Error::other("an array has too many axes for the format"))?;
    to.write_all(MAGIC)?;
    to.write_all(&[1, 0])?;
    to.write_all(&len.to_le_bytes())?;
    to.write_all(header.as_bytes())?;
    to.write_all(value.as_bytes().expect("variables hold row-major values"))
}

/// The array of a file, or what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Content, String> {
    let (header, data) = split(bytes).ok_or("it has no header of NumPy's format")?;
    let header = Header::parse(header).ok_or_else(|| format!("its header is {header:?}"))?;
    let (order, name) = header.descr.split_at_checked(1).unwrap_or_default();
    let Some((dtype, _)) = TYPES.iter().find(|(_, it)| *it == name) else {
        return Ok(Content::Foreign(header.descr.to_string()));
    };
    let order = match order {
        "<" => Order::Little,
        ">" => Order::Big,
        "|" | "=" => Order::NATIVE,
        _ => return Ok(Content::Foreign(header.descr.to_string())),
    };
    let spec = Spec::new(*dtype, &header.shape[..]);
    let wrong = || format!("its {} bytes are no {spec}", data.len());
    let needed = spec.len().and_then(|len| len.checked_mul(dtype.size()));
    if needed != Some(data.len()) {
        return Err(wrong());
    }
    let mut data = native(data, order, dtype.size());
    if header.is_fortran {
        data = row_major(&data, &header.shape, dtype.size()).into();
    }
    Value::from_bytes(spec, &data).map(Content::Value).ok_or_else(wrong)
}

/// The text of the header, and the bytes behind it.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (version, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(2)?;
    let (len, rest) = match version[0] {
        1 => {
            let (len, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*len)), rest)
        }
        2 | 3 => {
            let (len, rest) = rest.split_first_chunk()?;
            (usize::try_from(u32::from_le_bytes(*len)).ok()?, rest)
        }
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(len)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// What a header says.
#[derive(Debug, Default, PartialEq)]
struct Header<'a> {
    descr: &'a str,
    is_fortran: bool,
    shape: Vec<usize>,
}

impl Header<'_> {
    /// Reads the literal of Python that a header is; `None` for types made of several.
    fn parse(text: &str) -> Option<Header<'_>> {
        let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, value) = quoted(rest)?;
            let value = value.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                "descr" => {
                    let (name, rest) = quoted(value)?;
                    descr = Some(name);
                    rest
                }
                "fortran_order" => {
                    let (word, rest) = value.split_at_checked(value.find([',', ' ', '}'])?)?;
                    is_fortran = Some(["False", "True"].iter().position(|it| *it == word)? == 1);
                    rest
                }
                "shape" => {
                    let (sizes, rest) = value.strip_prefix('(')?.split_once(')')?;
                    let sizes = sizes.split(',').map(str::trim).filter(|it| !it.is_empty());
                    shape = Some(sizes.map(|it| it.parse().ok()).collect::<Option<_>>()?);
                    rest
                }
                _ => return None,
            }
            .trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Some(Header { descr: descr?, is_fortran: is_fortran?, shape: shape? })
    }
}

/// The text between the quotes that come first, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let check = |text: &str, descr, is_fortran, shape: &[usize]| {
            let wanted = Header { descr, is_fortran, shape: shape.to_vec() };
            assert_eq!(Header::parse(text), Some(wanted), "{text}");
        };
        check(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } \n",
            "<f4",
            false,
            &[3, 2],
        );
        check("{'descr': '>i8', 'fortran_order': True, 'shape': (7,), }", ">i8", true, &[7]);
        check("{\"shape\":(),\"fortran_order\":False,\"descr\":\"|b1\"}", "|b1", false, &[]);
    }

    #[test]
    fn other_headers_are_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f4', 'fortran_order': False}",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr",
        ] {
            assert_eq!(Header::parse(text), None, "{text}");
        }
    }
}
