//! Which bytes a string scan has to look at, 64 at a time.

mod kernel;

pub(super) use kernel::Kernel;

/// How many bytes a [`Bits`] covers.
pub(super) const BLOCK: usize = 64;

/// Which of 64 bytes a string scan has to look at, one bit a byte.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    /// What ends a string: quotes that no backslash escapes, control characters, and what lies
    /// behind the end of the bytes.
    pub(super) stop: u64,
    /// What stands behind a backslash that escapes it.
    pub(super) escape: u64,
    /// Those of them that are not `n`, a quote or a backslash: they have to be looked at one by one.
    pub(super) rare: u64,
    /// Bytes above 0x7F.
    pub(super) high: u64,
    /// Whether the last of the bytes escapes the first one behind them.
    pub(super) carry: bool,
    kernel: Kernel,
}

impl Bits {
    #[cfg(test)]
    pub(super) fn new(kernel: Kernel) -> Bits {
        Bits { kernel, ..Bits::default() }
    }

    /// Goes on to the bytes from `at` on, which follow those it was about.
    #[inline]
    pub(super) fn load(&mut self, bytes: &[u8], at: usize) {
        match bytes.get(at..at + BLOCK) {
            Some(chunk) => self.look(chunk.try_into().expect("a slice of 64 bytes")),
            None => self.load_last(bytes.get(at..).unwrap_or_default()),
        }
    }

    #[cold]
    fn load_last(&mut self, rest: &[u8]) {
        let mut padded = [0; BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        self.look(&padded);
    }

    fn look(&mut self, bytes: &[u8; BLOCK]) {
        let kernel = self.kernel;
        kernel.look(bytes, self);
    }

    /// Takes what a kernel saw. The fields are written one by one: a value that is returned and
    /// copied costs more than the look itself.
    #[inline(always)]
    fn set(&mut self, seen: Seen) {
        let Seen { quote, slash, control, high, n } = seen;
        let (escape, carry) = escaped(slash, self.carry);
        self.stop = quote & !escape | control;
        self.escape = escape;
        self.rare = escape & !(n | quote | slash);
        self.high = high;
        self.carry = carry;
    }
}

/// What a kernel sees in a block, one bit a byte.
struct Seen {
    quote: u64,
    slash: u64,
    control: u64,
    high: u64,
    /// The letter n.
    n: u64,
}

/// The bits behind backslashes that escape: in a run of backslashes every other one does. Adding
/// the starts of runs on odd places to the runs carries a bit behind each run, so the parity of a
/// run's length shows without a loop.
#[inline]
fn escaped(slash: u64, carry: bool) -> (u64, bool) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let first = u64::from(carry);
    if slash == 0 {
        return (first, false);
    }
    let potential = slash & !first;
    let behind = potential << 1;
    let codes = (behind | ODD).wrapping_sub(potential) ^ ODD;
    let escape = codes ^ (slash | first);
    (escape, (codes & slash) >> 63 == 1)
}

/// The letters that make an escape with a backslash, `u` left out. A table: a string of many
/// escapes costs less by look-up than by branch.
pub(super) static SIMPLE_ESCAPES: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"\"\\/bfnrt";
    let mut n = 0;
    while n < letters.len() {
        table[letters[n] as usize] = true;
        n += 1;
    }
    table
};
