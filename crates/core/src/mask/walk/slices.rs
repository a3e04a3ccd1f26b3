//! Walks that begin with a slice: of the vocabulary, or of what is below one node.
//!
//! What a state that loops on kinds of characters makes of the strings that hold no others is known beforehand, and
//! so is where the others leave those kinds. The walk goes on from there only.

use std::ops::RangeInclusive;

use super::below::Below;
use super::{Starts, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::mask::token_bits::TokenBits;
use crate::mask::walk::Ground;
use crate::recognizer::{StateRun, Stretch};
use crate::vocabulary::{Characters, ClassId, NodeId, Signature, Slice, SliceBelow, SliceExits, TokenRange};

/// What is alive after characters of which only the number matters.
pub(super) struct Counted {
    /// After none, after one, and so on, as far as it is known.
    pub(super) after: Vec<ConfigurationId>,
    /// What is alive after more of them.
    pub(super) then: Then,
    /// The bytes that are followed where no character has come.
    pub(super) at_start: ByteSet,
    /// The class of the characters, where they are not told by their kinds.
    pub(super) class: Option<ClassId>,
}

/// What is alive after more characters than are known.
#[derive(Clone, Copy)]
pub(super) enum Then {
    /// What this byte leads to, which is one of the characters.
    Reads(u8),
    /// The same as before.
    Stays,
}

impl Counted {
    fn from(start: ConfigurationId, any: u8) -> Self {
        Self { after: vec![start], then: Then::Reads(any), at_start: ByteSet::ALL, class: None }
    }
}

impl Walk<'_> {
    /// Walks from the root by the slice of the kinds that the state loops on, or of those of the run that it
    /// begins with. Returns whether it does either.
    pub(super) fn run_from_slice(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        match (self.ground.use_signatures, self.state.is_nullable()) {
            (false, _) => Ok(false),
            (true, false) => self.run_begun(|walk| walk.begin_with_slice(base)),
            (true, true) => {
                self.run_begun(|walk| Ok(walk.begin_with_class(base)? || walk.begin_within_name(base)?))
            }
        }
    }

    /// Takes the slice of the kinds on which a state loops that is complete after each of their characters, as in the middle of
    /// a name, and leaves it. Returns whether there are enough of them.
    fn begin_within_name(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        /// With fewer bytes to begin with, what is read is soon walked.
        const LEAST_BYTES: usize = 10;
        let configurations = &mut self.walker.configurations;
        if configurations.first_bytes(self.start, self.ground)?.len() < LEAST_BYTES {
            return Ok(false);
        }
        let complete = configurations.after(self.state, self.ground)?;
        let kinds = configurations.loops(complete, self.ground)?;
        if kinds.is_empty() {
            return Ok(false);
        }
        let slice = self.ground.vocabulary.slice(kinds);
        *base = Some(TokenBits::of_row(&slice.inside));
        self.walker.found.note_slice(NodeId::ROOT, Characters::Kinds(kinds));
        self.leave_slice(&slice.below, complete, 0..=u32::MAX)?;
        Ok(true)
    }

    /// Runs what `begin` puts on the path, in place of what begins at the starts, unless it refuses to begin.
    pub(super) fn run_begun(&mut self, begin: impl FnOnce(&mut Self) -> Result<bool>) -> Result<bool> {
        let starts = std::mem::replace(&mut self.starts, Starts::new(&[]));
        if !begin(self)? {
            self.starts = starts;
            return Ok(false);
        }
        self.finish_path()?;
        Ok(true)
    }

    /// Takes what is inside of the slice, and leaves it. Returns whether there is one.
    fn begin_with_slice(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        /// With so many more kinds in a stretch than a state loops on, the slice of these leaves much more to be walked.
        const MANY_TIMES: u32 = 4;
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        if self.begin_with_character(base)? {
            return Ok(true);
        }
        if let Some(run) = automaton.run(self.state, deadline)? {
            let characters = Characters::Kinds(run.kinds);
            let slice = vocabulary.slice_of(characters);
            // As long as the rest is still to come, any number of characters up to the maximum will do.
            self.take_within((characters, &slice), run.maximum, base);
            let mut rest = Some(run.rest);
            if run.rest.captures() {
                self.capture_behind(&slice.below, run)?;
                rest = automaton.parts(run.rest, deadline)?.plain;
            }
            if let Some(rest) = rest {
                let rest = self.walker.configurations.start(rest, self.ground)?;
                self.leave_slice(&slice.below, rest, run.minimum..=run.maximum)?;
            }
        } else if self.begin_with_class(base)? {
            return Ok(true);
        } else if automaton.loops_on_common(self.state, deadline)? {
            let loops = automaton.loops(self.state, deadline)?;
            if automaton.may_repeat_more(self.state, loops)? {
                let stretch = automaton.stretch(self.state, deadline)?;
                let is_longer = loops.is_within(stretch.kinds) && loops != stretch.kinds;
                // Such as the white space before a word: nearly all that tokens are made of leaves it.
                let are_few = loops.common().count() * MANY_TIMES <= stretch.kinds.common().count();
                if (is_longer || are_few) && self.run_stretched(base)? {
                    return Ok(true);
                }
            }
            if loops.is_empty() {
                return Ok(false);
            }
            if self.begin_with_loop_class(base)? {
                return Ok(true);
            }
            let slice = vocabulary.slice(loops);
            *base = Some(TokenBits::of_row(&slice.inside));
            self.leave_slice(&slice.below, self.start, 0..=u32::MAX)?;
        } else {
            return self.run_counted(base);
        }
        Ok(true)
    }

    /// Notes that a text may be captured behind a run, at all nodes where tokens leave it with a byte that the text can begin
    /// with. So it is the same text wherever it begins, and not another for each byte.
    fn capture_behind(&mut self, slice: &SliceBelow, run: StateRun) -> Result<()> {
        let first = *self.ground.automaton.first_bytes(run.rest, self.ground.deadline)?;
        let mut stems: Vec<u32> = Vec::new();
        for exits in slice.exits.iter().filter(|exits| first.contains(exits.byte)) {
            let places = exits.characters.iter().zip(&exits.stems);
            let places = places.filter(|&(before, _)| (run.minimum..=run.maximum).contains(before));
            stems.extend(places.map(|(_, &stem)| stem));
        }
        stems.sort_unstable();
        stems.dedup();
        for stem in stems {
            if let Some(node) = slice.node_of(stem, self.trie) {
                self.walker.found.captures.push((run.rest, node));
            }
        }
        Ok(())
    }

    /// Begins with the slice of the kinds that the state counts. Returns whether it counts any.
    fn run_counted(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        let Some(stretch) = automaton.counted(self.state, deadline)? else {
            return Ok(self.run_stretched(base)? || self.begin_leading(base)?);
        };
        let Some(any) = self.any_of(stretch) else { return Ok(false) };
        let class = automaton.counted_class(self.state, vocabulary, deadline)?;
        let characters = class.map_or(Characters::Kinds(stretch.kinds), Characters::Class);
        let slice = vocabulary.slice_of(characters);
        self.take_within((characters, &slice), stretch.characters, base);
        let counted = Counted { class, ..Counted::from(self.start, any) };
        self.leave_counted(&slice.below, counted, stretch.characters)?;
        Ok(true)
    }

    /// A character of those that a state counts that is one byte.
    fn any_of(&self, stretch: Stretch) -> Option<u8> {
        self.ground.automaton.first_of(stretch.kinds).iter().next().filter(u8::is_ascii)
    }

    /// Takes everything below where all that is alive stays as it is over kinds of characters, or counts them: by the slice
    /// below the node. Gives `false` where it does neither.
    pub(super) fn take_slice_below(&mut self, below: &Below) -> Result<bool> {
        let Ground { automaton, deadline, .. } = *self.ground;
        if below.captures || !self.is_great_part(below) {
            return Ok(false);
        }
        if let Some(state) = below.lone_state().filter(|state| !state.is_nullable())
            && self.is_worth_finding(below, state)?
        {
            let alive = self.walker.configurations.not_complete(below.arrival, self.ground)?;
            let is_taken = match automaton.counted_for_most(state, deadline)? {
                Some(stretch) => self.take_counted_below(below, alive, stretch)?,
                None => self.take_loops_below(below, alive, automaton.loops(state, deadline)?)?,
            };
            if is_taken {
                return Ok(true);
            }
        }
        let loops = self.walker.configurations.loops(below.arrival, self.ground)?;
        self.take_loops_below(below, below.arrival, loops)
    }

    fn take_counted_below(
        &mut self,
        below: &Below,
        alive: ConfigurationId,
        stretch: Stretch,
    ) -> Result<bool> {
        let any = self.any_of(stretch).filter(|_| self.counts_below(below.node, stretch.characters));
        let Some(any) = any else { return Ok(false) };
        let slice = self.ground.vocabulary.slice_below(below.node, stretch.kinds);
        self.take_within_below((Characters::Kinds(stretch.kinds), &slice), stretch.characters);
        self.leave_counted(&slice, Counted::from(alive, any), stretch.characters)?;
        Ok(true)
    }

    /// Takes everything below where what is alive loops on some kinds; `false` where these are none.
    ///
    /// Where the frame is complete, as after each letter of a name, it stays so at all nodes of the slice.
    fn take_loops_below(&mut self, below: &Below, alive: ConfigurationId, kinds: Signature) -> Result<bool> {
        if kinds.is_empty() {
            return Ok(false);
        }
        let slice = self.ground.vocabulary.slice_below(below.node, kinds);
        self.take_all_below((Characters::Kinds(kinds), &slice));
        if self.walker.configurations.get(alive).complete {
            self.walker.found.note_slice(below.node, Characters::Kinds(kinds));
        }
        self.leave_slice(&slice, alive, 0..=u32::MAX)?;
        Ok(true)
    }

    /// As [`take_run_below`](Self::take_run_below), where so much is below that a run of white space may be long: each
    /// of its bytes would lead to a state of its own where they are counted.
    pub(super) fn take_long_run_below(&mut self, below: &Below) -> Result<bool> {
        /// A smaller subtree is soon read byte by byte.
        const SMALLEST: usize = 24;
        Ok(below.nodes >= SMALLEST && self.take_run_below(below)?)
    }

    /// Takes everything below where the only state alive begins with a run of characters: by the slice below the node.
    /// Gives `false` where it does not, or none of these is below.
    ///
    /// What comes after the run is the same however long that was, so there are no states between.
    pub(super) fn take_run_below(&mut self, below: &Below) -> Result<bool> {
        /// A smaller subtree is read sooner than it is looked up.
        const SMALLEST: usize = 8;
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        if below.nodes < SMALLEST {
            return Ok(false);
        }
        let Some(state) = below.lone_state().filter(|state| !state.is_nullable()) else { return Ok(false) };
        // In the middle of a token, few places are left at which a text can begin: they are walked.
        let run = automaton.run(state, deadline)?.filter(|run| !run.rest.captures());
        let Some(run) = run else { return Ok(false) };
        let kinds = self.trie.signature(below.node);
        if kinds.without(run.kinds) == kinds || !self.counts_below(below.node, run.maximum) {
            return Ok(false);
        }
        let slice = vocabulary.slice_below(below.node, run.kinds);
        self.take_within_below((Characters::Kinds(run.kinds), &slice), run.maximum);
        let rest = self.walker.configurations.with_other(below.arrival, run.rest, self.ground)?;
        self.leave_slice(&slice, rest, run.minimum..=run.maximum)?;
        Ok(true)
    }

    /// Takes the tokens of a slice, that of some characters, that have up to so many of them.
    pub(super) fn take_within(
        &mut self,
        (characters, slice): (Characters, &Slice),
        most: u32,
        base: &mut Option<TokenBits>,
    ) {
        /// So few are sooner listed than a row of all is gone through.
        const FEW: usize = 512;
        let vocabulary = self.ground.vocabulary;
        // Where all are taken, how long they are need not be known.
        if most == u32::MAX && slice.below.token_count() > FEW {
            *base = Some(TokenBits::of_row(&slice.inside));
            return;
        }
        let (short, long) = slice.split_by_length(most, vocabulary);
        if short.len() <= FEW {
            self.walker.found.more.extend(short);
        } else if long.is_empty() {
            *base = Some(TokenBits::of_row(&slice.inside));
        } else if let Some(row) = vocabulary.row_within((characters, slice), most) {
            *base = Some(TokenBits::of_row(&row));
        } else if short.len() < long.len() {
            self.walker.found.more.extend(short);
        } else {
            let all = TokenBits::of_row(&slice.inside);
            *base = Some(self.ground.unions.changed(&all, long.iter().copied(), []));
        }
    }

    /// Whether it is known which strings below a node, read from there on, have up to so many characters.
    pub(super) fn counts_below(&self, node: NodeId, characters: u32) -> bool {
        self.trie.is_all_within(node, characters) || self.trie.longest_within(node, characters).is_some()
    }

    /// Takes the tokens of a slice below a node, that of some characters, that have up to so many of them behind it, which
    /// must be known.
    pub(super) fn take_within_below(&mut self, (characters, slice): (Characters, &SliceBelow), most: u32) {
        let longest = self.longest_of(slice, most);
        if !self.reads_string
            && let Some(row) = self.ground.vocabulary.row_below((characters, slice), longest)
        {
            self.walker.found.rows.push(row);
            return;
        }
        self.take_ranges(slice.ranges.iter().copied(), longest);
    }

    /// What tells the tokens of a slice that have up to so many characters behind its node; `None` where all have.
    pub(super) fn longest_of(&self, slice: &SliceBelow, most: u32) -> Option<u8> {
        match self.trie.is_all_within(slice.node, most) {
            true => None,
            false => self.trie.longest_within(slice.node, most),
        }
    }

    /// Takes the tokens of some ranges of a slice, as far as what is [told](Self::longest_of) says.
    pub(super) fn take_ranges(&mut self, ranges: impl Iterator<Item = TokenRange>, longest: Option<u8>) {
        for range in ranges {
            match longest {
                None => self.walker.found.take(range),
                Some(longest) => {
                    self.trie.parts_within(range, longest).for_each(|part| self.walker.found.take(part));
                }
            }
        }
    }

    /// Takes all tokens of a slice below a node, that of some characters.
    pub(super) fn take_all_below(&mut self, of: (Characters, &SliceBelow)) {
        self.take_within_below(of, u32::MAX);
    }

    /// Walks on from where tokens leave a slice after so many characters, in a configuration that is the same
    /// after all of them. What goes on below is put on the path.
    pub(super) fn leave_slice(
        &mut self,
        slice: &SliceBelow,
        configuration: ConfigurationId,
        characters: RangeInclusive<u32>,
    ) -> Result<()> {
        let first = self.walker.configurations.first_bytes(configuration, self.ground)?;
        let mut siblings = None;
        for exits in slice.exits.iter().filter(|exits| first.contains(exits.byte)) {
            let arrival = self.walker.configurations.step(configuration, exits.byte, self.ground)?;
            let Some(arrival) = arrival else { continue };
            let child = self.trie.child(slice.node, exits.byte).filter(|_| characters.contains(&0));
            let taken = match child {
                Some(child) => self.add_sibling(slice.node, &mut siblings, (exits.byte, child), arrival)?,
                None => None,
            };
            self.leave_exits(exits, arrival, &characters, taken)?;
        }
        match siblings {
            Some(siblings) => self.leave_siblings(slice.node, &siblings),
            None => Ok(()),
        }
    }

    /// Walks on from where tokens leave a slice with one byte, after so many characters, but for a node that has been taken.
    pub(super) fn leave_exits(
        &mut self,
        exits: &SliceExits,
        arrival: ConfigurationId,
        characters: &RangeInclusive<u32>,
        taken: Option<NodeId>,
    ) -> Result<()> {
        let bounds = &exits.bounds;
        let are_all = characters.contains(bounds.start()) && characters.contains(bounds.end());
        if are_all && self.take_all(exits, arrival) {
            return Ok(());
        }
        for (&node, before) in exits.nodes.iter().zip(&exits.characters) {
            if characters.contains(before) && Some(node) != taken {
                self.leave(node, arrival)?;
            }
        }
        Ok(())
    }

    /// Walks on from where tokens leave a slice of whose characters only the number matters, after up to so many of
    /// them. What goes on below is put on the path.
    pub(super) fn leave_counted(
        &mut self,
        slice: &SliceBelow,
        mut counted: Counted,
        most: u32,
    ) -> Result<()> {
        let longest = slice.exits.iter().map(|exits| *exits.bounds.end()).max().unwrap_or(0);
        let limit = most;
        let most = self.count_on(&mut counted, most.min(longest))?;
        let mut first = ByteSet::EMPTY;
        for &configuration in &counted.after {
            first = first.union(&self.walker.configurations.first_bytes(configuration, self.ground)?);
        }
        let class = counted.class.map(|class| self.ground.vocabulary.class_of(class));
        // By the number of characters before a byte: what it leads to.
        let mut arrivals: Vec<Option<Option<ConfigurationId>>> = Vec::new();
        for exits in slice.exits.iter().filter(|exits| first.contains(exits.byte)) {
            let class = class.as_deref().filter(|class| class.may_begin_within(exits.byte));
            arrivals.clear();
            arrivals.resize(counted.after.len(), None);
            for (&node, &before) in exits.nodes.iter().zip(&exits.characters) {
                if before > most || before == 0 && !counted.at_start.contains(exits.byte) {
                    continue;
                }
                let at = (before as usize).min(counted.after.len() - 1);
                let arrival = match arrivals[at] {
                    Some(known) => known,
                    None => {
                        self.walker.configurations.try_step(counted.after[at], exits.byte, self.ground)?
                    }
                };
                arrivals[at] = Some(arrival);
                match (arrival, class) {
                    (Some(arrival), Some(class)) => {
                        self.leave_within((node, exits.byte), arrival, class, before == limit)?;
                    }
                    (Some(arrival), None) => self.leave(node, arrival)?,
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    /// Finds what is alive after each number of characters up to some. Returns up to how many anything is.
    fn count_on(&mut self, counted: &mut Counted, most: u32) -> Result<u32> {
        while let (Then::Reads(any), Some(&last)) = (counted.then, counted.after.last())
            && counted.after.len() <= most as usize
        {
            match self.walker.configurations.step(last, any, self.ground)? {
                Some(next) => counted.after.push(next),
                None => return Ok(counted.after.len() as u32 - 1),
            }
        }
        Ok(most)
    }

    /// Takes all nodes at which tokens leave a slice, where nothing goes on below. Returns whether it is so.
    fn take_all(&mut self, exits: &SliceExits, arrival: ConfigurationId) -> bool {
        let configuration = self.walker.configurations.get(arrival);
        if configuration.is_alive() || configuration.capture.is_some() {
            return false;
        }
        if configuration.complete {
            let (going_on, ending) = exits.split();
            self.walker.found.exits.extend(going_on);
            self.walker.found.ends.extend(ending);
        }
        self.walker.found.more.extend(&exits.tokens);
        true
    }

    /// Notes what has become of the path at a node where tokens leave a slice, and puts the node on the path where
    /// something goes on below.
    ///
    /// Below a node that a slice leads to may be another slice, as that of a name behind white space; no more than a few, lest
    /// the recursion is as deep as tokens are long. Where more than digits is below, seldom does all of it loop.
    pub(super) fn leave(&mut self, node: NodeId, arrival: ConfigurationId) -> Result<()> {
        const MOST_NESTED: usize = 3;
        self.check_time()?;
        if !self.note(node, arrival) || !self.walker.configurations.get(arrival).is_alive() {
            return Ok(());
        }
        if let Some(below) = self.below(node, arrival)
            && (self.reads_none_below(&below)?
                || self.take_staying_below(node, arrival)?
                || self.take_string_below(&below)?
                || self.take_stretch_below(&below)?
                || self.take_digits_below(&below)?
                || self.nested_slices < MOST_NESTED && self.take_nested_slice(&below)?)
        {
            return Ok(());
        }
        self.descend(node, arrival)
    }

    fn take_nested_slice(&mut self, below: &Below) -> Result<bool> {
        self.nested_slices += 1;
        let is_taken =
            self.take_class_below(below)? || self.take_run_below(below)? || self.take_slice_below(below)?;
        self.nested_slices -= 1;
        Ok(is_taken)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, vocabulary_of};
    use super::*;
    use crate::budget::Budget;
    use crate::frontend::gbnf;
    use crate::mask::exits::{ExitNodes, SliceNodes};

    const GRAMMARS: &[&str] = &[
        "root ::= (name ws? op ws?)* name\nname ::= [a-z] [a-z0-9]*\nop ::= [-+=] | \"(\" root? \")\"\nws ::= [ \\n]+",
        "root ::= name (\" \" | \"if\") (root | number)\nname ::= [a-z]+\nnumber ::= [0-9]+ (\".\" [0-9]+)?",
        "root ::= [a-z0-9]{2,4} (\"-\" [a-z0-9]{3}){2} \"-\" [a-z]{1,2} \".5\"?",
        "root ::= \"(\" [a-z1]{2} \")=\" ([a-z]{3,4} \"-\")*",
        "root ::= word (\", \" word)*\nword ::= [a-z]+ (\"-\" [a-z0-9]+)? | \"1\" [0-9]{0,3}",
    ];

    #[test]
    fn a_walk_from_a_slice_finds_what_one_from_each_of_its_nodes_does() {
        let pieces = ["a", "if", "b1", "12", " ", "\n", "=", "(", ")", ", ", "-", ".5", "é"];
        let vocabulary = vocabulary_of(&pieces, &[]);
        let trie = vocabulary.trie();
        let letters = Signature::of_any(&ByteSet::range(b'a', b'z'));
        let mut with_digits = letters;
        with_digits |= Signature::DIGITS;
        let below = [&b""[..], b"a", b" ", b"=", b"if"].map(|text| trie.find(text).unwrap());
        let slices = below.iter().flat_map(|&below| {
            let kinds = [letters, Signature::DIGITS, with_digits].map(Characters::Kinds);
            kinds.map(|characters| SliceNodes::all(below, characters))
        });
        let mut starts: Vec<ExitNodes> =
            slices.map(|slice| ExitNodes { listed: Box::default(), slices: Box::new([slice]) }).collect();
        starts.push(ExitNodes { listed: Box::new([below[1], below[4]]), ..starts[2].clone() });
        starts.push(ExitNodes {
            listed: Box::default(),
            slices: [0, 4, 6].map(|at| starts[at].slices[0]).into(),
        });
        let (mut walks, mut with_slices) = (0, 0);
        for text in GRAMMARS {
            let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
            let compared: Compared = compare(&grammar, text, b"ab1 \n=(),-.if", &vocabulary, &starts);
            walks += compared.walks;
            with_slices += compared.with_slices;
        }
        assert!(walks > 400 && with_slices > 30, "{walks} walks, {with_slices} with slices");
    }

    #[test]
    fn counted_white_space_is_left_as_one_run() {
        let (text, blanks) = (
            "root ::= \"[\" ws (item (\",\" ws item)*)? \"]\" ws\nitem ::= root | [0-9]+ ws\nws ::= | \" \" | \"\\n\" [ \\t]{0,5}",
            "        ",
        );
        let lines = (0..8).flat_map(|count| {
            ["", "\n", "[", "1", "]", ","].map(|end| format!("\n{}{end}", &blanks[..count]).into_bytes())
        });
        let lines: Vec<Vec<u8>> = lines.collect();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let vocabulary = vocabulary_of(&["[", "]", ",", " ", "\n", "\t", "1"], &lines);
        let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
        let compared = compare(&grammar, text, b"[], \n\t1", &vocabulary, &[]);
        let [visited, of_all] = compared.visited;
        assert!(
            compared.walks > 20 && visited * 3 < of_all * 2,
            "{} walks, {visited} of {of_all}",
            compared.walks
        );
    }
}
