//! Walks by slices of classes of characters, such as letters of all alphabets.
//!
//! What begins with a run of them reads all tokens of the slice, and goes on where tokens leave it, as what comes after the
//! run does: that begins with none of the class. Where the frame may be complete after each character, as after each letter
//! of a name, it is so at all nodes within the slice.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use super::below::Below;
use super::slices::{Counted, Then};
use super::{Ground, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::{ClassLoop, ConfigurationId};
use crate::mask::exits::SliceNodes;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::ClassRun;
use crate::vocabulary::{CharacterClass, CharacterRead, Characters, ClassId, NodeId, SliceBelow};

impl Walk<'_> {
    /// Takes what is inside of the slice of the class of which the state begins with a run, and leaves it. Returns whether
    /// there is one that has to be told by a class.
    pub(super) fn begin_with_class(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let Some(run) = self.class_run_of_base()? else { return Ok(false) };
        let characters = Characters::Class(run.class);
        let slice = self.ground.vocabulary.slice_of(characters);
        self.take_within((characters, &slice), run.maximum, base);
        let rest = match run.rest.continues() {
            true => Some(self.walker.configurations.start(run.rest, self.ground)?),
            false => None,
        };
        self.leave_class(&slice.below, run, rest)?;
        Ok(true)
    }

    /// Takes the slice of the class on which the state loops, and leaves it, where kinds of characters do not tell all of the
    /// class. Returns whether there is one.
    pub(super) fn begin_with_loop_class(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        let Some(id) = automaton.loop_class(self.state, vocabulary, deadline)? else { return Ok(false) };
        let (slice, class) = (vocabulary.slice_of(Characters::Class(id)), vocabulary.class_of(id));
        *base = Some(TokenBits::of_row(&slice.inside));
        let first = self.walker.configurations.first_bytes(self.start, self.ground)?;
        for exits in slice.below.exits.iter().filter(|exits| first.contains(exits.byte)) {
            let arrival = self.walker.configurations.step(self.start, exits.byte, self.ground)?;
            let Some(arrival) = arrival else { continue };
            if class.may_begin_within(exits.byte) {
                for &node in &exits.nodes {
                    self.leave_within((node, exits.byte), arrival, &class, false)?;
                }
            } else {
                self.leave_exits(exits, arrival, &(0..=u32::MAX), None)?;
            }
        }
        Ok(true)
    }

    /// Takes the slice of the class that leads the state to one that loops on it, and leaves it. Returns whether there is one.
    pub(super) fn begin_leading(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        let Some(leading) = automaton.leading(self.state, vocabulary, deadline)? else { return Ok(false) };
        let slice = vocabulary.slice_of(Characters::Class(leading.class));
        *base = Some(TokenBits::of_row(&slice.inside));
        let after = leading.states.iter().map(|&state| self.walker.configurations.start(state, self.ground));
        let after = after.collect::<Result<Vec<ConfigurationId>>>()?;
        let counted =
            Counted { after, then: Then::Stays, at_start: ByteSet::ALL, class: Some(leading.class) };
        self.leave_counted(&slice.below, counted, u32::MAX)?;
        Ok(true)
    }

    /// Walks on from where tokens leave a class within a character, of which a byte that leads to a node is read: what is
    /// behind others that begin with it is inside of the slice, or left elsewhere. So are tokens that end within the character, unless
    /// the slice `is_full`: that it may have no more characters of the class.
    pub(super) fn leave_within(
        &mut self,
        (node, byte): (NodeId, u8),
        arrival: ConfigurationId,
        class: &CharacterClass,
        is_full: bool,
    ) -> Result<()> {
        type Path = SmallVec<[u8; 4]>;
        let begun = CharacterRead::NONE.step(byte).map(|read| (node, read, Path::new()));
        let mut waiting: SmallVec<[(NodeId, CharacterRead, Path); 16]> = begun.into_iter().collect();
        while let Some((node, read, path)) = waiting.pop() {
            if is_full && self.read_on(arrival, &path)?.is_some() {
                self.walker.found.take(self.trie.range_at(node));
            }
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                let after = read.step(byte).filter(|&read| class.may_hold(read));
                if after.is_some_and(|read| read.whole().is_some()) {
                    continue;
                }
                let mut path = path.clone();
                path.push(byte);
                if let Some(read) = after {
                    waiting.push((child, read, path));
                } else if let Some(arrival) = self.read_on(arrival, &path)? {
                    self.leave(child, arrival)?;
                }
            }
        }
        Ok(())
    }

    /// What is alive after some bytes more.
    fn read_on(&mut self, from: ConfigurationId, bytes: &[u8]) -> Result<Option<ConfigurationId>> {
        let mut at = from;
        for &byte in bytes {
            match self.walker.configurations.try_step(at, byte, self.ground)? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn class_run_of_base(&self) -> Result<Option<ClassRun>> {
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let run = automaton.class_run(self.state, vocabulary, self.ground.deadline)?;
        let Some(run) = run.filter(ClassRun::is_told_by_class) else { return Ok(None) };
        // Whole kinds are read by slices that many other states have, too.
        let is_of_class = run.rest.is_nullable() || !vocabulary.class_of(run.class).is_of_kinds();
        Ok(is_of_class.then_some(run))
    }

    /// Takes everything below where all that is alive stays as it is over characters of a class, or begins with a run of
    /// them. Gives `false` where it does neither.
    pub(super) fn take_class_below(&mut self, below: &Below) -> Result<bool> {
        if below.captures {
            return Ok(false);
        }
        if !self.is_great_part(below) {
            return Ok(self.take_whole_kinds(below.node, below.arrival));
        }
        let vocabulary = self.ground.vocabulary;
        let class_loop = self.walker.configurations.class_loop(below.arrival, self.ground)?;
        if let Some(ClassLoop { class, maximum, rest, .. }) =
            class_loop.filter(|class_loop| self.counts_below(below.node, class_loop.maximum))
        {
            if self.take_whole_kinds(below.node, below.arrival) {
                return Ok(true);
            }
            let characters = Characters::Class(class);
            let slice = vocabulary.slice_of_below(below.node, characters);
            self.take_within_below((characters, &slice), maximum);
            if self.walker.configurations.get(below.arrival).complete {
                self.note_within(below.node, characters, 1..=maximum);
            }
            match rest {
                Some(rest) => self.leave_slice(&slice, rest, 0..=maximum)?,
                None => self.leave_class_loop(&slice, below.arrival, (class, maximum))?,
            }
            return Ok(true);
        }
        let Some(state) = below.lone_state().filter(|state| !state.is_nullable()) else { return Ok(false) };
        let run = self.ground.automaton.class_run(state, vocabulary, self.ground.deadline)?;
        let is_base = self.walker.configurations.get(below.arrival).is_in_base();
        // In another frame, whoever resumes when that is complete would be alive, too.
        let run = run.filter(|run| run.is_told_by_class() && (is_base || !run.rest.is_nullable()));
        let Some(run) = run.filter(|run| self.counts_below(below.node, run.maximum)) else {
            return Ok(false);
        };
        let slice = vocabulary.slice_of_below(below.node, Characters::Class(run.class));
        self.take_within_below((Characters::Class(run.class), &slice), run.maximum);
        let rest = match run.rest.continues() {
            true => Some(self.walker.configurations.with_other(below.arrival, run.rest, self.ground)?),
            false => None,
        };
        self.leave_class(&slice, run, rest)?;
        Ok(true)
    }

    /// Leaves the slice of a class on which what is alive loops, where that reads other characters, too.
    fn leave_class_loop(
        &mut self,
        slice: &SliceBelow,
        alive: ConfigurationId,
        (class, maximum): (ClassId, u32),
    ) -> Result<()> {
        let any = self.ground.vocabulary.class_of(class).first_bytes().first();
        let then = match any {
            Some(any) if maximum != u32::MAX => Then::Reads(any),
            _ => Then::Stays,
        };
        let counted = Counted { after: vec![alive], then, at_start: ByteSet::ALL, class: Some(class) };
        self.leave_counted(slice, counted, maximum)
    }

    /// Takes everything below a node where it is of kinds that are in the class on which what is alive is known to loop.
    pub(super) fn take_whole_kinds(&mut self, node: NodeId, arrival: ConfigurationId) -> bool {
        /// The exits of a smaller subtree are sooner listed.
        const SMALLEST_WITH_EXITS: usize = 32;
        let configuration = self.walker.configurations.get(arrival);
        let Some(ClassLoop { class, whole_kinds, maximum, .. }) = configuration.known_class_loop() else {
            return false;
        };
        if !self.trie.signature(node).is_within(whole_kinds) || !self.trie.is_all_within(node, maximum) {
            return false;
        }
        if configuration.complete {
            if self.trie.end(node).index() - node.index() < SMALLEST_WITH_EXITS {
                return false;
            }
            self.walker.found.note_slice(node, Characters::Class(class));
        }
        self.walker.found.take(self.trie.range_below(node));
        true
    }

    /// Leaves a slice behind a run of its class, in a configuration of what comes after it, if anything does.
    fn leave_class(
        &mut self,
        slice: &SliceBelow,
        run: ClassRun,
        rest: Option<ConfigurationId>,
    ) -> Result<()> {
        let counts = run.minimum..=run.maximum;
        if run.rest.is_nullable() {
            self.note_within(slice.node, Characters::Class(run.class), counts.clone());
        }
        match rest {
            Some(rest) => self.leave_slice(slice, rest, counts),
            None => Ok(()),
        }
    }

    /// Notes that the frame is complete at all nodes to which so many characters lead from one. Where none below has more, exits
    /// are those of a text of any length.
    pub(super) fn note_within(&mut self, below: NodeId, characters: Characters, counts: RangeInclusive<u32>) {
        let (&least, &most) = (counts.start(), counts.end());
        let most = if self.trie.is_all_within(below, most) { u32::MAX } else { most };
        self.walker.found.slices.push(SliceNodes { below, characters, least: least.max(1), most });
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, of_schema, vocabulary_of};
    use super::*;
    use crate::budget::Budget;
    use crate::frontend::gbnf;
    use crate::frontend::regex::{self, RegexOptions};
    use crate::grammar::Grammar;
    use crate::mask::exits::ExitNodes;

    const PATTERNS: &[&str] = &[
        r"\w+(\s\w+){0,20}",
        r"\w{2,5}[.\u2003]?",
        r"[\w.]+@[\w.]+",
        r"(\w+|\w*-)×",
        r"\w*(×|-\w+)*",
        r"[^\s×]+[\s×]\w{0,3}日?",
        r"(é\w*)?\w-",
        r"\w+@\w+|é-|日.",
        r"(\W\w*)+",
        r"[^\u2003。]*-.[^×]*",
        r".*(a\u2003|\u300212)\.?",
        r"([^\u2000-\u2010]*@)+",
        r"-?[\wé]{2}-[\wé]{1,3}×",
        r"\w{2}(×|-)[\wé]{1,2}(\u2003|×a)?",
        r"\S{1,3}\u2003-",
        r"\w{0,4}",
        r"([^-×]{1,5}[-×]?)?",
        r"(-[\wé]{2,3})?(@[a-z ]{1,4})?",
        r"a\w{3,5}|\.[^a]{0,2}",
    ];
    const SCHEMAS: &[&str] = &[
        r#"{"type": "string", "pattern": "^.*$"}"#,
        r#"{"type": "string", "pattern": "^[^\\s]+@[^\\s]*$"}"#,
        r#"{"type": "string", "pattern": "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$"}"#,
        r#"{"type": "string", "pattern": "^[^\\s-].[^é\\u2028]\\S*$"}"#,
        r#"{"type": "string", "pattern": "^[^@.\\s]+(\\.[^@.\\s]*)*.ab(@|1.b)"}"#,
        r#"{"type": "string", "pattern": "^a?\\w*(-\\w*)*(1-[^é]@|\"\\S*)$"}"#,
        r#"{"type": "string", "pattern": "^[^@\\s]{1,3}@.{2,4}\n.*$"}"#,
        r#"{"type": "string", "pattern": "^.{1,2}(\u2028|\n)[^b]{0,2}@$"}"#,
        r#"{"type": "object", "patternProperties": {"^.*$": {"type": "null"}}, "additionalProperties": false}"#,
    ];
    const GRAMMARS: &[&str] = &[
        "root ::= name (\" \" name)*\nname ::= ([a-z] | [^\\x00-\\x7F])+",
        "root ::= \"(\" (item (\".\" item)*)? \")\"\nitem ::= [^().]{1,5} | root",
        "root ::= part (\" - \" part)*\npart ::= \"@\"? atom\natom ::= [^ ()]{1,4} | \"(\" root \")\"",
        "root ::= [a-zé]{2,4} (\"-\" root)? | \"(\" name \")\" root\nname ::= [a-qé日]{0,3} (\"1\" name)?",
        "root ::= text (\"(\" root \")\" text?)*\ntext ::= [a-z -]{1,3}",
        "root ::= (name ws? op ws?)* name\nname ::= [a-zé日] [a-z0-9_é日]*\nop ::= [-×] | \"(\" root? \")\"\nws ::= [ \\u2003]+",
        "root ::= name (\"-\" | \"日\") root | name\nname ::= [a-zà-ÿ]+",
        "root ::= many \".\"\nmany ::= name | many \"-\" name\nname ::= [a日é]{2,}",
    ];
    /// Tokens that are cut within characters, or are no UTF-8.
    const CUT: &[&[u8]] = &[
        b"a\xC3",
        b"-\xC3",
        b"\xE6\x97",
        b"a\xE6\x97",
        b"a\xE2\x80",
        b"\xC3a",
        b"\xC3\xC3",
        b"a\xE6a",
        b"\xE6\x97\xE6",
        b"a\xFF",
        b" a\xC3",
        b"ab\xC3",
        b"a\xC3\xA9\xC3",
        b"aba\xE2",
        b"ab-\xE2\x80",
    ];

    #[test]
    fn texts_of_bounded_length_that_may_end_anywhere_are_left_by_slices() {
        const TEXTS: &[&str] = &[
            "root ::= \"(\" (item (\".\" item)*)? \")\"\nitem ::= [^().]{1,9} | root",
            "root ::= \"(\" (item (\"@\" item)*)? \")\"\nitem ::= [a-z 1]{1,9} | root",
            "root ::= part (\" @\" part)*\npart ::= [^@()]{1,9} | \"(\" root \")\"",
            "root ::= (word \"-\"){2,4} word \"@\"\nword ::= [a-zé 1]{1,9} \".\"?",
            "root ::= term (\"-\" term)*\nterm ::= name | name \"(\" root \")\"\nname ::= [a-z ] [a-z1 ]{0,9}",
        ];
        let pieces = ["a", "b1", " ", "-x", ".", "@", "(", ")", "é", "日本a", "c d"];
        let (vocabulary, mut with_slices) = (vocabulary_of(&pieces, CUT), 0);
        for text in TEXTS {
            let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
            let compared = compare(&grammar, text, "ab1 -x.@()é日".as_bytes(), &vocabulary, &[]);
            with_slices += compared.with_slices;
            assert!(compared.visited[0] * 3 < compared.visited[1], "{text}: {compared:?}");
        }
        assert!(with_slices > 20, "{with_slices}");
    }

    #[test]
    fn a_walk_by_the_slice_of_a_class_finds_what_one_over_each_node_does() {
        let pieces = [
            "a", "b_1", " ", "-", ".", "@", "(", "é", "日", "本a", "×", "\u{2003}", "\u{2028}", "。",
            "\u{300}",
        ];
        let vocabulary = vocabulary_of(&pieces, CUT);
        let trie = vocabulary.trie();
        let classes =
            [&[(0x61, 0x7A), (0xE0, 0xF6), (0x4E00, 0x9FFF)][..], &[(0x80, 0xD7FF)], &[(0xE9, 0xE9)]];
        let below = [&b""[..], b"a", b" ", "é".as_bytes(), b"\xE6"].map(|text| trie.find(text).unwrap());
        let mut starts: Vec<ExitNodes> = Vec::new();
        for ranges in classes {
            let characters = Characters::Class(vocabulary.class(ranges).unwrap());
            let slices = below[..4].iter().map(|&below| SliceNodes::all(below, characters));
            starts
                .extend(slices.map(|slice| ExitNodes { listed: Box::default(), slices: Box::new([slice]) }));
        }
        starts.push(ExitNodes { listed: Box::new([below[1], below[4]]), ..starts[0].clone() });
        for (at, (least, most)) in [(0, (1, 2)), (1, (2, 3)), (4, (2, u32::MAX)), (8, (1, 1))] {
            let counted = SliceNodes { least, most, ..starts[at].slices[0] };
            starts.push(ExitNodes { listed: Box::default(), slices: Box::new([counted]) });
        }
        let pattern = |text: &&'static str| -> (Grammar, &'static str) {
            (regex::compile(text, &RegexOptions::default(), &Budget::default()).unwrap(), text)
        };
        let grammar = |text: &&'static str| -> (Grammar, &'static str) {
            (gbnf::compile(text, "root", &Budget::default()).unwrap(), text)
        };
        let mut all = Compared::default();
        let schema = |text: &&'static str| -> (Grammar, &'static str) { (of_schema(text), text) };
        let others = GRAMMARS.iter().map(grammar).chain(SCHEMAS.iter().map(schema));
        for (grammar, text) in PATTERNS.iter().map(pattern).chain(others) {
            let bytes = "ab_1 -.@(é日×。\u{2003}\"".as_bytes();
            let Compared { walks, with_slices, visited, .. } =
                compare(&grammar, text, bytes, &vocabulary, &starts);
            all.walks += walks;
            all.with_slices += with_slices;
            all.visited = [0, 1].map(|at| all.visited[at] + visited[at]);
        }
        assert!(all.walks > 1000 && all.with_slices > 100, "{all:?}");
        assert!(all.visited[0] * 3 < all.visited[1] * 2, "{all:?}");
    }
}
