//! The instruction sets that loops are compiled for, and which of them this processor has: asked here and nowhere else.
//! Knows nothing of what the loops compute.

/// An instruction set; a later one includes the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// What every processor of the architecture has.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 with the F, BW, DQ and VL parts, and all of [`Isa::Avx2`].
    Avx512,
}

impl Isa {
    /// The largest one that this processor has.
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                return Isa::Avx512;
            }
            if avx2 {
                return Isa::Avx2;
            }
        }
        Isa::Baseline
    }

    /// All that this processor has, the smallest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        [Isa::Baseline, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| *isa <= Isa::best())
    }
}

/// Makes the versions of an inlined generic loop for the wide instruction sets, and the function that chooses among
/// them: `None` for the baseline, for which the loop itself is compiled.
macro_rules! wide_versions {
    ($choose:ident<$m:ident: $bound:path> -> $pointer:ty = $body:ident($($arg:ident: $t:ty),*) $(-> $r:ty)?) => {
        fn $choose<$m: $bound>(isa: Isa) -> Option<$pointer> {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            unsafe fn avx512<$m: $bound>($($arg: $t),*) $(-> $r)? {
                // SAFETY: the caller promises what the loop needs.
                unsafe { $body::<$m>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<$m: $bound>($($arg: $t),*) $(-> $r)? {
                // SAFETY: the caller promises what the loop needs.
                unsafe { $body::<$m>($($arg),*) }
            }
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => Some(avx512::<$m>),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => Some(avx2::<$m>),
                _ => None,
            }
        }
    };
}
pub(in crate::kernels) use wide_versions;
