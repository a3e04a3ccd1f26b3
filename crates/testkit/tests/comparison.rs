//! The engine against the oracle, and the comparison itself against engines with faults.

use std::sync::Arc;

use maskwright_core::Settings;
use maskwright_core::expression::ByteSet;
use maskwright_testkit::ast::{Description, bytes, literal, repetition, tokens_but};
use maskwright_testkit::compare::{Plan, Report, Tally, compare, compare_seed, replay};
use maskwright_testkit::engine::{Engine, Maskwright, Outcome};
use maskwright_testkit::oracle::{Oracle, Piece};
use maskwright_testkit::program::Program;
use maskwright_testkit::random_case::Case;
use maskwright_testkit::vocabulary::TestVocabulary;

/// What a faulty engine gets wrong, after at least one piece where it does not say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    HidesAToken,
    AllowsADeadToken,
    AllowsAnIdPastTheLast,
    AcceptsWhatTheMaskHides,
    IsAlwaysComplete,
    RollsBackTooLittle,
    ResetsNothing,
    CountsOneTooMany,
    ChangesWhenItValidates,
    FillsOnlyTheFirstRow,
    ForcesTooMuch,
    ForcesAToken,
    ReadsBytesTwice,
    LetsTextGoOnAfterAStop,
    CallsEverythingEmpty,
    Panics,
}

/// The oracle as an engine, right but for its fault.
struct Faulty(Fault);

#[derive(Clone)]
struct FaultyMatcher {
    program: Arc<Program>,
    case: Arc<Case>,
    oracle: Oracle,
    /// For each step, whether it was a stop token.
    steps: Vec<bool>,
}

impl FaultyMatcher {
    fn is_finished(&self) -> bool {
        self.steps.last() == Some(&true)
    }
}

impl Engine for Faulty {
    type Constraint = (Arc<Program>, Arc<Case>);
    type Matcher = FaultyMatcher;

    fn compile(&self, case: &Case) -> Outcome<Option<Self::Constraint>> {
        let program = Program::new(&case.description, &case.vocabulary);
        let empty = program.is_empty() || self.0 == Fault::CallsEverythingEmpty;
        Ok((!empty).then(|| (Arc::new(program), Arc::new(case.clone()))))
    }

    fn matcher(&self, (program, case): &Self::Constraint) -> FaultyMatcher {
        FaultyMatcher {
            program: Arc::clone(program),
            case: Arc::clone(case),
            oracle: Oracle::new(program),
            steps: Vec::new(),
        }
    }

    fn fill_mask(&self, matcher: &mut FaultyMatcher, row: &mut [u32]) -> Outcome<()> {
        if matcher.is_finished() && self.0 != Fault::LetsTextGoOnAfterAStop {
            row.fill(0);
            return Ok(());
        }
        row.copy_from_slice(&matcher.oracle.mask());
        let later = !matcher.steps.is_empty();
        let tokens = matcher.case.vocabulary.tokens.len();
        match self.0 {
            Fault::HidesAToken if later => row[0] &= row[0].wrapping_sub(1),
            Fault::AllowsADeadToken if later => row[0] |= row[0].wrapping_add(1),
            Fault::AllowsAnIdPastTheLast if tokens < matcher.case.vocabulary.size => {
                row[tokens / 32] |= 1 << (tokens % 32);
            }
            Fault::Panics => assert!(matcher.steps.len() < 4, "too many steps"),
            _ => {}
        }
        Ok(())
    }

    fn fill_masks(
        &self,
        matchers: &mut [FaultyMatcher],
        rows: &mut [u32],
        words_per_row: usize,
        _threads: usize,
    ) -> Outcome<()> {
        let filled = if self.0 == Fault::FillsOnlyTheFirstRow { 1 } else { matchers.len() };
        let mut pairs = matchers.iter_mut().zip(rows.chunks_mut(words_per_row)).take(filled);
        pairs.try_for_each(|(matcher, row)| self.fill_mask(matcher, row))
    }

    fn accept(&self, matcher: &mut FaultyMatcher, id: u32) -> Outcome<bool> {
        let blind = self.0 == Fault::AcceptsWhatTheMaskHides && matcher.steps.len() == 2;
        if matcher.is_finished() || !(blind || matcher.oracle.allows(id)) {
            return Ok(false);
        }
        let stop = matcher.case.vocabulary.is_stop(id);
        if !stop {
            matcher.oracle.push_token(id);
        }
        matcher.steps.push(stop);
        Ok(true)
    }

    fn accept_tokens(&self, matcher: &mut FaultyMatcher, ids: &[u32]) -> Outcome<usize> {
        for (count, &id) in ids.iter().enumerate() {
            if !self.accept(matcher, id)? {
                return Ok(count + usize::from(self.0 == Fault::CountsOneTooMany));
            }
        }
        Ok(ids.len())
    }

    fn accept_bytes(&self, matcher: &mut FaultyMatcher, bytes: &[u8]) -> Outcome<bool> {
        if matcher.is_finished() || !matcher.oracle.allows_bytes(bytes) {
            return Ok(false);
        }
        let read = if self.0 == Fault::ReadsBytesTwice { bytes.repeat(2) } else { bytes.to_vec() };
        matcher.oracle.push(&Piece::Bytes(read));
        matcher.steps.push(false);
        Ok(true)
    }

    fn validate(&self, matcher: &mut FaultyMatcher, ids: &[u32]) -> Outcome<usize> {
        if self.0 == Fault::ChangesWhenItValidates {
            return self.accept_tokens(matcher, ids);
        }
        self.accept_tokens(&mut matcher.clone(), ids)
    }

    fn rollback(&self, matcher: &mut FaultyMatcher, steps: usize) -> Outcome<()> {
        if steps > matcher.steps.len() {
            return Err("too few steps".to_owned());
        }
        for _ in usize::from(self.0 == Fault::RollsBackTooLittle)..steps {
            if matcher.steps.pop() == Some(false) {
                matcher.oracle.pop();
            }
        }
        Ok(())
    }

    fn reset(&self, matcher: &mut FaultyMatcher) {
        if self.0 != Fault::ResetsNothing {
            matcher.oracle = Oracle::new(&matcher.program);
            matcher.steps.clear();
        }
    }

    fn forced_bytes(&self, matcher: &mut FaultyMatcher, limit: usize) -> Outcome<Vec<u8>> {
        let mut forced = matcher.oracle.forced_bytes(limit);
        if self.0 == Fault::ForcesTooMuch && limit > 0 && forced.is_empty() {
            forced.extend(matcher.oracle.allowed_bytes().iter().next());
        }
        Ok(forced)
    }

    fn forced_tokens(&self, matcher: &mut FaultyMatcher, limit: usize) -> Outcome<Vec<u32>> {
        let mask = matcher.oracle.mask();
        let only = mask.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
        let first =
            (0..matcher.case.vocabulary.size as u32).find(|id| mask[*id as usize / 32] >> (id % 32) & 1 == 1);
        let forced = only || self.0 == Fault::ForcesAToken;
        Ok(first.into_iter().filter(|_| forced && limit > 0).collect())
    }

    fn allowed_bytes(&self, matcher: &mut FaultyMatcher) -> Outcome<ByteSet> {
        Ok(matcher.oracle.allowed_bytes())
    }

    fn is_complete(&self, matcher: &FaultyMatcher) -> bool {
        self.0 == Fault::IsAlwaysComplete || matcher.oracle.is_sentence()
    }

    fn is_finished(&self, matcher: &FaultyMatcher) -> bool {
        matcher.is_finished()
    }
}

fn run(engine: &impl Engine, masks: usize) -> Report {
    compare(engine, Plan { seed: 1, masks, threads: 1, mismatches: 1 }, &|_| {})
}

/// All mismatches, to be read in the message of a failed test.
fn print_out(report: &Report) -> String {
    report.mismatches.iter().map(|mismatch| format!("{mismatch}\n\n")).collect()
}

#[test]
fn the_engine_agrees_with_the_oracle() {
    for settings in Settings::ALL {
        let report = run(&Maskwright { settings, ..Maskwright::default() }, 1_000);
        assert!(report.mismatches.is_empty(), "{settings:?}: {}", print_out(&report));
        assert!(report.tally.grammars > 30 && report.tally.checks > 500, "{:?}", report.tally);
    }
}

#[test]
fn an_id_past_the_last_token_is_in_no_set_of_tokens() {
    let case = Case {
        description: Description::new([tokens_but(&[0])]),
        vocabulary: TestVocabulary::new(&[None, None, Some(b"a")], &[1], 40),
    };
    assert_eq!(replay(&Maskwright::default(), &case, &[]), Ok(()));
}

#[test]
fn characters_are_counted_beside_bytes_that_are_none() {
    let case = Case {
        description: Description::new([repetition(bytes(b"a\xa9"), 0, Some(2))]),
        vocabulary: TestVocabulary::new(&[Some(b"a"), Some(b"\xa9"), Some(b"aaaa"), None], &[3], 4),
    };
    assert_eq!(replay(&Maskwright::default(), &case, &[]), Ok(()));
}

#[test]
fn a_repeated_repetition_keeps_its_least_number_of_times() {
    let case = Case {
        description: Description::new([repetition(repetition(literal(b"ab"), 1, None), 2, None)]),
        vocabulary: TestVocabulary::new(&[Some(b"a"), Some(b"b"), Some(b"abab"), None], &[3], 4),
    };
    let pieces = [Piece::Token(0), Piece::Bytes(b"b".to_vec()), Piece::Token(2), Piece::Token(0)];
    assert_eq!(replay(&Maskwright::default(), &case, &pieces), Ok(()));
}

#[test]
fn an_engine_without_fault_passes() {
    let report = run(&Faulty(Fault::None), 500);
    assert!(report.mismatches.is_empty(), "{}", print_out(&report));
    assert_eq!(report.tally.short_forced_texts, 0);
}

#[test]
fn every_fault_is_found() {
    let faults = [
        Fault::HidesAToken,
        Fault::AllowsADeadToken,
        Fault::AllowsAnIdPastTheLast,
        Fault::AcceptsWhatTheMaskHides,
        Fault::IsAlwaysComplete,
        Fault::RollsBackTooLittle,
        Fault::ResetsNothing,
        Fault::CountsOneTooMany,
        Fault::ChangesWhenItValidates,
        Fault::FillsOnlyTheFirstRow,
        Fault::ForcesTooMuch,
        Fault::ForcesAToken,
        Fault::ReadsBytesTwice,
        Fault::LetsTextGoOnAfterAStop,
        Fault::CallsEverythingEmpty,
        Fault::Panics,
    ];
    for fault in faults {
        let mut tally = Tally::default();
        let found = (1..=60).any(|seed| compare_seed(&Faulty(fault), seed, &mut tally).is_err());
        assert!(found, "{fault:?} was not found: {tally:?}");
    }
}

#[test]
fn a_reproducer_is_made_small() {
    let report = run(&Faulty(Fault::HidesAToken), 200);
    let [mismatch] = report.mismatches.as_slice() else { panic!("{}", print_out(&report)) };
    assert!(mismatch.case.description.to_string().len() < 100, "{mismatch}");
    assert!(mismatch.pieces.len() <= 1, "{mismatch}");
    assert!(replay(&Faulty(Fault::HidesAToken), &mismatch.case, &mismatch.pieces).is_err());
    assert_eq!(replay(&Faulty(Fault::None), &mismatch.case, &mismatch.pieces), Ok(()));
}
