//! Which characters leave a configuration as it is, or nearly.

use smallvec::SmallVec;

use super::{Configuration, ConfigurationId, Configurations, Ground, Pairs};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::patience::Patience;
use crate::recognizer::{COMMON, ClassRun, Stretch};
use crate::vocabulary::{ClassId, Signature};

/// A class of characters that leave a configuration as it is, but for how many of them may still come.
#[derive(Clone, Copy, Debug)]
pub(in crate::mask) struct ClassLoop {
    pub(in crate::mask) class: ClassId,
    /// So many of them may come at most; `u32::MAX` for any number.
    pub(in crate::mask) maximum: u32,
    /// The kinds that are in the class as a whole.
    pub(in crate::mask) whole_kinds: Signature,
    /// The configuration without what reads these characters; the frame of the walk is not complete. `None` where that reads others,
    /// too, since something else that is alive does: characters that the class leaves out for it.
    pub(in crate::mask) rest: Option<ConfigurationId>,
}

/// For each pair of a configuration, the run of characters that its state begins with.
type Runs = SmallVec<[Option<ClassRun>; 8]>;

/// What is known of reading digits: after each of up to `all` all that changes is the state, and of `some` not.
#[derive(Clone, Copy, Debug)]
pub(super) struct DigitsRead {
    all: u8,
    some: u8,
}

impl DigitsRead {
    pub(super) const UNKNOWN: Self = Self { all: 0, some: u8::MAX };
}

impl Configurations {
    /// At so many nodes, it takes less to find out what a state does with many characters than to go on without.
    const OFTEN: u16 = 32;
    /// The same of a state that does not come back to itself.
    const VERY_OFTEN: u16 = 256;

    /// Whether every text of characters of some kinds leaves the configuration as it is, as digits do in the middle
    /// of a number. Says no where there are other kinds than those of ASCII, whose characters are bytes.
    pub(in crate::mask) fn loops_on(
        &mut self,
        id: ConfigurationId,
        kinds: Signature,
        ground: &Ground<'_>,
    ) -> Result<bool> {
        let Configuration { loops, changes, .. } = *self.get(id);
        let unknown = kinds.without(loops);
        if unknown.is_empty() {
            return Ok(true);
        }
        if !kinds.is_ascii() || kinds.without(changes) != kinds {
            return Ok(false);
        }
        for byte in ground.automaton.first_of(unknown).iter() {
            if self.step(id, byte, ground)? != Some(id) {
                self.entries[id.index()].changes |= Signature::of(byte);
                return Ok(false);
            }
        }
        self.entries[id.index()].loops |= unknown;
        Ok(true)
    }

    /// Whether all texts of some kinds of characters stay in the frame of the only state alive, and never complete it.
    ///
    /// What is not known is found out where a configuration is met often: each time, more of what is below could be taken
    /// as a whole. Says no before.
    pub(in crate::mask) fn stays_within(
        &mut self,
        id: ConfigurationId,
        kinds: Signature,
        patience: &mut Patience,
        ground: &Ground<'_>,
    ) -> Result<bool> {
        let entry = &mut self.entries[id.index()];
        if kinds.is_within(entry.stays) {
            return Ok(true);
        }
        entry.met = entry.met.saturating_add(1);
        if entry.met < Self::OFTEN || !entry.met.is_power_of_two() {
            return Ok(false);
        }
        self.find_stays(id, patience, ground)?;
        Ok(kinds.is_within(self.get(id).stays))
    }

    #[cold]
    fn find_stays(
        &mut self,
        id: ConfigurationId,
        patience: &mut Patience,
        ground: &Ground<'_>,
    ) -> Result<()> {
        let entry = self.get(id);
        // Where a text is captured, no loop is known.
        let may_stay = entry.stays.is_empty() && entry.capture.is_none();
        let Some(state) =
            entry.single().filter(|state| may_stay && !state.captures() && !state.is_nullable())
        else {
            return Ok(());
        };
        let automaton = ground.automaton;
        let stretch = match automaton.known_stretch(state) {
            None if entry.met >= Self::VERY_OFTEN => patience.stretch_of(state, ground)?,
            known => known,
        };
        let stretch = stretch.filter(|stretch| stretch.characters == Stretch::UNLIMITED);
        let stays = match stretch {
            Some(stretch) => stretch.kinds,
            None if entry.steps.lead_to(id) => automaton.loops(state, ground.deadline)?,
            None => return Ok(()),
        };
        self.entries[id.index()].stays = stays;
        Ok(())
    }

    /// Kinds of characters of ASCII that leave a configuration as it is, where its states tell them by themselves, and otherwise
    /// all; none, where all common ones change it.
    pub(in crate::mask) fn loops(&mut self, id: ConfigurationId, ground: &Ground<'_>) -> Result<Signature> {
        let plain = self.plain_loops(id, ground)?;
        match plain.is_empty() {
            true => self.all_loops(id, ground),
            false => Ok(plain),
        }
    }

    /// All kinds of characters of ASCII that leave a configuration as it is; none, where all common ones change it.
    pub(in crate::mask) fn all_loops(
        &mut self,
        id: ConfigurationId,
        ground: &Ground<'_>,
    ) -> Result<Signature> {
        let mut is_worth_finding = false;
        for byte in COMMON {
            is_worth_finding |= self.loops_on(id, Signature::of(byte), ground)?;
        }
        if !is_worth_finding {
            return Ok(Signature::EMPTY);
        }
        let first = self.first_bytes(id, ground)?.intersection(&ByteSet::range(0x20, 0x7F));
        let Configuration { loops, changes, .. } = *self.get(id);
        let unknown = Signature::of_any(&first).without(loops).without(changes);
        for byte in unknown.first_bytes().iter() {
            self.loops_on(id, Signature::of(byte), ground)?;
        }
        Ok(self.get(id).loops)
    }

    /// Those that leave it as it is since some states come back to themselves over each, and no other reads any; none, where that
    /// is not so.
    ///
    /// What is alive beside those states has resumed when their frames were complete, which they are again. So where one byte
    /// leaves all as it is, each of them does.
    pub(in crate::mask) fn plain_loops(
        &mut self,
        id: ConfigurationId,
        ground: &Ground<'_>,
    ) -> Result<Signature> {
        let &Configuration { plain_loops, capture, .. } = self.get(id);
        if let Some(known) = plain_loops {
            return Ok(known);
        }
        let mut found = Signature::EMPTY;
        if capture.is_none() {
            for byte in COMMON {
                let kinds = self.alike_beside(id, byte, ground)?;
                if !kinds.is_empty() && self.step(id, byte, ground)? == Some(id) {
                    found = kinds;
                    break;
                }
            }
        }
        let entry = &mut self.entries[id.index()];
        entry.loops |= found;
        entry.plain_loops = Some(found);
        Ok(found)
    }

    /// The kinds of characters which are read by just the states that read a byte, all of which come back to themselves over each;
    /// none, where one does not over this byte.
    fn alike_beside(&self, id: ConfigurationId, byte: u8, ground: &Ground<'_>) -> Result<Signature> {
        let automaton = ground.automaton;
        let (mut read, mut others) = (None, ByteSet::EMPTY);
        for &(_, state) in &self.get(id).pairs {
            let first = automaton.first_bytes(state, ground.deadline)?;
            if !first.contains(byte) {
                others = others.union(first);
                continue;
            }
            let back = automaton.comes_back_over(state, ground.deadline)?;
            if !Signature::of(byte).is_within(back) {
                return Ok(Signature::EMPTY);
            }
            read = Some(read.unwrap_or(ByteSet::ALL).intersection(&back.first_bytes()));
        }
        let of = |read: ByteSet| Signature::all_within(&read.difference(&others), &automaton.ascii());
        Ok(read.map_or(Signature::EMPTY, of))
    }

    /// Whether some byte is known to leave a configuration as it is.
    pub(in crate::mask) fn is_known_to_loop(&self, id: ConfigurationId) -> bool {
        let entry = self.get(id);
        !entry.loops.is_empty() || entry.steps.lead_to(id)
    }

    /// The class of characters each of which leaves a configuration as it is, as letters do in the middle of a name, but for
    /// a bound of their number.
    ///
    /// A state, or several, reads all of the class, and is the same after each; the others read none of it. So where one character
    /// leaves all as it is, each does: what else is alive afterwards has resumed when the frame of such a state was complete.
    /// Of a text of bounded length it is complete after each character, so the same has resumed then, too. A few characters of
    /// ASCII that others read are left out of the class.
    pub(in crate::mask) fn class_loop(
        &mut self,
        id: ConfigurationId,
        ground: &Ground<'_>,
    ) -> Result<Option<ClassLoop>> {
        if let Some(known) = &self.get(id).class_loop {
            return Ok(known.as_deref().copied());
        }
        let found = self.find_class_loop(id, ground)?;
        self.entries[id.index()].class_loop = Some(found.map(Box::new));
        Ok(found)
    }

    fn find_class_loop(&mut self, id: ConfigurationId, ground: &Ground<'_>) -> Result<Option<ClassLoop>> {
        /// More pairs seldom belong to one name.
        const MOST_PAIRS: usize = 8;
        let Ground { automaton, vocabulary, deadline, .. } = *ground;
        let pairs = self.get(id).pairs.clone();
        if pairs.len() > MOST_PAIRS || self.get(id).capture.is_some() {
            return Ok(None);
        }
        let mut runs: Runs = SmallVec::new();
        for &(_, state) in &pairs {
            runs.push(automaton.class_run(state, vocabulary, deadline)?);
        }
        // What a state alone counts is told by itself where something has to come behind it.
        let is_alone = pairs.len() == 1;
        let is_looked_for =
            |run: &&ClassRun| run.minimum == 0 && (run.is_loop() || !is_alone || run.rest.is_nullable());
        let Some(ClassRun { class, maximum, .. }) = runs.iter().flatten().find(is_looked_for).copied() else {
            return Ok(None);
        };
        let (mut rest, mut others) = (Pairs::new(), Pairs::new());
        for (&(frame, state), run) in pairs.iter().zip(&mut runs) {
            *run = run.filter(|run| (run.class, run.minimum, run.maximum) == (class, 0, maximum));
            match run {
                Some(run) => rest.extend(run.rest.continues().then_some((frame, run.rest))),
                None => {
                    rest.push((frame, state));
                    others.push((frame, state));
                }
            }
        }
        let Some((class, is_part)) = Self::read_by_none_of(&others, class, ground)? else { return Ok(None) };
        let of_class = vocabulary.class_of(class);
        let mut buffer = [0; 4];
        let character = of_class.first_character().encode_utf8(&mut buffer).as_bytes();
        match self.read(id, character, ground)? {
            Some(after) if self.is_one_character_on(id, after, &runs, ground)? => {}
            _ => return Ok(None),
        }
        let rest = match is_part {
            true => None,
            false => Some(self.intern(false, rest, ground)?),
        };
        Ok(Some(ClassLoop { class, maximum, whole_kinds: of_class.whole_kinds(), rest }))
    }

    /// Whether one configuration is another one after a character of the runs with which some of its states begin, and otherwise the
    /// same.
    fn is_one_character_on(
        &self,
        id: ConfigurationId,
        after: ConfigurationId,
        runs: &[Option<ClassRun>],
        ground: &Ground<'_>,
    ) -> Result<bool> {
        let (before, after) = (self.get(id), self.get(after));
        if before.complete != after.complete
            || before.pairs.len() != after.pairs.len()
            || after.capture.is_some()
        {
            return Ok(false);
        }
        for ((before, after), run) in before.pairs.iter().zip(&after.pairs).zip(runs) {
            let is_on = match run {
                Some(run) if before.0 == after.0 => {
                    let Ground { automaton, vocabulary, deadline, .. } = *ground;
                    automaton.class_run(after.1, vocabulary, deadline)? == run.after_one()
                }
                _ => before == after,
            };
            if !is_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A class without the characters that some states read, and whether they read any: a few of ASCII, others left. `None` where they
    /// read more.
    fn read_by_none_of(
        states: &Pairs,
        class: ClassId,
        ground: &Ground<'_>,
    ) -> Result<Option<(ClassId, bool)>> {
        /// Where more are read, much else than the text may come at each place.
        const MOST_READ: usize = 8;
        let Ground { automaton, vocabulary, deadline, .. } = *ground;
        let (all, mut read) = (vocabulary.class_of(class), ByteSet::EMPTY);
        for &(_, state) in states {
            if !automaton.reads_none_of(state, &all, deadline)? {
                let first = automaton.first_bytes(state, deadline)?;
                read = read.union(&first.intersection(&all.first_bytes()));
            }
        }
        if read.is_empty() {
            return Ok(Some((class, false)));
        }
        let are_few = read.is_ascii() && read.len() <= MOST_READ;
        let others = are_few.then(|| vocabulary.class(&all.ranges_without(&read))).flatten();
        // What is left after so many characters is found by one of ASCII.
        let others = others.filter(|&others| vocabulary.class_of(others).first_character().is_ascii());
        Ok(others.map(|others| (others, true)))
    }

    /// Whether after every text of up to so many digits something goes on, the frame of the walk is complete where it is
    /// now, and no text is captured: the digits of an integer lead to and fro between states, since zeros at its end
    /// can be taken away by an exponent. Says no to many digits.
    pub(in crate::mask) fn reads_digits(
        &mut self,
        id: ConfigurationId,
        count: u8,
        ground: &Ground<'_>,
    ) -> Result<bool> {
        /// No number has a token of more digits.
        const MOST: u8 = 8;
        let Configuration { digits: DigitsRead { all, some }, complete, .. } = *self.get(id);
        if count <= all {
            return Ok(true);
        }
        if count >= some || count > MOST {
            return Ok(false);
        }
        for digit in ground.automaton.first_of(Signature::DIGITS).iter() {
            let next = self.step(id, digit, ground)?;
            let is_alike = match next.map(|next| (next, self.get(next))) {
                Some((next, _)) if next == id => true,
                Some((next, after)) if after.is_alive() && after.capture.is_none() => {
                    after.complete == complete && self.reads_digits(next, count - 1, ground)?
                }
                _ => false,
            };
            if !is_alike {
                self.entries[id.index()].digits.some = count;
                return Ok(false);
            }
        }
        self.entries[id.index()].digits.all = count;
        Ok(true)
    }
}
