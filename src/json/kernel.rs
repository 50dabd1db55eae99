//! The kernels: how 64 bytes are looked at once on this processor.
//!
//! The walk is compiled once for each kernel and everything in it is inlined there: a helper
//! that stayed a call of its own, without the feature, would cost ten times the look itself.
#![allow(unsafe_code)]

use super::walk::{Stop, Window, long_string, walk};
use super::{Fail, Scanner, Value};
use wide::u8x16;

/// How many bytes are looked at.
pub(super) const BLOCK: usize = 64;

/// Which of 64 bytes a string scan has to look at, one bit a byte.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    /// Where a string scan has to stop: at quotes that no backslash escapes, at control characters, at
    /// what lies behind the end of the bytes, and behind a backslash at what makes no common escape: at `u`,
    /// perhaps at `b` or `f`, and at what makes none at all.
    pub(super) stop: u64,
    /// What stands behind a backslash that escapes it.
    pub(super) escape: u64,
    /// Not 0 if there is a byte above 0x7F.
    pub(super) high: u32,
    /// 1 if the last of the bytes escapes the first one behind them, else 0.
    pub(super) carry: u64,
}

/// A way to look at a block.
pub(super) trait Look: Copy {
    /// Looks at 64 bytes; `carry` is that of the bytes before them.
    fn look(self, bytes: &[u8; BLOCK], carry: u64) -> Bits;

    /// Whether 64 bytes are nothing but text: no quote, backslash or control character. And bits for
    /// bytes above 0x7F, as in [`Bits`].
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, u32);

    /// Which of 32 bytes are digits, one bit a byte.
    fn digits(self, bytes: &[u8; 32]) -> u32;

    /// Which of 32 bytes are the same, one bit a byte.
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32;

    /// Looks for the end of a string, see [`long_string`]: a call of its own, in which nothing but this loop
    /// needs registers.
    fn string(self, window: &mut Window, scanner: &mut Scanner, bytes: &[u8], from: usize) -> Result<usize, Stop>;
}

/// Which kernel a scanner runs. The default is the best one that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// 16 bytes at a time: SSE2, NEON, or plain code where there is neither.
    Portable,
    /// 32 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Default for Kernel {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return Kernel::Avx2(avx2);
        }
        Kernel::Portable
    }
}

impl Kernel {
    /// Those that this processor can run.
    pub(super) fn all() -> Vec<Kernel> {
        let mut all = vec![Kernel::Portable, Kernel::default()];
        all.dedup();
        all
    }

    /// The kernel's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kernel::Portable if cfg!(target_arch = "x86_64") => "SSE2",
            Kernel::Portable if cfg!(target_arch = "aarch64") => "NEON",
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => "AVX2",
        }
    }

    /// Walks over a value with this kernel.
    pub(super) fn run(self, scanner: &mut Scanner, bytes: &[u8], start: usize, line: bool) -> Result<Value, Fail> {
        match self {
            Kernel::Portable => walk(Portable, scanner, bytes, start, line),
            // SAFETY: there is an `Avx2` only where its features were detected.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(avx2) => unsafe { walk_avx2(avx2, scanner, bytes, start, line) },
        }
    }
}

/// The walk, compiled for processors with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn walk_avx2(avx2: Avx2, scanner: &mut Scanner, bytes: &[u8], start: usize, line: bool) -> Result<Value, Fail> {
    walk(avx2, scanner, bytes, start, line)
}

/// Looks through vectors of 16 bytes.
#[derive(Clone, Copy)]
struct Portable;

impl Look for Portable {
    #[inline(always)]
    fn look(self, bytes: &[u8; BLOCK], carry: u64) -> Bits {
        ahead(bytes);
        let (mut specials, mut slash) = (0, 0);
        let mut all = u8x16::splat(0);
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            specials |= bits(special(part)) << at;
            slash |= bits(part.simd_eq(u8x16::splat(b'\\'))) << at;
            all |= part;
        }
        let high = all.to_bitmask();
        // here a branch costs less than the comparisons that it saves
        if slash == 0 && carry == 0 {
            return Bits { stop: specials, escape: 0, high, carry: 0 };
        }
        let (escape, carry) = escaped(slash, carry);
        let mut simple = slash;
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            let is = |letter| part.simd_eq(u8x16::splat(letter));
            // the others are as rare as they can be looked at by themselves
            let letters = is(b'n') | is(b'"') | is(b't') | is(b'r') | is(b'/');
            simple |= bits(letters) << at;
        }
        Bits { stop: specials & !escape | escape & !simple, escape, high, carry }
    }

    #[inline(always)]
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, u32) {
        ahead(bytes);
        let mut specials = u8x16::splat(0);
        let mut all = u8x16::splat(0);
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            specials |= special(part) | part.simd_eq(u8x16::splat(b'\\'));
            all |= part;
        }
        (bits(specials) == 0, all.to_bitmask())
    }

    #[inline(always)]
    fn digits(self, bytes: &[u8; 32]) -> u32 {
        let bits = |at| {
            let values = sixteen(bytes, at) ^ u8x16::splat(b'0');
            bits(values.min(u8x16::splat(9)).simd_eq(values)) as u32
        };
        bits(0) | bits(16) << 16
    }

    #[inline(always)]
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32 {
        let bits = |at| bits(sixteen(some, at).simd_eq(sixteen(others, at))) as u32;
        bits(0) | bits(16) << 16
    }

    #[inline(never)]
    fn string(self, window: &mut Window, scanner: &mut Scanner, bytes: &[u8], from: usize) -> Result<usize, Stop> {
        long_string(self, window, scanner, bytes, from)
    }
}

#[inline(always)]
fn sixteen<const N: usize>(bytes: &[u8; N], at: usize) -> u8x16 {
    let mut part = [0; 16];
    part.copy_from_slice(&bytes[at..at + 16]);
    u8x16::new(part)
}

/// Which bytes are quotes or control characters. A quote with its second bit turned is the space, and so the
/// first byte behind these.
#[inline(always)]
fn special(part: u8x16) -> u8x16 {
    let turned = part ^ u8x16::splat(2);
    turned.min(u8x16::splat(0x20)).simd_eq(turned)
}

/// The high bit of each byte.
#[inline(always)]
fn bits(part: u8x16) -> u64 {
    u64::from(part.to_bitmask() & 0xFFFF)
}

/// Proof that the processor has AVX2, and what came with it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Avx2> {
        use std::arch::is_x86_feature_detected as has;
        (has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")).then_some(Avx2(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Look for Avx2 {
    #[inline(always)]
    fn look(self, bytes: &[u8; BLOCK], carry: u64) -> Bits {
        ahead(bytes);
        // SAFETY: `self` proves that the processor has AVX2.
        let seen = unsafe { look_avx2(bytes) };
        let (escape, carry) = escaped(seen.slash, carry);
        Bits { stop: seen.special & !escape | escape & !seen.simple, escape, high: seen.high, carry }
    }

    #[inline(always)]
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, u32) {
        ahead(bytes);
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { is_text_avx2(bytes) }
    }

    #[inline(always)]
    fn digits(self, bytes: &[u8; 32]) -> u32 {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { digits_avx2(bytes) }
    }

    #[inline(always)]
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32 {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { same_avx2(some, others) }
    }

    #[inline(always)]
    fn string(self, window: &mut Window, scanner: &mut Scanner, bytes: &[u8], from: usize) -> Result<usize, Stop> {
        // SAFETY: `self` proves that the processor has these features.
        unsafe { string_avx2(self, window, scanner, bytes, from) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn string_avx2(
    avx2: Avx2,
    window: &mut Window,
    scanner: &mut Scanner,
    bytes: &[u8],
    from: usize,
) -> Result<usize, Stop> {
    long_string(avx2, window, scanner, bytes, from)
}

/// What AVX2 sees in a block, one bit a byte.
#[cfg(target_arch = "x86_64")]
struct Seen {
    /// Quotes and control characters.
    special: u64,
    slash: u64,
    /// What makes an escape with a backslash, `u` left out.
    simple: u64,
    /// Not 0 if there is a byte above 0x7F.
    high: u32,
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn look_avx2(bytes: &[u8; BLOCK]) -> Seen {
    use std::arch::x86_64::*;
    // By bits 1 to 4 the one letter that a byte can be. `b` shares its with the quote: an escape as rare as
    // it can be looked at by itself.
    const LETTERS: [u8; 16] = *b"\xFF\"\xFFf\xFF\xFF\xFFn/rt\xFF\xFF\xFF\\\xFF";
    // SAFETY: a load of the 16 bytes of the array.
    let letters = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(LETTERS.as_ptr().cast())) };
    let mut seen = Seen { special: 0, slash: 0, simple: 0, high: 0 };
    let mut all = _mm256_setzero_si256();
    for at in [0, 32] {
        // SAFETY: an unaligned load of 32 bytes that lie within the 64 of the array.
        let part = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(at).cast()) };
        let is = |letter: u8| _mm256_cmpeq_epi8(part, _mm256_set1_epi8(letter as i8));
        let bits = |lanes| u64::from(_mm256_movemask_epi8(lanes) as u32) << at;
        // half of a byte, rounded up; one above 0x7F is not what it finds
        let half = _mm256_avg_epu8(part, _mm256_setzero_si256());
        seen.special |= bits(special_avx2(part));
        seen.slash |= bits(is(b'\\'));
        seen.simple |= bits(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(letters, half), part));
        all = _mm256_or_si256(all, part);
    }
    seen.high = _mm256_movemask_epi8(all) as u32;
    seen
}

/// Which bytes are quotes or control characters. A quote with its second bit turned is the space, and so the
/// first byte behind these.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn special_avx2(part: std::arch::x86_64::__m256i) -> std::arch::x86_64::__m256i {
    use std::arch::x86_64::*;
    let turned = _mm256_xor_si256(part, _mm256_set1_epi8(2));
    _mm256_cmpeq_epi8(_mm256_min_epu8(turned, _mm256_set1_epi8(0x20)), turned)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn is_text_avx2(bytes: &[u8; BLOCK]) -> (bool, u32) {
    use std::arch::x86_64::*;
    let special = |part| _mm256_or_si256(special_avx2(part), _mm256_cmpeq_epi8(part, _mm256_set1_epi8(b'\\' as i8)));
    // SAFETY: unaligned loads of the two halves of the array.
    let (low, high) =
        unsafe { (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(bytes.as_ptr().add(32).cast())) };
    let found = _mm256_movemask_epi8(_mm256_or_si256(special(low), special(high)));
    (found == 0, _mm256_movemask_epi8(_mm256_or_si256(low, high)) as u32)
}

/// Asks for what will be looked at soon: where the bytes come from memory, the walk waits for it otherwise.
/// From afar for the page, and once more from near.
#[inline(always)]
fn ahead(bytes: &[u8; BLOCK]) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unused_unsafe, reason = "the hint is a safe function in newer compilers only")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        // SAFETY: hints, which read nothing and may point anywhere.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(1024).cast());
            _mm_prefetch::<_MM_HINT_T1>(bytes.as_ptr().wrapping_add(4096).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn same_avx2(some: &[u8; 32], others: &[u8; 32]) -> u32 {
    use std::arch::x86_64::*;
    // SAFETY: unaligned loads of the 32 bytes of each array.
    let (some, others) =
        unsafe { (_mm256_loadu_si256(some.as_ptr().cast()), _mm256_loadu_si256(others.as_ptr().cast())) };
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(some, others)) as u32
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn digits_avx2(bytes: &[u8; 32]) -> u32 {
    use std::arch::x86_64::*;
    // SAFETY: an unaligned load of the 32 bytes of the array.
    let part = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    let values = _mm256_xor_si256(part, _mm256_set1_epi8(b'0' as i8));
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values)) as u32
}

/// The bits behind backslashes that escape, and the carry: in a run of backslashes every other one
/// escapes. Adding the starts of runs on odd places to the runs carries a bit behind each run, so the
/// parity of a run's length shows without a loop.
#[inline(always)]
fn escaped(slash: u64, carry: u64) -> (u64, u64) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let potential = slash & !carry;
    let behind = potential << 1;
    let codes = (behind | ODD).wrapping_sub(potential) ^ ODD;
    (codes ^ (slash | carry), (codes & slash) >> 63)
}
