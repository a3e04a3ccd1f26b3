//! The forms that were hashed, so that a hash stands for one form only.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::content::ContentHash;

/// The forms behind the hashes that one pool is keyed by. Shared by all threads.
///
/// Forms are never taken out one by one, only all at once by [`clear`](Self::clear); a *generation* is the time
/// between two of these. What was registered in another generation means nothing in this one.
#[derive(Debug)]
pub(crate) struct ContentRegistry {
    /// What is known from the beginning, in every generation. Nothing is registered there any more.
    groundwork: Option<Arc<ContentRegistry>>,
    shards: Box<[Mutex<Shard>]>,
    bytes: AtomicUsize,
    byte_limit: usize,
    /// Whether a form was refused that would have room in an empty registry.
    is_full: AtomicBool,
    /// Odd while the registry is being cleared.
    generation: AtomicU64,
    /// The bits of a hash that count: all of them but in tests.
    hash_bits: u128,
    /// The marks of everything registered, a bit for each, which others may share.
    marks: Box<[AtomicU64]>,
}

/// What is left in a registry by a form, and by the label of a node. Where it is missing, so is the form or node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u32);

impl Mark {
    /// How many different marks there are: their bits take 16 KiB.
    pub(crate) const COUNT: u32 = 1 << 17;

    /// The mark of the label of a node.
    pub(crate) fn of_label(label: &[u8]) -> Self {
        Self::new(xxh3_64(label) as u32)
    }

    /// The mark of a form, by its hash.
    fn of_form(hash: ContentHash) -> Self {
        Self::new(hash.0 as u32)
    }

    /// One of [`COUNT`](Self::COUNT) marks.
    pub(crate) fn new(number: u32) -> Self {
        Self(number % Self::COUNT)
    }

    /// Less than [`COUNT`](Self::COUNT).
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

#[derive(Debug, Default)]
struct Shard {
    /// The forms, one after another.
    forms: Vec<u8>,
    entries: HashTable<Entry>,
}

/// One form of a shard: `forms[start..end]`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: ContentHash,
    start: u32,
    end: u32,
}

impl Shard {
    fn form(&self, entry: &Entry) -> &[u8] {
        &self.forms[entry.start as usize..entry.end as usize]
    }

    /// Whether what has a hash is a form; `None` where nothing has it.
    fn is_known(&self, hash: ContentHash, form: &[u8]) -> Option<bool> {
        let known = self.entries.find(hash.0 as u64, |entry| entry.hash == hash)?;
        Some(self.form(known) == form)
    }
}

impl ContentRegistry {
    /// The longest form that is registered: a form of more than this is cheaper to walk than to compare.
    pub(crate) const LONGEST_FORM: usize = 1 << 20;
    const SHARDS: usize = 16;
    /// A registry that takes no new forms once it holds so many bytes.
    pub(crate) fn new(byte_limit: usize) -> Self {
        Self::with_hash_bits(byte_limit, u128::MAX)
    }

    /// A registry in which only some bits of hashes count.
    fn with_hash_bits(byte_limit: usize, hash_bits: u128) -> Self {
        let shards = (0..Self::SHARDS).map(|_| Mutex::default()).collect();
        let (bytes, generation) = (AtomicUsize::new(0), AtomicU64::new(0));
        let marks = (0..Mark::COUNT / u64::BITS).map(|_| AtomicU64::new(0)).collect();
        let is_full = AtomicBool::new(false);
        Self { groundwork: None, shards, bytes, byte_limit, is_full, generation, hash_bits, marks }
    }

    /// A registry that knows from the beginning, and whenever it is cleared, what another one has.
    pub(crate) fn upon(groundwork: Option<Arc<Self>>, byte_limit: usize) -> Self {
        Self { groundwork, ..Self::new(byte_limit) }
    }

    /// A registry in which forms collide.
    #[cfg(test)]
    pub(crate) fn colliding(hash_bits: u128) -> Self {
        Self::with_hash_bits(usize::MAX, hash_bits)
    }

    /// The hash of a form, once it is certain that no other form of this generation has it. `None` where one has,
    /// where the form is too long, or the registry is full.
    ///
    /// Takes one lock, of one shard, for one look-up and one comparison.
    pub(crate) fn register(&self, form: &[u8]) -> Option<ContentHash> {
        let hash = self.hash(form);
        if let Some(is_known) = self.is_groundwork(hash, form) {
            return is_known.then_some(hash);
        }
        let mut shard = self.lock(hash);
        if let Some(is_known) = shard.is_known(hash, form) {
            return is_known.then_some(hash);
        }
        let bytes = Self::bytes_of(form);
        if form.len() > Self::LONGEST_FORM || bytes > self.byte_limit {
            return None;
        }
        if self.bytes.load(Ordering::Relaxed).saturating_add(bytes) > self.byte_limit {
            self.is_full.store(true, Ordering::Relaxed);
            return None;
        }
        let start = u32::try_from(shard.forms.len()).ok()?;
        let end = start.checked_add(u32::try_from(form.len()).ok()?)?;
        self.mark(Mark::of_form(hash));
        shard.forms.extend_from_slice(form);
        shard.entries.insert_unique(hash.0 as u64, Entry { hash, start, end }, |entry| entry.hash.0 as u64);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Some(hash)
    }

    /// The hash of a form that has been registered; `None` where another form has it. Where neither is so, the mark
    /// that will be there when the form is.
    pub(crate) fn find(&self, form: &[u8]) -> Result<Option<ContentHash>, Mark> {
        let hash = self.hash(form);
        match self.is_groundwork(hash, form).or_else(|| self.lock(hash).is_known(hash, form)) {
            Some(is_known) => Ok(is_known.then_some(hash)),
            None => Err(Mark::of_form(hash)),
        }
    }

    /// Whether the groundwork has a form, which takes no room here.
    pub(crate) fn is_in_groundwork(&self, form: &[u8]) -> bool {
        self.is_groundwork(self.hash(form), form) == Some(true)
    }

    /// Whether what has a hash in the groundwork is a form; `None` where nothing has it.
    fn is_groundwork(&self, hash: ContentHash, form: &[u8]) -> Option<bool> {
        let groundwork = self.groundwork.as_ref()?;
        groundwork.lock(hash).is_known(hash, form)
    }

    fn hash(&self, form: &[u8]) -> ContentHash {
        ContentHash(xxh3_128(form) & self.hash_bits)
    }

    /// Leaves a mark. That of a form is left when it is registered.
    pub(crate) fn mark(&self, mark: Mark) {
        let (word, bit) = Self::place(mark);
        self.marks[word].fetch_or(bit, Ordering::Relaxed);
    }

    /// Whether a mark may have been left in this generation. Lock-free; false only where it has not.
    pub(crate) fn may_have(&self, mark: Mark) -> bool {
        let (word, bit) = Self::place(mark);
        let known = self.groundwork.as_ref().map_or(0, |known| known.marks[word].load(Ordering::Relaxed));
        (known | self.marks[word].load(Ordering::Relaxed)) & bit != 0
    }

    /// The word and the bit of a mark.
    fn place(mark: Mark) -> (usize, u64) {
        (mark.0 as usize / 64, 1 << (mark.0 % 64))
    }

    /// The bytes that a form takes.
    pub(crate) fn bytes_of(form: &[u8]) -> usize {
        form.len() + size_of::<Entry>() + 1
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether a form was refused in this generation for which there is room when all are forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// The generation, or `None` while the registry is being cleared.
    pub(crate) fn generation(&self) -> Option<u64> {
        let generation = self.generation.load(Ordering::Acquire);
        generation.is_multiple_of(2).then_some(generation)
    }

    /// Forgets all forms and begins another generation. Only one thread at a time may do so.
    pub(crate) fn clear(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = Shard::default();
        }
        for word in &self.marks {
            word.store(0, Ordering::Relaxed);
        }
        self.bytes.store(0, Ordering::Relaxed);
        self.is_full.store(false, Ordering::Relaxed);
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The form that was registered under a hash. Registered elsewhere, in any order, forms have the same hashes.
    pub(crate) fn form(&self, hash: ContentHash) -> Option<Box<[u8]>> {
        let known = self.groundwork.as_ref().and_then(|known| known.form(hash));
        known.or_else(|| {
            let shard = self.lock(hash);
            let entry = shard.entries.find(hash.0 as u64, |entry| entry.hash == hash)?;
            Some(shard.form(entry).into())
        })
    }

    fn lock(&self, hash: ContentHash) -> MutexGuard<'_, Shard> {
        // The tables use the low half of the hash, so the shard is chosen by the high one.
        let shard = (hash.0 >> 64) as usize % self.shards.len();
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_form_under_one_hash_is_refused() {
        let registry = ContentRegistry::colliding(0);
        let hash = registry.register(b"one form");
        assert!(hash.is_some());
        assert_eq!(registry.register(b"another form"), None);
        assert_eq!(registry.register(b"one form"), hash);
        registry.clear();
        assert_eq!(registry.register(b"another form"), hash);
        assert_eq!(registry.generation(), Some(2));
    }

    #[test]
    fn hashes_are_the_same_in_every_process() {
        let registry = ContentRegistry::new(1 << 10);
        let hash = registry.register(b"a form").unwrap();
        assert_eq!(format!("{:032x}", hash.0), "a5a7950f7bfa610d9fc25ead8bb9d801");
    }

    #[test]
    fn what_is_registered_is_found_and_marked() {
        let registry = ContentRegistry::new(1 << 10);
        let Err(missing) = registry.find(b"a form") else { panic!("nothing is registered yet") };
        assert!(!registry.may_have(missing));
        let hash = registry.register(b"a form");
        assert!(hash.is_some() && registry.may_have(missing));
        assert_eq!(registry.find(b"a form"), Ok(hash));
        registry.clear();
        assert!(!registry.may_have(missing) && registry.find(b"a form").is_err());
        let colliding = ContentRegistry::colliding(0);
        colliding.register(b"a form");
        assert_eq!(colliding.find(b"another form"), Ok(None));
    }

    #[test]
    fn what_is_saved_registers_again_under_the_same_hashes() {
        let (first, second) = (ContentRegistry::new(1 << 16), ContentRegistry::new(1 << 16));
        let hashes: Vec<_> = (0..100u32).filter_map(|number| first.register(&number.to_le_bytes())).collect();
        for &hash in hashes.iter().rev() {
            assert_eq!(second.register(&first.form(hash).unwrap()), Some(hash));
        }
        assert_eq!((hashes.len(), first.bytes()), (100, second.bytes()));
        let upon = ContentRegistry::upon(Some(Arc::new(first)), 1 << 16);
        assert!(hashes.iter().all(|&hash| upon.form(hash) == second.form(hash)));
    }

    #[test]
    fn a_full_registry_still_knows_what_it_has() {
        let registry = ContentRegistry::new(ContentRegistry::bytes_of(b"12345678"));
        assert_eq!(registry.register(b"no room at all"), None);
        let hash = registry.register(b"12345678");
        assert!(hash.is_some() && !registry.is_full());
        assert_eq!(registry.register(b"9"), None);
        assert!(registry.is_full());
        assert_eq!(registry.register(b"12345678"), hash);
        assert_eq!(registry.bytes(), registry.byte_limit);
        registry.clear();
        assert!(!registry.is_full() && registry.register(b"9").is_some());
    }
}
