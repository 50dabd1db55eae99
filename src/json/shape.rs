//! What keys follow one another. Programs write the members of a record in one order, so the key that came
//! after this one mostly comes again; then one comparison takes the place of reading it.
//!
//! Keys that were met stand in a tree: below each the keys that followed it in its object, and the first keys
//! of the objects in its value. So a place in the tree is all keys of an object up to there, and what was found
//! out of these holds again: that none of them occurs twice.

use super::walk::chunk;
use std::sync::{Arc, LazyLock};

/// The longest text of a key that is kept.
pub(super) const TEXT: usize = 32;

/// A place in the tree, in bytes from the first one; 0 is outside of every object, or somewhere that is not in
/// the tree.
pub(super) type Guess = u16;

/// How many bytes a place takes.
const STEP: usize = size_of::<Known>();

/// Which place that is. What comes out needs no check of bounds.
#[inline(always)]
fn number(guess: Guess) -> usize {
    usize::from(guess) / STEP % PLACES
}

/// How many places there are.
const PLACES: usize = 512;

/// How many scans nothing is learned after the tree was full, at first and at most.
const FIRST_PAUSE: u32 = 16;
const LONGEST_PAUSE: u32 = 1 << 16;

/// A key that was met.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Known {
    /// The brace or the comma before it, the key in its quotes, and the colon.
    pub(super) text: [u8; TEXT],
    /// See [`Member::word`](super::Member::word).
    pub(super) word: u64,
    /// The marks of the keys of its object up to it.
    pub(super) marks: u64,
    /// A bit for each byte that is no longer of the text.
    pub(super) beyond: u32,
    /// How many bytes are.
    pub(super) length: u8,
    /// The place above: of the key before it, or where it is the first of its object, of the key whose value
    /// that is.
    above: Guess,
    /// The keys that followed it in its object, the last two.
    pub(super) next: [Guess; 2],
    /// The first keys of the objects that are its value, or stand in the array that is.
    pub(super) child: [Guess; 2],
}

impl Known {
    /// The key, which has no escapes.
    pub(super) fn key(&self) -> &[u8] {
        &self.text[2..usize::from(self.length) - 2]
    }

    /// What stands for nothing: a text that no member begins with.
    const NONE: Known =
        Known { text: [0xFF; TEXT], word: 0, marks: 0, beyond: 0, length: 4, above: 0, next: [0; 2], child: [0; 2] };
}

/// The tree. Scanners have the empty one in common until they learn something: most are there for a value or two.
pub(super) struct Shapes {
    tree: Arc<Tree>,
    /// For how many scans nothing is learned, and for how many the next time.
    rest: u32,
    pause: u32,
}

#[derive(Clone)]
struct Tree {
    known: [Known; PLACES],
    /// How many places are taken.
    taken: usize,
    /// By hash, which place may be that of a key behind another one.
    index: [Guess; PLACES * 2],
}

static EMPTY: LazyLock<Arc<Tree>> =
    LazyLock::new(|| Arc::new(Tree { known: [Known::NONE; PLACES], taken: 1, index: [0; PLACES * 2] }));

/// How many scans nothing is learned at first.
const FIRST_REST: u32 = 2;

impl Default for Shapes {
    fn default() -> Self {
        Shapes { tree: EMPTY.clone(), rest: FIRST_REST, pause: FIRST_PAUSE }
    }
}

impl Shapes {
    /// What a guess stands for.
    #[inline(always)]
    pub(super) fn known(&self, guess: Guess) -> &Known {
        &self.tree.known[number(guess)]
    }

    /// The places of the keys of an object up to this one.
    pub(super) fn up_to(&self, mut place: Guess) -> impl Iterator<Item = Guess> {
        std::iter::from_fn(move || {
            let this = place;
            if this == 0 {
                return None;
            }
            let known = self.known(this);
            place = if known.text[0] == b'{' { 0 } else { known.above };
            Some(this)
        })
    }

    /// Whether what is read is learned.
    #[inline(always)]
    pub(super) fn is_learning(&self) -> bool {
        self.rest == 0
    }

    /// Begins a scan. Only now places that were taken can be given up: until now some were in use.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        if self.rest > 0 || self.tree.taken == PLACES {
            self.pause_or_clear();
        }
    }

    #[cold]
    #[inline(never)]
    fn pause_or_clear(&mut self) {
        if self.rest == 0 {
            // many keys that do not come again: what is learned is worth less than it costs
            *self = Shapes { tree: EMPTY.clone(), rest: self.pause, pause: (self.pause * 2).min(LONGEST_PAUSE) };
        } else {
            self.rest -= 1;
        }
    }

    /// Takes note of a key without escapes that was read and is new to its object: `lead` is where the byte
    /// before its quote stands, `before` the place of the key before it, `parent` that of the key whose value
    /// its object is. Its place; 0 where it is too long, not written as close as can be, or there is none.
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
        let text = chunk::<TEXT>(bytes, lead);
        let Some(text) = text.filter(|text| length <= TEXT && is_close(&text[..length])) else { return 0 };
        let first = text[0] == b'{';
        // behind a key that is not in the tree nothing is known of those before
        if !self.is_learning() || !first && before == 0 {
            return 0;
        }
        let above = if first { parent } else { before };
        let tree = Arc::make_mut(&mut self.tree);
        let context = u64::from(above) << 1 | u64::from(first);
        let mut at = (mark ^ context.wrapping_mul(0xD6E8_FEB8_6659_FD93)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
        let found = loop {
            let slot = tree.index[at as usize % (PLACES * 2)];
            if slot == 0 {
                break None;
            }
            let known = &tree.known[number(slot)];
            if known.above == above && usize::from(known.length) == length && known.text[..length] == text[..length] {
                break Some(slot);
            }
            at += 1;
        };
        let place = match found {
            Some(place) => place,
            None if tree.taken == PLACES => return 0,
            None => {
                let place = (tree.taken * STEP) as Guess;
                tree.taken += 1;
                tree.index[at as usize % (PLACES * 2)] = place;
                let before = if first { 0 } else { tree.known[number(before)].marks };
                let marks = before | 1 << (mark >> 58);
                let beyond = (!0u32).checked_shl(length as u32).unwrap_or(0);
                let length = length as u8;
                tree.known[number(place)] = Known { text: *text, word, marks, beyond, length, above, ..Known::NONE };
                place
            }
        };
        let above = &mut tree.known[number(above)];
        let below = if first { &mut above.child } else { &mut above.next };
        if !below.contains(&place) {
            *below = [place, below[0]];
        }
        place
    }
}

/// Whether a key is written without white space, and in ASCII: of what is compared nothing else is looked at.
fn is_close(text: &[u8]) -> bool {
    matches!(text, [b'{' | b',', b'"', .., b'"', b':']) && text.is_ascii()
}
