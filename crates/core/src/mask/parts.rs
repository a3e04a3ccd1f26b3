//! Steps from exit sets that are put together of others.
//!
//! Where a value may be of several kinds, tokens leave it where they leave one of these: behind a quote, behind a bracket. There
//! are as many such sets as choices of kinds; but what follows makes of one what it makes of its parts, and these are few. What
//! comes behind a string is known of every vocabulary (`crate::groundwork`).

use super::cache::MaskCache;
use super::compose::Composition;
use super::pool::ExitSet;
use super::pooled::Pooled;
use super::step::Step;
use super::walk::Ground;
use crate::error::Result;

impl MaskCache {
    /// What a state with a sketch makes of an exit set, put together of what it makes of its parts, where the pool has all but
    /// one of these; `None` where it has fewer, or there are no parts.
    pub(super) fn by_parts(
        &self,
        from: Option<&ExitSet>,
        sketched: Option<&Pooled<'_>>,
        ground: Ground<'_>,
        depth: usize,
    ) -> Result<Option<Step>> {
        /// What is missing of more parts is walked at once.
        const MOST_MISSING: usize = 1;
        let parts = from.and_then(|from| from.parts.as_deref());
        let (Some(parts), Some(sketched)) = (parts, sketched) else { return Ok(None) };
        let Some(found) = sketched.find_from(parts)? else { return Ok(None) };
        let missing = found.iter().filter(|transition| transition.is_none()).count();
        if missing > MOST_MISSING || missing == parts.len() {
            return Ok(None);
        }
        let mut all = Composition::default();
        for (part, found) in parts.iter().zip(found) {
            match found {
                Some(transition) => all.add(&Step::of(transition)),
                None => all.add(&*self.step_of(Some(part), sketched.state(), ground, depth + 1)?),
            }
        }
        Ok(Some(all.finish(self.pool())))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pool::Pool;
    use super::super::token_bits::TokenBits;
    use super::super::walk::{Beginning, Walker};
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::frontend::json_schema;
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::Automaton;
    use crate::vocabulary::{NodeId, TokenId, Vocabulary};

    const SCHEMAS: &[&str] = &[
        r#"{"properties": {"a": {"type": ["string", "null", "array"]}, "b": {}}, "additionalProperties": false}"#,
        r#"{"type": "array", "items": {"type": ["number", "string", "object"]}}"#,
        r#"{"type": "object", "additionalProperties": {"type": "array", "items": {}}}"#,
    ];

    fn vocabulary() -> Arc<Vocabulary> {
        let ends = ["\"", "a\"", "]", "[]", "}", "{}", "null", "1"];
        let behind = [",", ", ", " ,", ",\n", "]", " ]", "}", "}}", "],", ",\"", ", \"a\"", ",1", ", [", ":"];
        let texts = ends.iter().flat_map(|end| behind.iter().map(move |behind| format!("{end}{behind}")));
        let tokens = (0..=255u8).map(|byte| vec![byte]).chain(texts.map(String::into_bytes)).map(Some);
        let tokens: Vec<_> = tokens.chain([None]).collect();
        let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
        Arc::new(Vocabulary::new(tokens, vec![], vec![stop], count).unwrap())
    }

    #[test]
    fn a_step_by_parts_is_the_walk_from_all_of_them() {
        let budget = Budget::default();
        let deadline = Deadline::for_compile(&budget);
        let vocabulary = vocabulary();
        let node = |text: &&str| vocabulary.trie().find(text.as_bytes());
        let sets: [&[&str]; 3] = [&["\"", "a\""], &["]", "[]", "}", "{}"], &["null", "1"]];
        let sets = sets.map(|texts| texts.iter().filter_map(node).collect::<Vec<NodeId>>());
        let mut by_parts = 0;
        for schema in SCHEMAS {
            let grammar =
                json_schema::compile(schema, &[], &json_schema::Options::default(), &budget).unwrap();
            let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
            let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
            // A pool that keeps all that is asked for.
            let pool = Arc::new(Pool::for_groundwork(&vocabulary, budget.pool_bytes));
            let cache = MaskCache::new(budget.cache_bytes, &pool, true, true);
            let ground = cache.ground(&automaton, &vocabulary, &deadline);
            let mut walker = Walker::new(budget.cache_bytes);
            let exit_set = |nodes: &[NodeId]| {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                cache.exit_set(&nodes).unwrap()
            };
            let parts: Arc<[ExitSet]> = sets.iter().map(|nodes| exit_set(nodes)).collect();
            let all = ExitSet { parts: Some(Arc::clone(&parts)), ..exit_set(&sets.concat()) };
            for state in automaton.some_states(*b" {}[]\":,nula1", 200, &deadline) {
                let Some(sketched) = Pooled::sketched(&pool, Some(&all), state, ground).unwrap() else {
                    continue;
                };
                // One part may be missing.
                for part in &parts[..2] {
                    cache.step(Some(part), state, ground).unwrap();
                }
                let Some(step) = cache.by_parts(Some(&all), Some(&sketched), ground, 0).unwrap() else {
                    continue;
                };
                by_parts += 1;
                let beginning = Beginning { from: Some(&*all.nodes), state, within: None };
                let reach = walker.walk(&ground, beginning).unwrap();
                let inside = pool.unions().union(&step.inside().cloned().collect::<Vec<TokenBits>>());
                let [found, expected] =
                    [&inside, &reach.inside].map(|inside| inside.to_row(vocabulary.mask_words()));
                assert_eq!(found, expected, "{schema} {state:?}");
                let exits = step.transition.exits.as_ref().map(|exits| exits.nodes.all(&vocabulary).to_vec());
                assert_eq!(exits.unwrap_or_default(), *reach.exits.all(&vocabulary), "{schema} {state:?}");
                assert_eq!(step.transition.ends, reach.ends, "{schema} {state:?}");
            }
        }
        assert!(by_parts > 5, "{by_parts}");
    }
}
