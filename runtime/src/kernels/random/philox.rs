//! Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//! Knows words of 32 bits; what is made of them, the distributions know.

/// How many blocks are made at a time: as many as fill a vector register of 512 bits with one word each.
pub(super) const LANES: usize = 16;

/// The four words of each of some blocks in a row, word by word.
pub(super) type Words = [[u32; LANES]; 4];

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The blocks numbered `first`, `first + 1`, .. of the stream with this seed; numbers wrap around at 2^64.
#[inline(always)]
pub(super) fn blocks(seed: u64, first: u64) -> Words {
    let mut counter = [[0; LANES]; 4];
    let [low, high, ..] = &mut counter;
    for (lane, (low, high)) in low.iter_mut().zip(high).enumerate() {
        let number = first.wrapping_add(lane as u64);
        (*low, *high) = (number as u32, (number >> 32) as u32);
    }
    encrypted(counter, [seed as u32, (seed >> 32) as u32])
}

/// All blocks at once, with the same key: each line is done for all lanes, which is how LLVM makes vectors of it.
#[inline(always)]
fn encrypted(mut counter: Words, mut key: [u32; 2]) -> Words {
    for _ in 0..ROUNDS {
        let [a, b, c, d] = counter;
        for lane in 0..LANES {
            let (low_a, high_a) = a[lane].carrying_mul(MULTIPLIERS[0], 0);
            let (low_c, high_c) = c[lane].carrying_mul(MULTIPLIERS[1], 0);
            counter[0][lane] = high_c ^ b[lane] ^ key[0];
            counter[1][lane] = low_c;
            counter[2][lane] = high_a ^ d[lane] ^ key[1];
            counter[3][lane] = low_a;
        }
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(counter: [u32; 4], key: [u32; 2], expected: [u32; 4]) {
        let found = encrypted(counter.map(|word| [word; LANES]), key);
        for lane in 0..LANES {
            assert_eq!(found.map(|word| word[lane]), expected, "{counter:x?} {key:x?}");
        }
    }

    /// The lines `philox4x32 10` of tests/kat_vectors in Random123 1.14 (github.com/DEShawResearch/random123).
    #[test]
    fn agrees_with_the_known_answers_of_random123() {
        check([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        check([!0; 4], [!0; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        check(
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        );
    }

    #[test]
    fn a_block_is_a_function_of_seed_and_number() {
        let seed = 0x299f_31d0_a409_3822;
        let first = u64::MAX - 7;
        let many = blocks(seed, first);
        for lane in 0..LANES {
            let alone = blocks(seed, first.wrapping_add(lane as u64));
            assert_eq!(many.map(|word| word[lane]), alone.map(|word| word[0]));
        }
        assert_ne!(blocks(seed, 0), blocks(seed + (1 << 32), 0), "the whole seed counts");
        assert_ne!(blocks(seed, 0), blocks(seed, 1 << 32), "the whole number counts");
    }
}
