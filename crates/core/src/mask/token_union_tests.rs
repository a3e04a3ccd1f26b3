//! What is put together is what bits put together one by one would be, whatever the forms of the parts.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::super::token_bits::set_bits;
use super::*;

const WORDS: usize = 100;

/// Up to so many tokens, none twice.
fn any_tokens(most: usize, random: &mut Rng) -> Vec<TokenId> {
    let count = random.usize(..=most);
    let tokens: BTreeSet<TokenId> = (0..count).map(|_| any_token(random)).collect();
    tokens.into_iter().collect()
}

fn any_token(random: &mut Rng) -> TokenId {
    TokenId(random.u32(..WORDS as u32 * 32))
}

fn members(set: &TokenBits) -> BTreeSet<TokenId> {
    let mut row = vec![u32::MAX; WORDS];
    set.write_to(&mut row);
    if let TokenBits::Many { changes, .. } = set {
        assert!(changes.is_sorted_by(|a, b| a.at < b.at) && changes.len() <= TokenUnion::most_changes(WORDS));
    }
    set_bits(&row).collect()
}

#[test]
fn unions_are_those_of_the_members() {
    let mut random = Rng::with_seed(1);
    let dense = TokenBits::from_tokens((0..2500).map(TokenId), WORDS);
    let mut sets = vec![TokenBits::empty(), dense];
    let mut union = TokenUnion::new(WORDS);
    let (mut shared, mut whole, mut lists, mut words) = (0, 0, 0, 0);
    for _ in 0..8000 {
        let mut expected = BTreeSet::new();
        for _ in 0..random.usize(..4) {
            let set = sets[random.usize(..sets.len())].clone();
            match random.usize(..6) {
                0 => {
                    let most = [6, 6, 6, 300][random.usize(..4)];
                    let tokens = any_tokens(most, &mut random);
                    tokens.iter().for_each(|token| {
                        expected.remove(token);
                    });
                    union.remove_row(&row_of(&tokens, WORDS));
                }
                1 => {
                    let tokens = any_tokens(8, &mut random);
                    tokens.iter().for_each(|token| {
                        expected.remove(token);
                    });
                    union.remove(tokens);
                }
                2 => {
                    let most = [8, 8, 200, 600][random.usize(..4)];
                    let tokens = any_tokens(most, &mut random);
                    expected.extend(tokens.iter().copied());
                    let (some, others) = tokens.split_at(random.usize(..=tokens.len()));
                    match random.bool() {
                        true => union.add_lists([some, others].into_iter(), tokens.len()),
                        false => union.add_tokens(tokens),
                    }
                }
                3 => {
                    let without = any_tokens(40, &mut random);
                    let other = sets[random.usize(..sets.len())].clone();
                    let both = [set, other];
                    let some = &both[random.usize(..2)..];
                    let new = some.iter().flat_map(members).filter(|token| !without.contains(token));
                    expected.extend(new);
                    union.add_without(some.iter(), without);
                }
                4 => {
                    let kept = members(&set);
                    expected.retain(|token| kept.contains(token));
                    union.keep_row(&set.to_row(WORDS));
                }
                _ => {
                    expected.extend(members(&set));
                    union.add(&set);
                }
            }
            let token = any_token(&mut random);
            assert_eq!(union.contains(token), expected.contains(&token));
            if random.usize(..3) == 0 {
                let tokens = (0..WORDS as u32 * 32).map(TokenId);
                assert_eq!(tokens.filter(|&token| union.contains(token)).collect::<BTreeSet<_>>(), expected);
                let asked: Vec<(u32, u32)> =
                    (0..WORDS as u32).step_by(3).map(|at| (at, random.u32(..))).collect();
                let missing = asked.iter().map(|&(at, bits)| (at, bits & !union.word(at as usize)));
                assert_eq!(union.missing(&asked), missing.filter(|&(_, left)| left != 0).collect::<Vec<_>>());
            }
        }
        if random.usize(..10) == 0 {
            union.clear();
            expected.clear();
        }
        if random.usize(..4) == 0 {
            let mask = union.finish_mask();
            let mut row = vec![u32::MAX; WORDS];
            mask.write_to(&mut row);
            assert_eq!(set_bits(&row).collect::<BTreeSet<_>>(), expected);
            words += usize::from(matches!(mask, MaskBits::Words(_)));
            continue;
        }
        let set = union.finish();
        assert_eq!(members(&set), expected);
        match &set {
            TokenBits::Few(_) => lists += 1,
            TokenBits::Many { changes, .. } if changes.is_empty() => whole += 1,
            TokenBits::Many { .. } => shared += 1,
        }
        let place = random.usize(..40);
        match sets.get_mut(place) {
            Some(old) if place > 1 => *old = set,
            _ => sets.push(set),
        }
        sets.truncate(40);
    }
    assert!(shared > 100 && whole > 100 && lists > 100, "{shared} {whole} {lists}");
    assert!(words > 30, "{words}");
}

#[test]
fn a_set_with_changes_shares_its_row() {
    let row: Arc<[u32]> = vec![0xFFFF; WORDS].into();
    let (unions, all) = (Unions::new(WORDS), TokenBits::of_row(&row));
    let changed = unions.changed(&all, [TokenId(3)], [TokenId(17), TokenId(3199)]);
    let mut expected = members(&all);
    expected.remove(&TokenId(3));
    expected.extend([TokenId(17), TokenId(3199)]);
    assert_eq!(members(&changed), expected);
    assert!(changed.shared_row().is_some_and(|shared| Arc::ptr_eq(shared, &row)));
    assert_eq!(changed.memory_bytes(), 2 * size_of::<Change>());
    let back = unions.changed(&changed, [TokenId(17), TokenId(3199)], [TokenId(3)]);
    assert_eq!((members(&back), back.memory_bytes()), (members(&all), 0));
}

#[test]
fn what_all_sets_have_shares_the_row_of_the_first() {
    let row: Arc<[u32]> = vec![0xFFFF; WORDS].into();
    let (unions, all) = (Unions::new(WORDS), TokenBits::of_row(&row));
    let without = |token| unions.changed(&all, [TokenId(token)], []);
    let both = unions.intersection(&[without(3), without(67), all.clone()]);
    let expected = unions.changed(&all, [TokenId(3), TokenId(67)], []);
    assert_eq!((members(&both), both.memory_bytes()), (members(&expected), expected.memory_bytes()));
    let few = TokenBits::from_tokens([1, 3, 17].map(TokenId).into_iter(), WORDS);
    for sets in [[few.clone(), without(3)], [without(3), few]] {
        assert_eq!(members(&unions.intersection(&sets)), BTreeSet::from([TokenId(1)]));
    }
    assert!(unions.intersection(&[]).is_empty());
}

#[test]
fn a_set_that_differs_too_much_has_a_row_of_its_own() {
    let row: Arc<[u32]> = vec![1; WORDS].into();
    let most = TokenUnion::most_changes(WORDS);
    for (count, is_shared) in [(most, true), (most + 1, false), (WORDS, false)] {
        let more = (0..count as u32).map(|at| TokenId(at * 32 + 5));
        let changed = Unions::new(WORDS).changed(&TokenBits::of_row(&row), [], more);
        assert_eq!(members(&changed).len(), WORDS + count);
        assert_eq!(changed.shared_row().is_some_and(|shared| Arc::ptr_eq(shared, &row)), is_shared);
    }
}
