use super::super::Spelling;
use super::super::bound::tests::{after, nested_counters};
use super::super::json_string::tests::surrogate;
use super::*;

fn soon() -> Deadline {
    Deadline::for_compile(&Budget::default())
}

#[test]
fn empty_and_living_intersections_are_told_apart() {
    let mut store = ExpressionStore::new();
    let letter = store.bytes(ByteSet::range(b'a', b'z'));
    let few = store.repetition(letter, 0, Some(3));
    let many = store.repetition(letter, 5, None);
    let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
    let none = store.intersection(&[few, many]);
    assert_eq!(emptiness.is_alive(&mut store, none, &soon()), Ok(false));
    let three = store.repetition(letter, 3, Some(7));
    let some = store.intersection(&[few, three]);
    assert_eq!(emptiness.is_alive(&mut store, some, &soon()), Ok(true));
}

#[test]
fn what_the_last_search_found_is_tried_and_changes_no_answer() {
    let mut store = ExpressionStore::new();
    let (letters, x) = (store.bytes(ByteSet::range(b'a', b'z')), store.literal(b"x"));
    let words = store.repetition(letters, 0, None);
    let mut emptiness = Emptiness::new(ByteSet::range(b'a', b'z'), &Budget::default());
    for (least, most) in [(3, 9), (2, 9), (4, 9), (0, 2), (3, 3), (1, 5)] {
        let (long, short) =
            (store.repetition(letters, 3, None), store.repetition(letters, least, Some(most)));
        let ends = store.concatenate(short, x);
        let not_word = store.complement(words);
        for operands in [[long, ends], [ends, not_word], [short, long]] {
            let both = store.intersection(&operands);
            let mut fresh = Emptiness::new(ByteSet::range(b'a', b'z'), &Budget::default());
            let expected = fresh.is_alive(&mut store, both, &soon());
            assert_eq!(emptiness.is_alive(&mut store, both, &soon()), expected);
        }
    }
}

#[test]
fn what_few_strings_are_excluded_from_is_alive_where_a_search_says_so() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let letter = store.bytes(ByteSet::range(b'a', b'c'));
    let words = store.literals([&b"a"[..], b"ab", b"abc"].map(<[u8]>::to_vec).into());
    let others = store.complement(words);
    let mut contents = Vec::new();
    for (body, maximum) in [(any, None), (letter, None), (letter, Some(1)), (letter, Some(3))] {
        for minimum in 0..2 {
            let base = store.repetition(body, minimum, maximum);
            contents.push(store.intersection(&[base, others]));
        }
    }
    contents.push(store.intersection(&[words, others]));
    // A pattern that can be left, one that cannot, and one to which all characters belong.
    let (text, many) = (store.repetition(any, 0, None), store.repetition(letter, 0, None));
    let (word, ascii) = (store.literal(b"ab"), store.bytes(ByteSet::range(0, 0x7F)));
    let (named, found) = (store.concatenate(word, many), store.concatenation(&[text, word, text]));
    let ascii = store.repetition(ascii, 0, None);
    for pattern in [named, found, ascii, text] {
        let not = store.complement(pattern);
        contents.push(store.intersection(&[text, not]));
        contents.push(store.intersection(&[text, not, others]));
        contents.push(store.intersection(&[many, not]));
    }
    let mut shortened = 0;
    for text in [&b""[..], b"a", b"ab", b"abc", b"c", b"abca", b"z"] {
        for &content in &contents {
            let derive = |at, &byte: &u8| store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
            let at = text.iter().fold(content, derive);
            let fresh = || Emptiness::new(ByteSet::ALL, &Budget::default());
            let expected = at != ExpressionStore::NOTHING
                && fresh().search(Level::Content, &mut store, at, &soon()).unwrap();
            assert_eq!(fresh().is_alive_content(&mut store, at, &soon()), Ok(expected), "{text:?}");
            shortened += usize::from(store.endless_base(at).is_some());
        }
    }
    assert!(shortened > 30, "{shortened}");
}

#[test]
fn an_escape_leads_on_where_a_search_says_so() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let surrogate = surrogate(&mut store);
    let unit = store.alternatives(&[any, surrogate]);
    let (text, letter) = (store.repetition(any, 0, None), store.literal(b"a"));
    let not_text = store.complement(text);
    let smile = store.literal("😀".as_bytes());
    let surrogates = store.repetition(surrogate, 0, Some(3));
    let mut contents = vec![letter, smile, surrogates, store.concatenate(surrogate, letter)];
    for (least, most) in [(1, 1), (0, 3)] {
        for body in [any, unit] {
            let some = store.repetition(body, least, Some(most));
            let few = store.repetition(any, 0, Some(2));
            let others = store.complement(few);
            contents.extend([
                some,
                store.intersection(&[some, not_text]),
                store.intersection(&[some, others]),
            ]);
        }
    }
    let mut spellings = Vec::new();
    for minimal_escapes in [false, true] {
        for raw in [ByteSet::ALL, ByteSet::range(0, 0x7F)] {
            let spelling = Spelling { minimal_escapes, ..Spelling::over(&raw) };
            spellings.push(store.intern_spelling(spelling));
        }
    }
    let mut counts = [0, 0];
    for (&content, &spelling) in
        contents.iter().flat_map(|content| spellings.iter().map(move |one| (content, one)))
    {
        let string = store.json_string(content, spelling);
        for text in [
            r"\",
            r"\ud",
            r"\ud8",
            r"\udc",
            r"\u0",
            r"\u006",
            r"\ud83d",
            r"\ud83d\",
            r"\ud83d\u",
            r"\ud83d\ud",
            r"\ud83d\udc",
            r"\ud83d\ud8",
            r"a\ude0",
        ] {
            let derive = |at, byte| store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
            let at = text.bytes().fold(string, derive);
            let fresh =
                |limit| Emptiness::new(ByteSet::ALL, &Budget { emptiness: limit, ..Budget::default() });
            // A search of what is dead tries each number of each escape.
            let found = match at {
                ExpressionStore::NOTHING => Ok(false),
                at => fresh(3_000).search(Level::Text, &mut store, at, &soon()),
            };
            let Ok(expected) = found else { continue };
            let alive = fresh(200_000).is_alive(&mut store, at, &soon());
            assert_eq!(alive, Ok(expected), "{text} {content:?} {spelling:?}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 199), "{counts:?}");
}

#[test]
fn a_complement_is_relative_to_the_alphabet() {
    let mut store = ExpressionStore::new();
    let letter = store.bytes(ByteSet::range(b'a', b'z'));
    let words = store.repetition(letter, 0, None);
    let others = store.complement(words);
    let alive = |store: &mut ExpressionStore, alphabet| {
        Emptiness::new(alphabet, &Budget::default()).is_alive(store, others, &soon())
    };
    assert_eq!(alive(&mut store, ByteSet::ALL), Ok(true));
    assert_eq!(alive(&mut store, ByteSet::range(b'a', b'm')), Ok(false));
}

#[test]
fn a_long_way_to_a_match_is_found_without_exploring_all_others() {
    // Many ways to count, and none shorter than 3,000 bytes.
    let mut store = ExpressionStore::new();
    let (a, ab) = (store.literal(b"a"), store.bytes(ByteSet::range(b'a', b'b')));
    let inner = store.repetition(a, 9, Some(13));
    let many = store.repetition(inner, 300, Some(800));
    let other = store.repetition(ab, 3000, None);
    let both = store.intersection(&[many, other]);
    let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget { emptiness: 8_000, ..Budget::default() });
    assert_eq!(emptiness.is_alive(&mut store, both, &soon()), Ok(true));
}

#[test]
fn a_search_past_the_budget_is_an_error() {
    let mut store = ExpressionStore::new();
    let syllables = store.literals(vec![b"a".to_vec(), b"ab".to_vec()]);
    let short = store.repetition(syllables, 0, Some(500));
    let long = store.repetition(syllables, 501, None);
    let both = store.intersection(&[short, long]);
    let result = Emptiness::new(ByteSet::ALL, &Budget { emptiness: 100, ..Budget::default() }).is_alive(
        &mut store,
        both,
        &soon(),
    );
    assert!(matches!(result, Err(Error::BudgetExceeded { budget: "emptiness", .. })));
}

/// Lengths that are multiples of many numbers: a match is longer than any search can find, and there are as many
/// expressions on the way there. One of them has as many operands as there are lengths, and counts for as many.
#[test]
fn expressions_with_many_operands_count_for_several() {
    let explored = |count: u32| {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let lengths: Vec<ExpressionId> = (2..2 + count)
            .map(|length| {
                let part = store.repetition(letter, length, Some(length));
                store.repetition(part, 1, None)
            })
            .collect();
        let all = store.intersection(&lengths);
        let budget = Budget { emptiness: 20_000, ..Budget::default() };
        let result = Emptiness::new(ByteSet::ALL, &budget).is_alive(&mut store, all, &soon());
        assert!(
            matches!(result, Err(Error::BudgetExceeded { budget: "emptiness", .. })),
            "{count}: {result:?}"
        );
        store.size()
    };
    let (few, many) = (explored(20), explored(160));
    assert!(many < 2 * few, "{few} {many}");
}

/// Whether something matches all of some expressions, told by a search of few of them.
fn is_alive_soon(store: &mut ExpressionStore, operands: &[ExpressionId]) -> Result<bool> {
    let all = store.intersection(operands);
    let budget = Budget { emptiness: 4_000, ..Budget::default() };
    Emptiness::new(ByteSet::ALL, &budget).is_alive(store, all, &soon())
}

/// Texts that hold some bytes in a row.
fn holding(store: &mut ExpressionStore, bytes: &[u8]) -> ExpressionId {
    let (byte, part) = (store.bytes(ByteSet::ALL), store.literal(bytes));
    let any = store.repetition(byte, 0, None);
    store.concatenation(&[any, part, any])
}

#[test]
fn many_demands_are_met_one_after_another() {
    let mut store = ExpressionStore::new();
    let mut demands: Vec<ExpressionId> =
        (b'a'..=b'p').map(|byte| holding(&mut store, &[byte, byte + 1])).collect();
    assert_eq!(is_alive_soon(&mut store, &demands), Ok(true));
    let without = (b'a'..=b'p').step_by(2).map(|byte| holding(&mut store, &[byte, b'-']));
    let without: Vec<ExpressionId> = without.collect();
    demands.extend(without.into_iter().map(|demand| store.complement(demand)));
    assert_eq!(is_alive_soon(&mut store, &demands), Ok(true));
}

#[test]
fn two_demands_that_exclude_each_other_are_found_among_many() {
    let mut store = ExpressionStore::new();
    let mut demands: Vec<ExpressionId> =
        (b'a'..=b'p').map(|byte| holding(&mut store, &[byte, byte + 1])).collect();
    let letter = store.bytes(ByteSet::range(b'a', b'q'));
    demands.extend([store.repetition(letter, 0, None), holding(&mut store, b"z")]);
    assert_eq!(is_alive_soon(&mut store, &demands), Ok(false));
}

#[test]
fn lengths_are_not_counted_where_they_make_no_difference() {
    let mut store = ExpressionStore::new();
    let (letter, hyphen) = (store.bytes(ByteSet::range(b'a', b'z')), store.literal(b"-"));
    let word = store.repetition(letter, 1, Some(60));
    let further = store.concatenate(hyphen, word);
    let further = store.repetition(further, 0, Some(100));
    let words = store.concatenate(word, further);
    let byte = store.bytes(ByteSet::ALL);
    let short = store.repetition(byte, 0, Some(250));
    let underlined = holding(&mut store, b"_");
    assert_eq!(is_alive_soon(&mut store, &[words, short, underlined]), Ok(false));
    let hyphenated = holding(&mut store, b"-");
    assert_eq!(is_alive_soon(&mut store, &[words, short, hyphenated]), Ok(true));
}

/// Lengths, patterns and what they exclude, in any combination: what is told without a search is what all derivatives tell.
#[test]
fn what_is_evident_is_what_a_search_says() {
    let mut store = ExpressionStore::new();
    let any = store.any_character();
    let [letter, ab] = [b'c', b'b'].map(|last| store.bytes(ByteSet::range(b'a', last)));
    let umlaut = store.literal("ü".as_bytes());
    let text = store.repetition(any, 0, None);
    let mut operands = vec![text];
    for body in [any, letter, ab] {
        for (least, most) in [(0, Some(2)), (2, Some(2)), (3, Some(5)), (2, None), (4, Some(4))] {
            operands.push(store.repetition(body, least, most));
        }
        let (three, word) = (store.repetition(ab, 3, Some(3)), store.literal(b"cab"));
        let many = store.repetition(body, 0, None);
        for part in [three, word, umlaut, letter] {
            operands.push(store.concatenation(&[text, part, text]));
            operands.push(store.concatenation(&[part, many]));
            operands.push(store.concatenation(&[many, part]));
        }
    }
    let excluded: Vec<_> = operands[1..].iter().map(|&operand| store.complement(operand)).collect();
    operands.extend(excluded);
    let mut random = fastrand::Rng::with_seed(7);
    let mut counts = [0; 2];
    for alphabet in [ByteSet::ALL, "abcü".bytes().collect()] {
        let mut emptiness = Emptiness::new(alphabet, &Budget::default());
        for _ in 0..800 {
            let some: Vec<_> = (0..random.usize(2..5)).map(|_| random.choice(&operands).copied()).collect();
            let some: Vec<_> = some.into_iter().flatten().chain([text]).collect();
            let mut at = store.intersection(&some);
            for _ in 0..random.usize(0..4) {
                let byte = *random.choice("abcü".as_bytes()).unwrap();
                at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
            }
            if at == ExpressionStore::NOTHING {
                continue;
            }
            let mut fresh = Emptiness::new(alphabet, &Budget::default());
            let expected = fresh.explore(Level::Text, &mut store, at, usize::MAX, &soon()).unwrap();
            let alive = emptiness.is_alive(&mut store, at, &soon()).unwrap();
            assert_eq!(Some(alive), expected, "{some:?}");
            counts[usize::from(alive)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// Also where the clock would not be asked again at once.
#[test]
fn what_a_store_out_of_time_tells_is_not_believed() {
    let mut store = ExpressionStore::new();
    let nested = nested_counters(&mut store);
    let over = Deadline::for_step(&Budget { step_time: std::time::Duration::ZERO, ..Budget::default() });
    store.bound(1_000_000);
    store.within(&over, |store| after(store, nested, 4));
    assert!(store.is_out_of_time());
    let (emptiness, later) = (Emptiness::new(ByteSet::ALL, &Budget::default()), soon());
    assert_eq!(later.check(), Ok(()));
    assert!(matches!(emptiness.check_size(&store, &later), Err(Error::BudgetExceeded { .. })));
}

/// The guess ends in the wrong one of two letters; a search from the beginning would meet each length first.
#[test]
fn a_match_beside_a_way_that_leads_to_none_is_found() {
    let mut store = ExpressionStore::new();
    let (any, letter) = (store.any_character(), store.bytes(ByteSet::range(b'a', b'z')));
    let (text, letters) = (store.repetition(any, 0, None), store.repetition(letter, 30, Some(30)));
    let (last, y) = (store.bytes(ByteSet::range(b'x', b'y')), store.literal(b"y"));
    for end in [last, y] {
        let words = store.concatenate(letters, end);
        for ending in [y, last] {
            let ended = store.concatenate(text, ending);
            let both = store.intersection(&[words, ended]);
            let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
            assert_eq!(emptiness.needs_no_search(Level::Text, &mut store, both, &soon()), Ok(true));
        }
        let other = store.literal(b"z");
        let ended = store.concatenate(text, other);
        let none = store.intersection(&[words, ended]);
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
        assert_eq!(emptiness.is_alive(&mut store, none, &soon()), Ok(false));
    }
}
