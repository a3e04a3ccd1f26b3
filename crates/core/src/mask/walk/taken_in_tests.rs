//! Walks of texts in which repetitions stand beside others that take them in as soon as they count no more: compared with
//! walks over each node.

use fastrand::Rng;

use super::compared::{Compared, compare, unhurried, vocabulary_of};
use crate::frontend::json_schema;
use crate::frontend::regex::{self, RegexOptions};

const CLASSES: &[&str] =
    &["[ab]", "[a-c]", "[ab1é]", r"\w", r"\S", ".", "1", "[^-]", "(b|[a1])", "(ab|[ab])"];
const BOUNDS: &[&str] = &["*", "*", "+", "?", "{0,2}", "{1,3}", "{2,}", "{0,40}", "{2,40}"];

fn repetitions(random: &mut Rng) -> String {
    let mut pattern = String::new();
    for _ in 0..random.usize(2..5) {
        pattern += CLASSES[random.usize(..CLASSES.len())];
        pattern += BOUNDS[random.usize(..BOUNDS.len())];
        if random.u8(..6) == 0 {
            pattern.push('-');
        }
    }
    pattern
}

#[test]
fn what_a_neighbour_takes_in_is_walked_as_over_each_node() {
    let pieces = ["a", "b", "ab1", "c", "-", " ", "é", "\""];
    let vocabulary = vocabulary_of(&pieces, &[b"\xC3", b"a\xC3", b"abababababab", b"a1-a1-a1-a1-"]);
    let (mut random, budget) = (Rng::with_seed(5), unhurried());
    let mut all = Compared::default();
    for _ in 0..24 {
        let (mut pattern, other) = (repetitions(&mut random), repetitions(&mut random));
        match random.u8(..3) {
            0 => pattern = format!("({pattern}|{other})"),
            1 => pattern = format!("({pattern}-){{1,3}}{other}"),
            _ => {}
        }
        let (least, more) = (random.usize(..4), random.usize(..30));
        let schema = format!(
            r#"{{"type": "string", "pattern": "^{}$", "minLength": {least}, "maxLength": {}}}"#,
            pattern.replace('\\', r"\\"),
            least + more
        );
        let grammars = [
            regex::compile(&pattern, &RegexOptions::default(), &budget).ok(),
            json_schema::compile(&schema, &[], &json_schema::Options::default(), &budget).ok(),
        ];
        for grammar in grammars.iter().flatten() {
            let found = compare(grammar, &schema, "ab1c- é\"".as_bytes(), &vocabulary, &[]);
            all.walks += found.walks;
            all.within += found.within;
            all.beside += found.beside;
        }
    }
    assert!(all.walks > 400 && all.within > 20 && all.beside > 20, "{all:?}");
}
