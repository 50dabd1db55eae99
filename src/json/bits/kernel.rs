//! The kernels: how 64 bytes are compared at once on this processor.
#![allow(unsafe_code)]

use super::{BLOCK, Bits, Seen};
use wide::u8x16;

/// A way to look at a block. The default is the best one that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::json) enum Kernel {
    /// 16 bytes at a time: SSE2, NEON, or plain code where there is neither.
    Portable,
    /// 32 bytes at a time. Made only by [`Kernel::default`] and [`Kernel::all`], where AVX2 was detected.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Default for Kernel {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Portable
    }
}

impl Kernel {
    /// Those that this processor can run.
    #[cfg(test)]
    pub(in crate::json) fn all() -> Vec<Kernel> {
        let mut all = vec![Kernel::Portable, Kernel::default()];
        all.dedup();
        all
    }

    #[inline(always)]
    pub(super) fn look(self, bytes: &[u8; BLOCK], bits: &mut Bits) {
        match self {
            Kernel::Portable => bits.set(portable(bytes)),
            // SAFETY: this variant is made only where AVX2 was detected.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2(bytes, bits) },
        }
    }
}

#[inline(always)]
fn portable(bytes: &[u8; BLOCK]) -> Seen {
    let mut seen = Seen { quote: 0, slash: 0, control: 0, high: 0, n: 0 };
    for (at, part) in bytes.chunks_exact(16).enumerate() {
        let part = u8x16::new(part.try_into().expect("a slice of 16 bytes"));
        let bits = |lanes: u8x16| u64::from(lanes.to_bitmask() & 0xFFFF) << (16 * at);
        seen.quote |= bits(part.simd_eq(u8x16::splat(b'"')));
        seen.slash |= bits(part.simd_eq(u8x16::splat(b'\\')));
        seen.control |= bits(part.min(u8x16::splat(0x1F)).simd_eq(part));
        seen.n |= bits(part.simd_eq(u8x16::splat(b'n')));
        seen.high |= bits(part);
    }
    seen
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(bytes: &[u8; BLOCK], bits: &mut Bits) {
    use std::arch::x86_64::*;
    let mut seen = Seen { quote: 0, slash: 0, control: 0, high: 0, n: 0 };
    for at in [0, 32] {
        // SAFETY: an unaligned load of 32 bytes that lie within the 64 of the array.
        let part = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(at).cast()) };
        let mask = |lanes| u64::from(_mm256_movemask_epi8(lanes) as u32) << at;
        let equal = |byte: u8| mask(_mm256_cmpeq_epi8(part, _mm256_set1_epi8(byte as i8)));
        seen.quote |= equal(b'"');
        seen.slash |= equal(b'\\');
        seen.control |= mask(_mm256_cmpeq_epi8(_mm256_min_epu8(part, _mm256_set1_epi8(0x1F)), part));
        seen.n |= equal(b'n');
        seen.high |= mask(part);
    }
    bits.set(seen);
}
