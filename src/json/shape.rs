//! What keys follow one another. Programs write the members of a record in one order, so the key that came
//! after this one last time mostly comes again; then one comparison takes the place of reading it.

/// The longest text of a key that is kept.
pub(super) const TEXT: usize = 32;

/// Which key may come; 0 is the one of no name, which stands for none that is known.
pub(super) type Guess = u16;

/// How many keys are kept.
const KEPT: usize = 512;

/// How many places a key may have.
const PLACES: Guess = 4;

const FREE: u32 = u32::MAX;

/// A key that was met.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Known {
    /// The brace or the comma before it, the key in its quotes, and the colon.
    pub(super) text: [u8; TEXT],
    /// A bit for each byte that is no longer of the text.
    pub(super) beyond: u32,
    /// How many bytes are.
    pub(super) length: u8,
    /// Behind which key it was met, or in the value of which; `FREE` if it was not.
    context: u32,
    /// The key that followed it in its object.
    pub(super) next: Guess,
    /// The first key of the objects that are its value, or stand in the array that is.
    pub(super) child: Guess,
    /// See [`Member::word`](super::Member::word).
    pub(super) word: u64,
    /// Its mark.
    pub(super) mark: u64,
}

/// The keys that were met, as many as there are guesses.
pub(super) struct Shapes(Box<[Known; KEPT]>);

impl Default for Shapes {
    fn default() -> Self {
        let mut text = [0; TEXT];
        text[..4].copy_from_slice(b",\"\":");
        let (word, mark) = super::duplicate::mark_of(b"");
        let none = Known { text, beyond: !0 << 4, length: 4, context: FREE, next: 0, child: 0, word, mark };
        Shapes(Box::new([none; KEPT]))
    }
}

impl Shapes {
    /// What a guess stands for.
    #[inline(always)]
    pub(super) fn known(&self, guess: Guess) -> &Known {
        &self.0[usize::from(guess) % KEPT]
    }

    /// Takes note of a key without escapes that was read: `lead` is where the byte before its quote stands,
    /// `before` the key before it, `parent` the one whose value its object is. What stands for it from now
    /// on; 0 where it is too long, or not written as close as can be.
    #[cold]
    #[inline(never)]
    pub(super) fn learn(
        &mut self,
        bytes: &[u8],
        lead: usize,
        length: usize,
        (word, mark): (u64, u64),
        (before, parent): (Guess, Guess),
    ) -> Guess {
        let text = bytes.get(lead..).and_then(<[u8]>::first_chunk::<TEXT>);
        let Some(text) = text.filter(|text| length <= TEXT && is_close(&text[..length])) else { return 0 };
        let lead = text[0];
        // what follows depends on what came before: `type` begins objects of many kinds
        let context = if lead == b'{' { 1 << 16 | u32::from(parent) } else { u32::from(before) };
        let first = ((mark ^ u64::from(context)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as Guess;
        let mut places = (0..PLACES).map(|n| (first.wrapping_add(n) % KEPT as Guess).max(1));
        let is_it = |known: &Known| {
            known.context == context
                && usize::from(known.length) == length
                && known.text[..length] == text[..length]
        };
        let fits = |slot: &Guess| {
            let known = self.known(*slot);
            known.context == FREE || is_it(known)
        };
        // where all are taken the first one is given up
        let slot = places.clone().find(fits).or_else(|| places.next()).unwrap_or(1);
        if !is_it(self.known(slot)) {
            let beyond = (!0u32).checked_shl(length as u32).unwrap_or(0);
            let length = length as u8;
            self.0[usize::from(slot)] = Known { text: *text, beyond, length, context, next: 0, child: 0, word, mark };
        }
        match lead {
            b'{' => self.0[usize::from(parent) % KEPT].child = slot,
            _ => self.0[usize::from(before) % KEPT].next = slot,
        }
        slot
    }
}

/// Whether a key is written without white space, and in ASCII: of what is compared nothing else is looked at.
fn is_close(text: &[u8]) -> bool {
    matches!(text, [b'{' | b',', b'"', .., b'"', b':']) && text.is_ascii()
}
