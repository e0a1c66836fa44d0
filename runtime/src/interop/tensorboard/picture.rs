//! Tensors as PNG pictures. Knows the format, and which tensors are pictures.

use super::checksum::crc32;
use super::messages::Image;
use crate::error::{Error, ErrorKind, Result};
use crate::interop::protobuf::Bytes;
use crate::types::DType;
use crate::value::Value;
use miniz_oxide::deflate::compress_to_vec_zlib;

/// How hard zlib tries, of 10.
const EFFORT: u8 = 6;

/// The picture of a tensor: `[height, width]` or `[height, width, channels]`, bytes or floats from 0 to 1.
///
/// # Errors
/// If it is no picture.
pub fn picture(value: &Value) -> Result<Image> {
    let (height, width, channels) = match *value.sizes() {
        [height, width] => (height, width, 1),
        [height, width, channels @ 1..=4] => (height, width, channels),
        _ => return Err(no_picture(value)),
    };
    let side = |size: usize| i32::try_from(size).ok().filter(|it| *it > 0);
    let (Some(rows), Some(columns)) = (side(height), side(width)) else {
        return Err(no_picture(value));
    };
    let pixels = bytes(value).ok_or_else(|| no_picture(value))?;
    let encoded = png(columns, rows, channels, &pixels);
    Ok(Image {
        height: rows,
        width: columns,
        colorspace: channels as i32,
        encoded_image_string: Bytes(encoded),
    })
}

fn no_picture(value: &Value) -> Error {
    let message = format!(
        "a picture is [height, width] or [height, width, 1 to 4 channels] of uint8 or floats from 0 to 1, found {}",
        value.spec()
    );
    Error::new(ErrorKind::Shape, message)
        .with_help("take one of a batch with `x.at(0)`, and `reshape` or `cast` it")
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    let byte = |it: f64| (it.clamp(0.0, 1.0) * 255.0).round() as u8;
    match value.dtype() {
        DType::U8 => value.to_vec::<u8>(),
        DType::F32 => Some(value.to_vec::<f32>()?.into_iter().map(|it| byte(it.into())).collect()),
        DType::F64 => Some(value.to_vec::<f64>()?.into_iter().map(byte).collect()),
        DType::I32 | DType::I64 | DType::Bool => None,
    }
}

fn png(width: i32, height: i32, channels: usize, pixels: &[u8]) -> Vec<u8> {
    let colour = [0, 4, 2, 6][channels - 1];
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits a channel, the only compression, filters for each row, no interlace.
    header.extend([8, colour, 0, 0, 0]);
    // Each row stands as it is, which filter 0 says.
    let rows: Vec<u8> = pixels
        .chunks(width as usize * channels)
        .flat_map(|row| std::iter::once(0).chain(row.iter().copied()))
        .collect();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(b"IHDR", &header, &mut out);
    chunk(b"IDAT", &compress_to_vec_zlib(&rows, EFFORT), &mut out);
    chunk(b"IEND", &[], &mut out);
    out
}

fn chunk(name: &[u8; 4], data: &[u8], out: &mut Vec<u8>) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(name);
    out.extend(data);
    let check = crc32(&out[start..]);
    out.extend(check.to_be_bytes());
}
