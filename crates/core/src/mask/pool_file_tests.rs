//! What is loaded is what was saved, and no bytes whatever do harm.

use std::sync::Arc;

use fastrand::Rng;

use super::super::token_union::Unions;
use super::*;
use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::frontend::gbnf;
use crate::matcher::Matcher;
use crate::settings::Settings;

const LIMIT: usize = 1 << 20;
const GRAMMAR: &str = r#"
root ::= "[" item ("," item)* "]"
item ::= word | root
word ::= "\"" [a-z]* "\"" | [0-9]+
"#;
const TEXT: &[u8] = br#"["ab",[12,"c"],[[3]]]"#;

/// Single bytes, words of two, and ends of words with what may come after them, so many that the pool keeps what
/// becomes of them, and a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = (32..128u8).map(|byte| Some(vec![byte])).collect();
    for range in [b'0'..=b'9', b'a'..=b'z'] {
        tokens.extend(range.clone().flat_map(|a| range.clone().map(move |b| Some(vec![a, b]))));
    }
    let numbers = (100..120).map(|number| number.to_string());
    for word in ('a'..='p').map(String::from).chain(["ab", "abc"].map(String::from)).chain(numbers) {
        tokens.extend(["\"", "\",", "\"]", ",", "]"].map(|end| Some(format!("{word}{end}").into_bytes())));
    }
    tokens.push(None);
    let (size, stop) = (tokens.len() + 7, TokenId(tokens.len() as u32 - 1));
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

/// The masks before each byte of the text and after the last, and the number of walks that it took.
fn masks(pool: &Arc<Pool>) -> (Vec<Vec<u32>>, u64) {
    let budget = Budget::default();
    let grammar = gbnf::compile(GRAMMAR, "root", &budget).unwrap();
    let constraint =
        Arc::new(Constraint::compile_with(&grammar, pool, &budget, Settings::default()).unwrap());
    let mut matcher = Matcher::new(&constraint);
    let mut masks = Vec::new();
    for end in 0..=TEXT.len() {
        let mut row = vec![0; pool.vocabulary().mask_words()];
        matcher.fill_mask(&mut row).unwrap();
        masks.push(row);
        if end < TEXT.len() {
            assert!(matcher.accept_bytes(&TEXT[end..=end]).unwrap());
        }
    }
    (masks, constraint.statistics().walks)
}

fn filled_pool() -> Arc<Pool> {
    let pool = Arc::new(Pool::new(&vocabulary(), LIMIT));
    masks(&pool);
    pool
}

/// The bytes with a checksum that fits.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - CHECKSUM;
    let checksum = xxh3_128(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn refusal(pool: &Pool, bytes: &[u8]) -> Option<String> {
    pool.load(bytes).err().map(|error| match error {
        Error::Artifact { .. } | Error::BudgetExceeded { .. } => error.to_string(),
        other => panic!("{other:?}"),
    })
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    let pool = filled_pool();
    let (expected, _) = masks(&pool);
    let held = pool.statistics();
    assert!(held.transitions > 2, "{held:?}");
    assert!(pool.contents().exit_sets.iter().any(|exits| !exits.slices.is_empty()), "numbers leave a slice");
    let loaded = Arc::new(Pool::new(&vocabulary(), LIMIT));
    assert_eq!(loaded.load(&pool.to_bytes()), Ok(held.transitions));
    assert_eq!(loaded.to_bytes(), pool.to_bytes());
    let (found, walks) = masks(&loaded);
    let before = pool.statistics();
    let (_, warm_walks) = masks(&pool);
    assert_eq!((found, walks), (expected, warm_walks));
    let (loaded, pool) = (loaded.statistics(), pool.statistics());
    assert!(loaded.partial_hits > 0 && loaded.perfect_hits > 0, "{loaded:?}");
    assert_eq!(loaded.transitions, held.transitions);
    assert_eq!(loaded.misses, pool.misses - before.misses);
}

#[test]
fn what_is_known_is_not_loaded_again() {
    let pool = filled_pool();
    assert_eq!(pool.load(&pool.to_bytes()), Ok(0));
}

#[test]
fn equal_pools_give_equal_bytes() {
    assert_eq!(filled_pool().to_bytes(), filled_pool().to_bytes());
    let numbers = Arc::default();
    masks(&Arc::new(Pool::upon(None, &vocabulary(), LIMIT, &numbers)));
    let numbered = Arc::new(Pool::upon(None, &vocabulary(), LIMIT, &numbers));
    masks(&numbered);
    assert_eq!(numbered.to_bytes(), filled_pool().to_bytes());
}

#[test]
fn an_empty_pool_is_saved_too() {
    let bytes = Pool::new(&vocabulary(), LIMIT).to_bytes();
    assert_eq!(Pool::new(&vocabulary(), LIMIT).load(&bytes), Ok(0));
}

#[test]
fn whatever_is_cut_off_or_changed_is_refused() {
    let bytes = filled_pool().to_bytes();
    let pool = Pool::new(&vocabulary(), LIMIT);
    for length in 0..bytes.len() {
        assert!(refusal(&pool, &bytes[..length]).is_some(), "{length}");
    }
    for at in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= bit;
            assert!(refusal(&pool, &changed).is_some(), "{at}");
        }
    }
    assert_eq!(pool.statistics().transitions, 0);
    assert!(refusal(&pool, &[&*bytes, &[0]].concat()).is_some());
}

#[test]
fn forged_files_do_no_harm() {
    let bytes = filled_pool().to_bytes();
    let mut accepted = 0;
    let vocabulary = vocabulary();
    let header = MAGIC.len() + 8 + 16;
    for at in header..bytes.len() - CHECKSUM {
        let mut forged = bytes.clone();
        forged[at] = match at % 3 {
            0 => 0xff,
            1 => bytes[at] ^ 1,
            _ => bytes[at].wrapping_add(1),
        };
        let pool = Arc::new(Pool::new(&vocabulary, LIMIT));
        if refusal(&pool, &with_checksum(forged)).is_none() {
            accepted += 1;
            let (found, _) = masks(&pool);
            assert!(found.iter().all(|row| set_bits(row).all(|token| token.index() < vocabulary.size())));
        }
    }
    assert!(accepted > 0, "some bytes can be changed into others that are as good");
    for length in header..bytes.len() - CHECKSUM {
        let cut = [&bytes[..length], &[0; CHECKSUM]].concat();
        assert!(refusal(&Pool::new(&vocabulary, LIMIT), &with_checksum(cut)).is_some(), "{length}");
    }
}

#[test]
fn random_bytes_are_refused() {
    let pool = Pool::new(&vocabulary(), LIMIT);
    let start = filled_pool().to_bytes()[..MAGIC.len() + 8 + 16].to_vec();
    let mut random = Rng::with_seed(1);
    for length in 0..500 {
        let mut garbage = vec![0; length + CHECKSUM];
        random.fill(&mut garbage);
        assert!(refusal(&pool, &garbage).is_some());
        assert!(refusal(&pool, &with_checksum([&*start, &garbage].concat())).is_some());
    }
}

#[test]
fn other_versions_and_vocabularies_are_named() {
    let pool = Pool::new(&vocabulary(), LIMIT);
    let bytes = filled_pool().to_bytes();
    let (format, forms) = (
        format!("version {}, not {FORMAT_VERSION}", FORMAT_VERSION ^ 1),
        format!("version {}, not {FORM_VERSION}", FORM_VERSION ^ 1),
    );
    for (at, says) in [(0, "no saved pool"), (8, &*format), (12, &*forms), (16, "vocabulary")] {
        let mut other = bytes.clone();
        other[at] ^= 1;
        let message = refusal(&pool, &with_checksum(other)).unwrap();
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn vocabularies_differ_by_everything_that_counts() {
    let make = |tokens: &[&[u8]], special: &str, stop: u32, size| {
        let tokens: Vec<_> = tokens.iter().map(|token| Some(token.to_vec())).collect();
        let special = vec![(special.to_owned(), TokenId(0))];
        Vocabulary::new(tokens, special, vec![TokenId(stop)], size).unwrap().fingerprint()
    };
    let all = [
        make(&[b"ab", b"c"], "s", 3, 4),
        make(&[b"a", b"bc"], "s", 3, 4),
        make(&[b"c", b"ab"], "s", 3, 4),
        make(&[b"ab", b"c", b"", b"", b""], "s", 3, 5),
        make(&[b"ab", b"c"], "t", 3, 4),
        make(&[b"ab", b"c"], "s", 2, 4),
        make(&[b"ab", b"c"], "s", 3, 5),
    ];
    for (at, fingerprint) in all.iter().enumerate() {
        assert!(!all[..at].contains(fingerprint), "{at}");
    }
    // The ids before the stop token are tokens, with or without text.
    assert_eq!(all[0], make(&[b"ab", b"c", b""], "s", 3, 4));
    assert_eq!(all[0], make(&[b"ab", b"c"], "s", 3, 4));
}

#[test]
fn exits_that_lead_nowhere_are_refused() {
    let vocabulary = vocabulary();
    let node = vocabulary.trie().find(b"a\"").unwrap();
    let entry = |from, exits| Entry {
        from,
        content: ContentHash(0),
        inside: TokenBits::empty(),
        exits,
        ends: Box::default(),
    };
    let depths = depths(vocabulary.trie());
    assert_eq!((depths[0], depths[node.index()]), (0, 2));
    let sets = [Some(2), Some(3), None, Some(0)];
    assert_eq!(check(&entry(Some(0), Some(1)), &sets, &vocabulary), Ok(()));
    for (from, exits) in [(Some(0), Some(0)), (Some(1), Some(0)), (None, Some(3)), (None, Some(2))] {
        assert!(check(&entry(from, exits), &sets, &vocabulary).is_err());
    }
}

#[test]
fn slices_of_exit_sets_are_deeper_than_their_node_and_of_ascii() {
    let vocabulary = vocabulary();
    let depths = depths(vocabulary.trie());
    let node = vocabulary.trie().find(b"a\"").unwrap();
    let characters = Characters::Kinds(Signature::of(b'a'));
    let class = vocabulary.class(&[(0x61, 0x7A)]).unwrap();
    let depth = |slices: &[SliceNodes]| {
        let listed = Box::new([node]);
        least_depth(&ExitNodes { listed, slices: slices.into() }, &depths)
    };
    let of_root = SliceNodes::all(NodeId::ROOT, characters);
    let below = SliceNodes::all(node, characters);
    assert_eq!(depth(&[]), Some(2));
    assert_eq!(depth(&[below]), Some(2));
    assert_eq!(depth(&[of_root, below]), Some(1));
    let outside = SliceNodes::all(NodeId(depths.len() as u32), characters);
    let beyond = SliceNodes::all(node, Characters::Kinds(Signature::of(0xC3)));
    let of_class = SliceNodes::all(node, Characters::Class(class));
    for refused in [&[below, of_root][..], &[below, below], &[outside], &[beyond], &[of_class]] {
        assert_eq!(depth(refused), None, "{refused:?}");
    }
}

/// A pool of two transitions that share a row, one of them with a change.
fn pool_with_changes() -> (Arc<Pool>, [Vec<u32>; 2]) {
    let pool = Arc::new(Pool::new(&vocabulary(), LIMIT));
    let words = pool.vocabulary().mask_words();
    let row: Arc<[u32]> = (1..words).map(|_| 0x55).chain([0]).collect();
    let all = TokenBits::of_row(&row);
    let sets = [all.clone(), Unions::new(words).changed(&all, [TokenId(0)], [TokenId(33)])];
    let forms: Vec<_> =
        [vec![1], vec![2]].into_iter().map(|form| (ContentHash(xxh3_128(&form)), form)).collect();
    let mut forms: Vec<(ContentHash, Box<[u8]>)> =
        forms.into_iter().map(|(hash, form)| (hash, form.into())).collect();
    forms.sort_unstable_by_key(|&(hash, _)| hash);
    let transitions = forms.iter().zip(&sets).map(|(&(content, _), inside)| Entry {
        from: None,
        content,
        inside: inside.clone(),
        exits: None,
        ends: Box::default(),
    });
    let transitions = transitions.collect();
    assert_eq!(pool.add(Contents { forms, exit_sets: Vec::new(), transitions }), Ok(2));
    let rows = sets.map(|set| {
        let mut row = vec![0; words];
        set.write_to(&mut row);
        row
    });
    (pool, rows)
}

fn inside_rows(pool: &Pool) -> Vec<(ContentHash, usize, Vec<u32>)> {
    let mut rows: Vec<_> = pool
        .contents()
        .transitions
        .iter()
        .map(|entry| {
            let mut row = vec![0; pool.vocabulary().mask_words()];
            entry.inside.write_to(&mut row);
            let shared = entry.inside.shared_row().map_or(0, |row| Arc::as_ptr(row).addr());
            (entry.content, shared, row)
        })
        .collect();
    rows.sort_unstable_by_key(|&(content, ..)| content);
    rows
}

#[test]
fn shared_rows_are_written_once_and_shared_again() {
    let (pool, expected) = pool_with_changes();
    let bytes = pool.to_bytes();
    let loaded = Pool::new(&vocabulary(), LIMIT);
    assert_eq!(loaded.load(&bytes), Ok(2));
    assert_eq!(loaded.to_bytes(), bytes);
    let found = inside_rows(&loaded);
    assert_eq!(found.iter().map(|(.., row)| row).collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    assert_eq!(found[0].1, found[1].1, "the row is shared");
    assert_eq!(loaded.statistics().bytes, pool.statistics().bytes);
}

#[test]
fn forged_changes_do_no_harm() {
    let (pool, _) = pool_with_changes();
    let bytes = pool.to_bytes();
    let (vocabulary, mut accepted) = (vocabulary(), 0);
    for at in MAGIC.len() + 8 + 16..bytes.len() - CHECKSUM {
        for value in [0, 1, 2, 0x7f, 0xff, bytes[at].wrapping_add(1)] {
            let mut forged = bytes.clone();
            forged[at] = value;
            let loaded = Pool::new(&vocabulary, LIMIT);
            if refusal(&loaded, &with_checksum(forged)).is_none() {
                accepted += 1;
                let rows = inside_rows(&loaded);
                let mut tokens = rows.iter().flat_map(|(.., row)| set_bits(row));
                assert!(tokens.all(|token| token.index() < vocabulary.token_count()));
            }
        }
    }
    assert!(accepted > 0, "some bytes can be changed into others that are as good");
}

#[test]
fn changes_outside_of_a_row_are_refused() {
    let vocabulary = vocabulary();
    let words = vocabulary.mask_words();
    let last = (words - 1) as u32;
    let row: Arc<[u32]> = vec![0; words].into();
    let refused = |changes: &[(u32, u32)]| {
        let changes = changes.iter().map(|&(at, word)| Change { at, word }).collect();
        let inside = TokenBits::Many { row: Arc::clone(&row), changes };
        let entry = Entry { from: None, content: ContentHash(0), inside, exits: None, ends: Box::default() };
        check(&entry, &[], &vocabulary).is_err()
    };
    assert!(!refused(&[]) && !refused(&[(0, 1), (1, u32::MAX), (last, 0)]));
    let unknown = 1 << (vocabulary.token_count() % 32);
    for changes in
        [&[(1, 1), (0, 1)][..], &[(0, 1), (0, 1)], &[(last + 1, 0)], &[(u32::MAX, 1)], &[(last, unknown)]]
    {
        assert!(refused(changes), "{changes:?}");
    }
}

#[test]
fn a_pool_that_is_too_small_says_so_and_a_full_one_makes_room() {
    let bytes = filled_pool().to_bytes();
    let small = Pool::new(&vocabulary(), 256);
    assert!(refusal(&small, &bytes).unwrap().contains("pool_bytes"));
    let tight = Pool::new(&vocabulary(), bytes.len() * 8);
    let filler = vec![0; bytes.len() * 2 - 200];
    assert!(tight.registry().register(&filler).is_some());
    assert!(tight.load(&bytes).unwrap() > 0);
}
