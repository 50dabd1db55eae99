//! The kernels: how 64 bytes are looked at once on this processor.
//!
//! The walk is compiled once for each kernel and everything in it is inlined there: a helper
//! that stayed a call of its own, without the feature, would cost ten times the look itself.
#![allow(unsafe_code)]

use super::walk::walk;
use super::{Fail, Scanner, Value};
use wide::u8x16;

/// How many bytes are looked at.
pub(super) const BLOCK: usize = 64;

/// Which of 64 bytes a string scan has to look at, one bit a byte.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    /// What ends a string: quotes that no backslash escapes, control characters, and what lies
    /// behind the end of the bytes.
    pub(super) stop: u64,
    /// What stands behind a backslash that escapes it.
    pub(super) escape: u64,
    /// Those of them that make no simple escape: `u`, and what makes none at all.
    pub(super) rare: u64,
    /// Bytes above 0x7F.
    pub(super) high: u64,
    /// 1 if the last of the bytes escapes the first one behind them, else 0.
    pub(super) carry: u64,
}

/// A way to look at a block.
pub(super) trait Look: Copy {
    /// Looks at 64 bytes; `carry` is that of the bytes before them.
    fn look(self, bytes: &[u8; BLOCK], carry: u64) -> Bits;

    /// Whether 64 bytes are nothing but text: no quote, backslash or control character. And whether they
    /// hold a non-ASCII byte.
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, bool);

    /// Which of 32 bytes are the same, one bit a byte.
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32;

    /// Looks at whole blocks from `at` on, up to the first with a stop or a rare escape, or for which
    /// there are not enough bytes. A call of its own, in which nothing but this loop needs registers.
    fn skim(self, bytes: &[u8], at: usize, carry: u64) -> Skimmed;
}

/// What was seen in blocks without stops and rare escapes.
#[derive(Clone, Copy)]
pub(super) struct Skimmed {
    /// Where they end.
    pub(super) end: usize,
    /// Whether there is an escape in them.
    pub(super) escapes: bool,
    /// Whether there is a non-ASCII byte in them.
    pub(super) high: bool,
    /// The carry of the last one.
    pub(super) carry: u64,
}

#[inline(always)]
fn skim<K: Look>(kernel: K, bytes: &[u8], mut at: usize, mut carry: u64) -> Skimmed {
    let (mut escapes, mut high) = (0, false);
    let mut blocks = bytes.get(at..).unwrap_or_default().as_chunks::<BLOCK>().0;
    let mut without_escapes = 0;
    while let [block, rest @ ..] = blocks {
        // where nothing is escaped, hardly anything will be: that text is passed in long strides
        if without_escapes > 1 {
            let (is_text, is_high) = kernel.is_text(block);
            if is_text {
                high |= is_high;
                at += BLOCK;
                blocks = rest;
                continue;
            }
            without_escapes = 0;
        }
        let bits = kernel.look(block, carry);
        if bits.stop | bits.rare != 0 {
            break;
        }
        without_escapes = if bits.escape | bits.carry == 0 { without_escapes + 1 } else { 0 };
        escapes |= bits.escape;
        high |= bits.high != 0;
        carry = bits.carry;
        at += BLOCK;
        blocks = rest;
    }
    Skimmed { end: at, escapes: escapes != 0, high, carry }
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
        let (mut quote, mut slash, mut control, mut high) = (0, 0, 0, 0);
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            let bits = |lanes: u8x16| u64::from(lanes.to_bitmask() & 0xFFFF) << at;
            quote |= bits(part.simd_eq(u8x16::splat(b'"')));
            slash |= bits(part.simd_eq(u8x16::splat(b'\\')));
            control |= bits(part.min(u8x16::splat(0x1F)).simd_eq(part));
            high |= bits(part);
        }
        // here a branch costs less than the comparisons that it saves
        if slash == 0 && carry == 0 {
            return Bits { stop: quote | control, high, ..Bits::default() };
        }
        let (escape, carry) = escaped(slash, carry);
        let mut simple = quote | slash;
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            let is = |letter| part.simd_eq(u8x16::splat(letter));
            let letters = is(b'n') | is(b't') | is(b'r') | is(b'/') | is(b'b') | is(b'f');
            simple |= u64::from(letters.to_bitmask() & 0xFFFF) << at;
        }
        Bits { stop: quote & !escape | control, escape, rare: escape & !simple, high, carry }
    }

    #[inline(always)]
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, bool) {
        let mut special = u8x16::splat(0);
        let mut all = u8x16::splat(0);
        for at in [0, 16, 32, 48] {
            let part = sixteen(bytes, at);
            let control = part.min(u8x16::splat(0x1F)).simd_eq(part);
            special |= control | part.simd_eq(u8x16::splat(b'"')) | part.simd_eq(u8x16::splat(b'\\'));
            all |= part;
        }
        (special.to_bitmask() & 0xFFFF == 0, all.to_bitmask() & 0xFFFF != 0)
    }

    #[inline(always)]
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32 {
        let bits = |at| sixteen(some, at).simd_eq(sixteen(others, at)).to_bitmask() & 0xFFFF;
        bits(0) | bits(16) << 16
    }

    #[inline(never)]
    fn skim(self, bytes: &[u8], at: usize, carry: u64) -> Skimmed {
        skim(self, bytes, at, carry)
    }
}

#[inline(always)]
fn sixteen<const N: usize>(bytes: &[u8; N], at: usize) -> u8x16 {
    let mut part = [0; 16];
    part.copy_from_slice(&bytes[at..at + 16]);
    u8x16::new(part)
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
        // SAFETY: `self` proves that the processor has AVX2.
        let seen = unsafe { look_avx2(bytes) };
        let (escape, carry) = escaped(seen.slash, carry);
        Bits { stop: seen.quote & !escape | seen.control, escape, rare: escape & !seen.simple, high: seen.high, carry }
    }

    #[inline(always)]
    fn is_text(self, bytes: &[u8; BLOCK]) -> (bool, bool) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { is_text_avx2(bytes) }
    }

    #[inline(always)]
    fn same(self, some: &[u8; 32], others: &[u8; 32]) -> u32 {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { same_avx2(some, others) }
    }

    #[inline(never)]
    fn skim(self, bytes: &[u8], at: usize, carry: u64) -> Skimmed {
        // SAFETY: `self` proves that the processor has these features.
        unsafe { skim_avx2(self, bytes, at, carry) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn skim_avx2(avx2: Avx2, bytes: &[u8], at: usize, carry: u64) -> Skimmed {
    skim(avx2, bytes, at, carry)
}

/// What AVX2 sees in a block, one bit a byte.
#[cfg(target_arch = "x86_64")]
struct Seen {
    quote: u64,
    slash: u64,
    control: u64,
    high: u64,
    /// Letters that make an escape with a backslash, `u` left out.
    simple: u64,
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn look_avx2(bytes: &[u8; BLOCK]) -> Seen {
    use std::arch::x86_64::*;
    // The simple letters are "/ 5C 62 66 6E 72 74 and the quote: a bit for each high nibble, looked up
    // by either nibble, is left over where both fit. A byte above 0x7F finds nothing by its low one.
    const BY_LOW: [u8; 16] = [0, 0, 0b1101, 0, 0b1000, 0, 0b0100, 0, 0, 0, 0, 0, 0b0010, 0, 0b0100, 0b0001];
    const BY_HIGH: [u8; 16] = [0, 0, 0b0001, 0, 0, 0b0010, 0b0100, 0b1000, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: loads of the 16 bytes of each array.
    let (by_low, by_high) = unsafe {
        (
            _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_LOW.as_ptr().cast())),
            _mm256_broadcastsi128_si256(_mm_loadu_si128(BY_HIGH.as_ptr().cast())),
        )
    };
    ahead(bytes);
    let mut seen = Seen { quote: 0, slash: 0, control: 0, high: 0, simple: 0 };
    for at in [0, 32] {
        // SAFETY: an unaligned load of 32 bytes that lie within the 64 of the array.
        let part = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(at).cast()) };
        let high_nibbles = _mm256_and_si256(_mm256_srli_epi16(part, 4), _mm256_set1_epi8(0x0F));
        let fits = _mm256_and_si256(_mm256_shuffle_epi8(by_low, part), _mm256_shuffle_epi8(by_high, high_nibbles));
        let plain = _mm256_cmpeq_epi8(fits, _mm256_setzero_si256());
        let quote = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(b'"' as i8));
        let slash = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(b'\\' as i8));
        let control = _mm256_cmpeq_epi8(_mm256_min_epu8(part, _mm256_set1_epi8(0x1F)), part);
        seen.quote |= u64::from(_mm256_movemask_epi8(quote) as u32) << at;
        seen.slash |= u64::from(_mm256_movemask_epi8(slash) as u32) << at;
        seen.control |= u64::from(_mm256_movemask_epi8(control) as u32) << at;
        seen.high |= u64::from(_mm256_movemask_epi8(part) as u32) << at;
        seen.simple |= u64::from(!_mm256_movemask_epi8(plain) as u32) << at;
    }
    seen
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn is_text_avx2(bytes: &[u8; BLOCK]) -> (bool, bool) {
    use std::arch::x86_64::*;
    ahead(bytes);
    let special = |part| {
        let quote = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(b'"' as i8));
        let slash = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(b'\\' as i8));
        let control = _mm256_cmpeq_epi8(_mm256_min_epu8(part, _mm256_set1_epi8(0x1F)), part);
        _mm256_or_si256(_mm256_or_si256(quote, slash), control)
    };
    // SAFETY: unaligned loads of the two halves of the array.
    let (low, high) =
        unsafe { (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(bytes.as_ptr().add(32).cast())) };
    let found = _mm256_movemask_epi8(_mm256_or_si256(special(low), special(high)));
    (found == 0, _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0)
}

/// Asks for what will be looked at soon: where the bytes come from memory, the walk waits for it otherwise.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unused_unsafe, reason = "the hint is a safe function in newer compilers only")]
fn ahead(bytes: &[u8; BLOCK]) {
    use std::arch::x86_64::*;
    // SAFETY: a hint, which reads nothing and may point anywhere.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(AHEAD).cast()) }
}

/// How far.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1024;

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
