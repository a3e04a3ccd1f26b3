//! Repetitions of what contains assertions.
//!
//! What assertions in a repetition ask of may be the text of other rounds. Five cases are told apart:
//!
//! - They concern only the text of their own round: the rounds have an expression, which is repeated.
//! - They ask for the edges of the whole text and for nothing else, such as `^` and `$`. Then all rounds before one that
//!   asks for the start are empty, and so are all behind one that asks for the end. So of the rounds with a text at most the
//!   first asks for the start, and at most the last for the end; those between are repeated as they are. See [`EdgeRounds`].
//! - It shows by their first and last characters which rounds can follow which: see [`NeighbourRounds`].
//! - Each round is a character before which some fixed strings may not stand, which are few or short: see [`CharacterRounds`].
//! - Otherwise the rounds are written out, where they are few.

use super::character_rounds::CharacterRounds;
use super::look::{Branch, Item, Look};
use super::lower::{Lowered, Lowering};
use super::neighbour_rounds::NeighbourRounds;
use super::segment::Segment;
use super::solve::{self, Edges, Outcome, Prefix, Solved};
use crate::error::Result;
use crate::grammar::GrammarBuilder;

/// The greatest count for which rounds are written out.
const MOST_ROUNDS: u32 = 4;

/// The rounds of a repetition, by the edges of the whole text for which they ask.
struct EdgeRounds {
    /// For none.
    plain: Segment,
    /// For the start.
    at_start: Segment,
    /// For the end.
    at_end: Segment,
    /// For both: each is the whole text.
    whole: Segment,
    start: Option<Look>,
    end: Option<Look>,
}

impl EdgeRounds {
    /// Sorts the rounds; `None` where one asks for anything but an edge.
    fn new(rounds: &[Solved], builder: &mut GrammarBuilder) -> Option<Self> {
        let mut sorted: [Vec<Segment>; 4] = Default::default();
        let (mut start, mut end) = (None, None);
        for Solved { behind, segment, ahead } in rounds {
            if !behind.iter().chain(ahead).all(Look::is_at_edge_only) {
                return None;
            }
            sorted[usize::from(!behind.is_empty()) + 2 * usize::from(!ahead.is_empty())]
                .push(segment.clone());
            start = start.or_else(|| behind.first().cloned());
            end = end.or_else(|| ahead.first().cloned());
        }
        let [plain, at_start, at_end, whole] =
            sorted.map(|segments| Segment::alternation(&segments, builder));
        Some(Self { plain, at_start, at_end, whole, start, end })
    }

    /// The branches of `minimum` to `maximum` rounds, of which there is at least one.
    fn branches(&self, minimum: u32, maximum: Option<u32>, builder: &mut GrammarBuilder) -> Vec<Branch> {
        let nullable = |segment: &Segment| builder.expressions().is_nullable(segment.expression);
        // Where a round at an edge may be empty, any number of such rounds makes no difference to the text.
        let (fills_start, fills_end) = (nullable(&self.at_start), nullable(&self.at_end));
        let fills_whole = fills_start || fills_end || nullable(&self.plain);
        let whole_is_empty = nullable(&self.whole);
        let mut between = |edges: u32, is_filled: bool| {
            let minimum = if is_filled { 0 } else { minimum.saturating_sub(edges) };
            let maximum = match maximum {
                Some(maximum) => Some(maximum.checked_sub(edges)?),
                None => None,
            };
            Some(self.plain.repeated(minimum, maximum, builder))
        };
        let mut branches = Vec::new();
        let mut add = |start, texts: Option<Vec<Segment>>, end| {
            branches.extend(texts.and_then(|texts| self.branch(start, texts, end)));
        };
        add(false, between(0, false).map(|plain| vec![plain]), false);
        add(true, between(1, fills_start).map(|plain| vec![self.at_start.clone(), plain]), false);
        add(false, between(1, fills_end).map(|plain| vec![plain, self.at_end.clone()]), true);
        let at_both = between(2, fills_start || fills_end);
        add(true, at_both.map(|plain| vec![self.at_start.clone(), plain, self.at_end.clone()]), true);
        let whole = match minimum <= 1 || fills_whole {
            true => Some(self.whole.clone()),
            false => whole_is_empty.then(Segment::empty),
        };
        add(true, whole.map(|whole| vec![whole]), true);
        branches
    }

    /// Texts, at the edges for which is asked; `None` where they match nothing, or no round asks for such an edge.
    fn branch(&self, start: bool, texts: Vec<Segment>, end: bool) -> Option<Branch> {
        let matches_nothing = |text: &Segment| text.expression == GrammarBuilder::NOTHING;
        if texts.iter().any(matches_nothing) {
            return None;
        }
        let mut branch = Branch::new();
        if start {
            branch.push(Item::Look(self.start.clone()?));
        }
        branch.extend(texts.into_iter().map(Item::Text));
        if end {
            branch.push(Item::Look(self.end.clone()?));
        }
        Some(branch)
    }
}

impl Lowering<'_> {
    /// Repeats what contains assertions.
    pub(super) fn repetition_of_branches(
        &mut self,
        branches: &[Branch],
        minimum: u32,
        maximum: Option<u32>,
    ) -> Result<Lowered> {
        if maximum == Some(0) {
            return Ok(Lowered::Branches(vec![Branch::new()]));
        }
        let open = Edges { open_before: true, open_after: true };
        let outcome = solve::solve(branches.to_vec(), open, self.builder, self.budget, self.deadline)?;
        let looks: Vec<Look> = match outcome {
            Outcome::Solved(solved) => {
                let looks = solved.iter().flat_map(|solved| solved.behind.iter().chain(&solved.ahead));
                let looks: Vec<Look> = looks.cloned().collect();
                if looks.is_empty() {
                    let segments: Vec<Segment> = solved.into_iter().map(|solved| solved.segment).collect();
                    let body = Segment::alternation(&segments, self.builder);
                    let Segment { expression, shape } = body.repeated(minimum, maximum, self.builder);
                    return Ok(Lowered::Plain(expression, Some(shape)));
                }
                if let Some(rounds) = EdgeRounds::new(&solved, self.builder) {
                    return Ok(Lowered::Branches(rounds.branches(minimum, maximum, self.builder)));
                }
                if let Some(rounds) = NeighbourRounds::of(&solved, self.builder)? {
                    return Ok(Lowered::Branches(rounds.branches(minimum, maximum, self.builder)));
                }
                looks
            }
            Outcome::Stuck(looks) => looks,
        };
        let unlisted = match CharacterRounds::of(branches, minimum, maximum, self.builder) {
            Some(Ok(rounds)) => {
                return Ok(Lowered::Branches(rounds.branches(self.builder)?));
            }
            Some(Err(unlisted)) => Some(unlisted),
            None => None,
        };
        // Rounds without text change nothing once the assertions hold.
        let has_text = |item: &Item| matches!(item, Item::Text(text) if text.shape.maximum != Some(0));
        let is_textless = !branches.iter().flatten().any(has_text);
        let most = if is_textless { maximum.unwrap_or(1).min(1) } else { maximum.unwrap_or(u32::MAX) };
        if most > MOST_ROUNDS {
            return Err(self.unrepeatable(&looks, unlisted, MOST_ROUNDS));
        }
        self.written_out(branches, minimum.min(most), most)
    }

    /// Writes the rounds of a repetition out, which are few.
    fn written_out(&mut self, branches: &[Branch], least: u32, most: u32) -> Result<Lowered> {
        let mut rounds = vec![Prefix::default()];
        let mut all = if least == 0 { vec![Branch::new()] } else { Vec::new() };
        for round in 1..=most {
            rounds = self.product(rounds, branches)?;
            if round >= least {
                let whole = rounds.iter().cloned().map(|prefix| prefix.into_branch(self.builder));
                all.extend(whole);
            }
        }
        Ok(Lowered::Branches(all))
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::{RegexOptions, compile};
    use crate::budget::Budget;
    use crate::frontend::evaluate;

    /// All texts of up to three of some characters.
    fn texts() -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..3 {
            let longer = all[from..].iter().flat_map(|text| ["a", "b", "é"].map(|more| text.clone() + more));
            let longer: Vec<String> = longer.collect();
            from = all.len();
            all.extend(longer);
        }
        all
    }

    /// Alternatives, some of which ask for an edge or for both, and some of which may be empty.
    fn random_body(random: &mut Rng) -> String {
        const TEXTS: [&str; 9] = ["", "", "a", "b", "a?", "[ab]*", "ab", "é", "(?:a|$)b?"];
        let mut alternatives = Vec::new();
        for _ in 0..random.usize(1..4) {
            let (before, after) = (random.usize(..5), random.usize(..5));
            let edge = |drawn: usize, edge: &'static str| if drawn == 0 { edge } else { "" };
            let text = TEXTS[random.usize(..TEXTS.len())];
            alternatives.push(format!("{}{text}{}", edge(before, "^"), edge(after, "$")));
        }
        format!("(?:{})", alternatives.join("|"))
    }

    /// So many rounds, each written out: what is concatenated is put together from branches.
    fn written_out(body: &str, counts: impl Iterator<Item = u32>) -> String {
        counts.map(|count| body.repeat(count as usize)).collect::<Vec<_>>().join("|")
    }

    /// A character before which some strings may not stand.
    fn random_character(random: &mut Rng) -> String {
        const STRINGS: [&str; 8] = ["ab", "ba|ab", "aab|b", "aa", "é|ab", "abé|bb|éa", "aba", "bab|ab"];
        const CHARACTERS: [&str; 4] = [".", "[ab]", "[^b]", "[^é]"];
        let strings = STRINGS[random.usize(..STRINGS.len())];
        format!("(?:(?!{strings}){})", CHARACTERS[random.usize(..CHARACTERS.len())])
    }

    /// Compares random bodies, repeated, with so many of them one after another, in one of some frames.
    fn compare(random_body: fn(&mut Rng) -> String, frames: [(&str, &str); 4]) {
        let mut random = Rng::with_seed(5);
        let (texts, mut accepted, mut compared) = (texts(), 0, 0);
        for _ in 0..400 {
            let body = random_body(&mut random);
            let minimum = random.u32(..3);
            let maximum = random.bool().then(|| minimum + random.u32(..3));
            let bounds = maximum.map_or(String::new(), |maximum| maximum.to_string());
            let frame = frames[random.usize(..frames.len())];
            // Of more rounds than there are characters some are empty.
            let counts = minimum..=maximum.unwrap_or(minimum + 3);
            let patterns =
                [format!("{body}{{{minimum},{bounds}}}"), format!("(?:{})", written_out(&body, counts))];
            for search in [false, true] {
                let options = RegexOptions { search, ecma: true, ..RegexOptions::default() };
                let [repeated, written] = patterns.each_ref().map(|pattern| {
                    let pattern = format!("{}{pattern}{}", frame.0, frame.1);
                    compile(&pattern, &options, &Budget::default()).unwrap()
                });
                for text in &texts {
                    let [repeated, written] = [&repeated, &written].map(|grammar| {
                        let body = grammar.rules()[grammar.start().index()].body;
                        evaluate::matches(grammar.expressions(), body, text.as_bytes())
                    });
                    assert_eq!(repeated, written, "{frame:?} {patterns:?} on {text:?}");
                    accepted += usize::from(repeated);
                    compared += 1;
                }
            }
        }
        assert!(accepted * 10 > compared && accepted * 10 < compared * 9, "{accepted} of {compared}");
    }

    #[test]
    fn rounds_that_ask_for_edges_match_what_they_do_written_out() {
        compare(random_body, [("", ""), ("a?", ""), ("", "b?"), ("(?:^|b)", "(?:a|$)")]);
    }

    #[test]
    fn characters_before_which_strings_may_not_stand_match_what_they_do_written_out() {
        compare(random_character, [("^", "$"), ("^a?", "b$"), ("^", "[ab]*$"), ("^(?:é|b)?", "(?:ab|é)$")]);
    }

    #[test]
    fn many_rounds_cost_no_more_than_few() {
        let size = |pattern: &str| {
            let grammar = compile(pattern, &RegexOptions::default(), &Budget::default()).unwrap();
            grammar.expressions().len()
        };
        assert_eq!(size(r"^([^,]+(,|\Z)){3,5}"), size(r"^([^,]+(,|\Z)){300,100000}"));
        assert_eq!(size(r"((?!-->).){3,5}"), size(r"((?!-->).){300,100000}"));
    }
}
