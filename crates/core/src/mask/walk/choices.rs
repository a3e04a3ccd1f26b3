//! Walks from where fixed strings choose among what follows, such as the names of tools.
//!
//! The strings are followed down the trie without asking the recogniser, as `literals` does with those of one
//! expression: what goes on at a node is a range of them. What is alive has to be known only where one of them ends.

use super::{Level, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::LiteralRange;
use crate::vocabulary::NodeId;

impl Walk<'_> {
    /// Where fewer children are below, what there is is soon read.
    pub(super) const CHILDREN_FOR_A_CHOICE: usize = 16;

    /// Follows the fixed strings with which the configuration of a node begins, and leaves those bytes that are still to be
    /// read there: with which something else begins, too. Where strings end, the node before is put on the path, with that
    /// byte.
    ///
    /// Takes a look-up in the trie for each node, and a state for each byte of the strings that tokens reach the end of.
    #[inline(never)]
    pub(super) fn follow_choice(&mut self, level: &mut Level) -> Result<()> {
        /// Several strings seldom begin with fewer bytes.
        const LEAST_BYTES: usize = 2;
        let Level { node, configuration, first, .. } = *level;
        if first.len() < LEAST_BYTES {
            return Ok(());
        }
        let Some(choice) = self.walker.configurations.choice(configuration, self.ground)? else {
            return Ok(());
        };
        let trie = self.trie;
        *level = Level::new(node, configuration, first.difference(choice.first_bytes()), trie.children(node));
        let mut followed = 0u32;
        let mut waiting: Vec<(NodeId, LiteralRange)> = vec![(node, choice.all())];
        while let Some((node, range)) = waiting.pop() {
            followed += 1;
            if followed & 1023 == 0 {
                self.ground.deadline.check()?;
            }
            let mut ends = ByteSet::EMPTY;
            for (byte, range) in choice.branches(range) {
                let Some(child) = trie.child(node, byte) else { continue };
                if choice.ends_one(range) {
                    ends.insert(byte);
                    continue;
                }
                self.walker.found.take(trie.range_at(child));
                if trie.has_children(child) {
                    waiting.push((child, range));
                }
            }
            if !ends.is_empty()
                && let Some(at) =
                    self.walker.configurations.read(configuration, choice.read(range), self.ground)?
            {
                self.path.push(Level { node, configuration: at, first: ends, children: None });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::compared::{compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::gbnf;
    use crate::mask::exits::ExitNodes;

    const GRAMMARS: &[&str] = &[
        // Names that are prefixes of each other, and what follows that other names go on with.
        "root ::= \"get\" [a-c] | \"get_a\" call | \"get_ab\" \"x\" | \"set\" call | \"é_a\" | \"éb\" [a-z]\ncall ::= \"(\" root? \")\"",
        // Called, behind spaces, again and again.
        "root ::= ([ \\n]* name (\":\" name)? \";\")*\nname ::= \"aé\" | \"ab\" call | \"b(\" | \"cx\" | \"c\" [0-9]* | short\nshort ::= \"d\" | \"(a\" call\ncall ::= \"(\" name \")\"",
        // Beside texts that begin with some of the same bytes, and others.
        "root ::= (\"for\" | \"fun\" | \"if\" | \"in\" | \"let\" | \"xé\" | \"(a\" | [a-eé]+) rest\nrest ::= \" \" root | \"\"",
        // Left recursion, hidden behind what may be empty.
        "root ::= empty root \"+\" term | term\nempty ::= \" \"?\nterm ::= \"ab\" | \"acé\" | \"bx\" | \"(\" root \")\" | \"let\" term",
        // Whole texts, one of which is empty.
        "root ::= (\"\" | \"a\" | \"ab\" | \"abc\" | \"b\" | \"bé\" [x-z]?) tail\ntail ::= \"\" | \"-\" root",
    ];
    const PIECES: &[&str] = &[
        "a", "b", "c", "get", "_", "é", "x", "(", ")", " ", "\n", ";", ":", "for", "if", "let", "+", "-", "1",
    ];
    const BYTES: &[u8] = "getabc_éx() \n;:forun+-1s".as_bytes();

    /// Alternatives that begin with strings, put in one of some places.
    fn random_grammar(random: &mut Rng) -> String {
        const TAILS: &[&str] =
            &["", " [a-c]*", " more", " \"\u{e9}\"", " root?", " (\"a\" | \"get\" more)", " [^a]"];
        const FRAMES: &[&str] =
            &["NAMES", "(NAMES)* \"-\"", "[ x]* (NAMES)", "(NAMES | [0-9]+) more", "more? (NAMES)"];
        let mut names = Vec::new();
        for _ in 0..random.usize(4..14) {
            let pieces = (0..random.usize(1..4)).map(|_| PIECES[random.usize(..PIECES.len())]);
            let name: String = pieces.filter(|piece| *piece != "\n").collect();
            names.push(format!("\"{name}\"{}", TAILS[random.usize(..TAILS.len())]));
        }
        let names = names.join(" | ");
        let (root, inner) = match random.bool() {
            true => (FRAMES[random.usize(..FRAMES.len())].replace("NAMES", "inner"), names),
            false => (FRAMES[random.usize(..FRAMES.len())].replace("NAMES", &names), "\"x\"".to_owned()),
        };
        format!("root ::= {root}\ninner ::= {inner}\nmore ::= \"(\" inner \")\" | \"b\" | \"get_\" [a-c]")
    }

    #[test]
    fn strings_that_choose_are_followed_as_over_each_node() {
        let more: &[&[u8]] = &[b"\xC3", b"a\xC3", b"get_\xC3", b"get_abx", b"\xA9_a", b"get_a(get_ab"];
        let vocabulary = vocabulary_of(PIECES, more);
        let budget = Budget::default();
        let mut random = Rng::with_seed(11);
        let grammars = GRAMMARS.iter().map(|&text| text.to_owned());
        let grammars: Vec<String> = grammars.chain((0..60).map(|_| random_grammar(&mut random))).collect();
        let trie = vocabulary.trie();
        let node = |string: &str| trie.find(string.as_bytes()).unwrap();
        let mut nested = [node("get"), node("get_"), node("("), node("x")];
        nested.sort_unstable();
        let starts = [ExitNodes::of(&nested), ExitNodes::of(&[node(" ")])];
        let mut visited = [0; 2];
        for text in grammars {
            let grammar = gbnf::compile(&text, "root", &budget).unwrap();
            let compared = compare(&grammar, &text, BYTES, &vocabulary, &starts);
            visited.iter_mut().zip(compared.visited).for_each(|(all, more)| *all += more);
        }
        assert!(visited[0] * 2 < visited[1], "{visited:?}");
    }
}
