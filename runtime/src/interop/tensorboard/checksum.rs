//! Cyclic redundancy checks by table: that of TensorBoard's records and that of PNG. Knows polynomials only.
//!
//! A crate for the first would be three more, with a build script, for what takes twenty lines and no time here.

/// The check of each byte, by a polynomial whose bits are reversed.
const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ polynomial } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

static CASTAGNOLI: [u32; 256] = table(0x82f6_3b78);
static ETHERNET: [u32; 256] = table(0xedb8_8320);

/// The check of records, CRC-32C.
pub fn crc32c(bytes: &[u8]) -> u32 {
    check(&CASTAGNOLI, bytes)
}

/// The check of PNG's chunks, CRC-32.
pub fn crc32(bytes: &[u8]) -> u32 {
    check(&ETHERNET, bytes)
}

fn check(table: &[u32; 256], bytes: &[u8]) -> u32 {
    let next =
        |rest: u32, byte: &u8| rest >> 8 ^ table[((rest ^ u32::from(*byte)) & 0xff) as usize];
    !bytes.iter().fold(!0, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of the catalogue of parametrised CRC algorithms, and RFC 3720, B.4.
    #[test]
    fn checks_are_those_of_the_standards() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b""), 0);
    }
}
