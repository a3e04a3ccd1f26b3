//! The keys that a schema does not mention, in classes: those of one class have the same features, such as that a
//! pattern is found in them, and so the same goal.
//!
//! The classes are split by one feature after another, all of them by one before any by the next. So their number
//! never falls, and features that split too much are told before the long conjunctions are looked at. Most patterns of
//! keys exclude each other: what is known of two is asked once, and then a class that has the one needs no look at
//! the other, nor is it ever said of its keys that they have not the other. Where all keys that have the one have the other,
//! as of lengths, there is as little to tell.

use rustc_hash::FxHashMap;

use super::condition::{Condition, GoalId, Kind, NameId};
use super::object::{Demands, Feature, KeyFeatures, OtherKeys};
use super::solver::Solver;
use crate::error::{Error, Result};
use crate::expression::{ExpressionId, ExpressionStore};

/// A class counts as so many items of the budget: each is searched for a key, and a choice wherever a key may come.
const ITEMS_OF_CLASS: usize = 300;

/// Mentioned keys of more bytes together are not read.
const MOST_READ: usize = 2048;

/// Keys that have the same of the first features.
#[derive(Clone)]
struct KeyClass {
    /// For each of the first features, whether the keys have it.
    has: Vec<bool>,
    /// Features by which the class is told: it is the keys that have the first of these and none of the second.
    with: Vec<usize>,
    without: Vec<usize>,
}

/// The features by which keys are told apart, and what is known of them.
struct Features {
    contents: Vec<ExpressionId>,
    /// Keys that are no mentioned ones: one operand at most.
    unmentioned: Vec<ExpressionId>,
    /// The mentioned ones, where they are few enough to be read for each class.
    mentioned: Option<Vec<Vec<u8>>>,
    /// Whether no key has both of two features.
    excluding: FxHashMap<(usize, usize), bool>,
    /// Whether every key that has the one feature has the other.
    implying: FxHashMap<(usize, usize), bool>,
}

/// Keys of a class are counted up to one more than objects must have, so as to know that they can have so many; and up to
/// this at most.
const MOST_KEYS: u64 = 100_000;
/// Up to this at least where it matters which member is the last that can come, since it may have to meet what is still
/// demanded, or to differ from an excluded object.
const LEAST_KEYS: u64 = 1_000;

impl Features {
    /// Whether it is known that every key that has one feature has the other.
    fn implies(&self, one: usize, other: usize) -> bool {
        self.implying.get(&(one, other)) == Some(&true)
    }
}

impl Solver<'_> {
    /// The keys that are not mentioned, in classes by some features, given with the contents that have each. The names that are
    /// mentioned come in the order of their contents.
    pub(super) fn other_keys(
        &mut self,
        leaves: &[Condition],
        demands: &Demands,
        features: &KeyFeatures,
        contents: &[ExpressionId],
        known: &[NameId],
    ) -> Result<Vec<OtherKeys>> {
        if features.all.is_empty() && self.goal_of_key(demands, None, features, &[]) == GoalId::NOTHING {
            return Ok(Vec::new());
        }
        let told = &mut self.features_of_keys(contents.to_vec(), known);
        let mut waiting = vec![KeyClass { has: Vec::new(), with: Vec::new(), without: Vec::new() }];
        for (at, &feature) in features.all.iter().enumerate() {
            let mut split = Vec::with_capacity(waiting.len() + 1);
            for class in waiting {
                self.deadline.check()?;
                self.split_class(class, at, told, &mut split)?;
                if split.len() > self.budget.items / ITEMS_OF_CLASS {
                    return Err(self.too_many_classes(feature));
                }
            }
            waiting = split;
        }
        let mut classes: Vec<OtherKeys> = Vec::new();
        for class in waiting {
            self.deadline.check()?;
            let goal = self.goal_of_key(demands, None, features, &class.has);
            if goal != GoalId::NOTHING {
                let witnesses = self.witness_mask(demands, None, features, &class.has);
                let content = self.content_of_class(&class, told)?;
                let with_mentioned = self.with_mentioned(&class, told);
                let found = OtherKeys {
                    content,
                    with_mentioned,
                    goal,
                    witnesses,
                    count: 0,
                    is_endless: true,
                    is_free: false,
                };
                add_class(self.expressions, &mut classes, found);
            }
        }
        let is_compared = !self.excluded(leaves, Kind::Object).are_none();
        for class in &mut classes {
            class.is_free = features.all.is_empty();
            class.is_endless = class.is_free;
            if !class.is_endless {
                let least = if is_compared || class.witnesses != 0 { LEAST_KEYS } else { 2 };
                let enough = demands.minimum.saturating_add(1).clamp(least, MOST_KEYS);
                let count = self.count_texts(class.content, enough)?;
                class.is_endless = count >= enough;
                class.count = count as u32;
            }
        }
        Ok(classes)
    }

    /// Tells apart which keys of a class have one more feature. Adds the classes that have keys.
    fn split_class(
        &mut self,
        mut class: KeyClass,
        at: usize,
        told: &mut Features,
        split: &mut Vec<KeyClass>,
    ) -> Result<()> {
        for &other in &class.with {
            let is_excluded = self.exclude(other, at, told)?;
            if is_excluded || self.implies(other, at, told)? {
                class.has.push(!is_excluded);
                split.push(class);
                return Ok(());
            }
        }
        let mut outside = Vec::new();
        for &other in &class.without {
            if !self.exclude(other, at, told)? {
                if self.implies(at, other, told)? {
                    class.has.push(false);
                    split.push(class);
                    return Ok(());
                }
                outside.push(other);
            }
        }
        let mut with = class.clone();
        with.has.push(true);
        with.without = outside;
        with.with.retain(|&other| !told.implies(at, other));
        with.with.push(at);
        let mut without = class.clone();
        without.has.push(false);
        without.without.retain(|&other| !told.implies(other, at));
        without.without.push(at);
        // Of a single feature, what has no keys is found when the content is made.
        let is_single = told.contents.len() == 1;
        if !is_single && self.content_of_class(&with, told)? == ExpressionStore::NOTHING {
            class.has.push(false);
            split.push(class);
        } else if !is_single && self.content_of_class(&without, told)? == ExpressionStore::NOTHING {
            class.has.push(true);
            split.push(class);
        } else {
            split.extend([without, with]);
        }
        Ok(())
    }

    /// Whether no key has both of two features.
    fn exclude(&mut self, one: usize, other: usize, told: &mut Features) -> Result<bool> {
        if let Some(&known) = told.excluding.get(&(one, other)) {
            return Ok(known);
        }
        let both = self.expressions.intersection(&[told.contents[one], told.contents[other]]);
        let excluding = self.if_alive(both)? == ExpressionStore::NOTHING;
        told.excluding.insert((one, other), excluding);
        Ok(excluding)
    }

    /// Whether every key that has one feature has the other; asked of features that some key has both of.
    fn implies(&mut self, one: usize, other: usize, told: &mut Features) -> Result<bool> {
        let mut among = |one: usize, other: usize| {
            if let Some(&known) = told.implying.get(&(one, other)) {
                return Ok(known);
            }
            let not_other = self.expressions.complement(told.contents[other]);
            let only_one = self.expressions.intersection(&[told.contents[one], not_other]);
            let implies = self.if_alive(only_one)? == ExpressionStore::NOTHING;
            told.implying.insert((one, other), implies);
            Ok(implies)
        };
        // The other way round is looked at when the class is split.
        among(other, one)?;
        among(one, other)
    }

    fn too_many_classes(&self, feature: Feature) -> Error {
        let what = "by the classes into which patterns split the keys, each of which counts as 300";
        match feature {
            Feature::Pattern(pattern) => {
                let at = &self.schemas.patterns[pattern.0 as usize].location;
                self.too_much("items", self.budget.items, what, at)
            }
            Feature::Satisfying(_) => Error::exceeded("items", self.budget.items, what),
        }
    }

    /// The keys of a class; `NOTHING` where there are none.
    fn content_of_class(&mut self, class: &KeyClass, told: &Features) -> Result<ExpressionId> {
        let content = match &told.mentioned {
            // Most of these have not what others are told by.
            Some(mentioned) if !class.with.is_empty() => {
                let content = self.with_mentioned(class, told);
                let has_features = |key: &&Vec<u8>| self.expressions.matches(content, key);
                let excluded = mentioned.iter().filter(has_features).cloned().collect();
                self.expressions.excluding(content, excluded)
            }
            _ => {
                let mut operands = self.operands_of_class(class, told);
                operands.extend_from_slice(&told.unmentioned);
                self.expressions.intersection(&operands)
            }
        };
        self.if_alive(content)
    }

    /// The keys of a class, and the mentioned ones with the same features.
    fn with_mentioned(&mut self, class: &KeyClass, told: &Features) -> ExpressionId {
        let operands = self.operands_of_class(class, told);
        self.expressions.intersection(&operands)
    }

    fn operands_of_class(&mut self, class: &KeyClass, told: &Features) -> Vec<ExpressionId> {
        let mut operands: Vec<ExpressionId> = class.with.iter().map(|&at| told.contents[at]).collect();
        operands.extend(class.without.iter().map(|&at| self.expressions.complement(told.contents[at])));
        // What has a feature is text.
        if class.with.is_empty() {
            operands.push(self.any_content());
        }
        operands
    }

    fn features_of_keys(&mut self, contents: Vec<ExpressionId>, known: &[NameId]) -> Features {
        let Solver { tables, expressions, .. } = self;
        let names: Vec<&[u8]> = known.iter().map(|&name| tables.terms.content(name)).collect();
        let are_read =
            !contents.is_empty() && names.iter().map(|name| name.len()).sum::<usize>() <= MOST_READ;
        let mentioned = are_read.then(|| names.iter().map(|name| name.to_vec()).collect());
        let unmentioned = match expressions.literals(names) {
            ExpressionStore::NOTHING => Vec::new(),
            names => vec![expressions.complement(names)],
        };
        Features {
            contents,
            unmentioned,
            mentioned,
            excluding: FxHashMap::default(),
            implying: FxHashMap::default(),
        }
    }
}

fn add_class(expressions: &mut ExpressionStore, classes: &mut Vec<OtherKeys>, found: OtherKeys) {
    if found.content == ExpressionStore::NOTHING {
        return;
    }
    let is_alike = |class: &&mut OtherKeys| class.goal == found.goal && class.witnesses == found.witnesses;
    match classes.iter_mut().find(is_alike) {
        Some(class) => {
            class.content = expressions.alternatives(&[class.content, found.content]);
            class.with_mentioned = expressions.alternatives(&[class.with_mentioned, found.with_mentioned]);
        }
        None => classes.push(found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::{Keys, Kind, ScopeId};
    use super::super::solver::tests::{under, with_solver};
    use super::*;
    use crate::budget::Budget;
    use crate::error::Limit;

    /// A schema of an object whose members with certain keys have a goal of their own.
    fn object_with(patterns: &[String]) -> String {
        let members = patterns.iter().enumerate();
        let members: Vec<String> =
            members.map(|(at, pattern)| format!(r#""{pattern}": {{"minimum": {at}}}"#)).collect();
        format!(
            r#"{{"type": "object", "required": ["ab"], "patternProperties": {{{}}}}}"#,
            members.join(", ")
        )
    }

    /// Prefixes, some of them within others, and parts: each key is in the class that has the patterns found in it.
    #[test]
    fn each_key_is_in_one_class() {
        let patterns = [
            "^a", "^ab", "^b", "c", "^ba", "bc", "^(a|b)", "^ca", "^$", "b$", "^.{3,}$", "^.{1,3}$",
            "^.{2,}$",
        ];
        let patterns = patterns.map(str::to_owned);
        let found = |pattern: &str, key: &str| match pattern {
            "^(a|b)" => key.starts_with(['a', 'b']),
            "^$" => key.is_empty(),
            "b$" => key.ends_with('b'),
            "^.{3,}$" => key.len() >= 3,
            "^.{1,3}$" => (1..=3).contains(&key.len()),
            "^.{2,}$" => key.len() >= 2,
            _ if pattern.starts_with('^') => key.starts_with(&pattern[1..]),
            _ => key.contains(pattern),
        };
        let mut keys = vec![String::new()];
        for length in 0..4 {
            let longest: Vec<String> = keys.iter().filter(|key| key.len() == length).cloned().collect();
            keys.extend(
                longest.iter().flat_map(|key| ['a', 'b', 'c', 'd'].map(|next| format!("{key}{next}"))),
            );
        }
        with_solver(&object_with(&patterns), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            let plan = solver.object_plan(&cases[0]).unwrap();
            for key in keys.iter().filter(|key| *key != "ab") {
                let of_patterns = cases[0].iter().filter_map(|leaf| match *leaf {
                    Condition::Members { keys: Keys::Matching(pattern), goal } => {
                        found(&solver.schemas.patterns[pattern.0 as usize].text, key).then_some(goal)
                    }
                    _ => None,
                });
                let goals: Vec<GoalId> = of_patterns.collect();
                let goal = solver.tables.terms.all_of(&goals);
                let others = plan.others.iter();
                let ours: Vec<GoalId> = others
                    .filter(|class| solver.expressions.matches(class.content, key.as_bytes()))
                    .map(|class| class.goal)
                    .collect();
                assert_eq!(ours, [goal], "{key}");
            }
        });
    }

    #[test]
    fn patterns_that_exclude_each_other_are_many_classes_and_others_are_refused_by_place() {
        let prefixes: Vec<String> = (0..250).map(|at| format!("^p{at}_")).collect();
        with_solver(&object_with(&prefixes), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            assert_eq!(solver.object_plan(&cases[0]).unwrap().others.len(), 251);
        });
        // Of these, each that is found in a key says of half of the others that they are, too.
        let lengths: Vec<String> = (0..250).map(|at| format!("^.{{{},}}$", at * 7 % 250)).collect();
        with_solver(&object_with(&lengths), |solver| {
            let budget = Budget { expressions: 1_000_000, ..solver.budget.clone() };
            let options = solver.options;
            let mut solver = under(solver, options, &budget);
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            assert_eq!(
                solver.object_plan(&cases[0]).unwrap().others.len(),
                251,
                "with those of several lines"
            );
        });
        let parts: Vec<String> = ('a'..='z').map(|part| part.to_string()).collect();
        with_solver(&object_with(&parts), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            let error = solver.object_plan(&cases[0]).unwrap_err();
            assert!(
                matches!(error, Error::BudgetExceeded { budget: "items", limit: Limit::Count(100_000), .. }),
                "{error}"
            );
            assert!(error.to_string().contains("(at #/patternProperties/"), "{error}");
        });
    }
}
