//! The languages of numbers against arithmetic on strings of digits, text by text.

use std::cmp::Ordering;

use fastrand::Rng;

use super::*;
use crate::expression::{Derivatives, Expression, Symbol};

/// A number as the tests compute with it: the value is `digits * 10^exponent`, with any zeros in `digits`.
#[derive(Clone, Debug)]
struct Slow {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
    /// Whether the notation is scientific, normalised or not; plain texts are both.
    scientific: bool,
    normalised: bool,
    significant_fraction: usize,
}

/// Reads a JSON number by its grammar; `None` for anything else.
fn slow(text: &str) -> Option<Slow> {
    let bytes = text.as_bytes();
    let digits_at = |start: usize| bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let whole = digits_at(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    let mut digits = bytes[at..at + whole].to_vec();
    at += whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits_at(at + 1);
        if fraction == 0 {
            return None;
        }
        digits.extend(&bytes[at + 1..at + 1 + fraction]);
        at += 1 + fraction;
    }
    let mut exponent = 0;
    let scientific = matches!(bytes.get(at), Some(b'e' | b'E'));
    if scientific {
        at += 1;
        exponent = text[at..].parse::<i64>().ok()?;
        at = bytes.len();
    }
    let digits: Vec<u8> = digits.iter().map(|digit| digit - b'0').collect();
    let is_zero = digits.iter().all(|&digit| digit == 0);
    let tail = &digits[whole..];
    Some(Slow {
        negative: negative && !is_zero,
        exponent: exponent - fraction as i64,
        scientific,
        normalised: whole == 1 && (digits[0] != 0 || is_zero),
        significant_fraction: tail.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1),
        digits,
    })
    .filter(|_| at == bytes.len())
}

/// The digits of both numbers as integers of one scale, without zeros in front.
fn aligned(a: &Slow, b: &Slow) -> (Vec<u8>, Vec<u8>) {
    let least = a.exponent.min(b.exponent);
    let scaled = |number: &Slow| {
        let mut digits = number.digits.clone();
        digits.resize(digits.len() + (number.exponent - least) as usize, 0);
        digits.into_iter().skip_while(|&digit| digit == 0).collect()
    };
    (scaled(a), scaled(b))
}

fn compare(a: &Slow, b: &Slow) -> Ordering {
    let (x, y) = aligned(a, b);
    let size = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
    match (a.negative, b.negative) {
        (false, false) => size,
        (true, true) => size.reverse(),
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
    }
}

fn is_multiple(number: &Slow, of: &Slow) -> bool {
    let (number, of) = aligned(number, of);
    let is_below = |a: &[u8], b: &[u8]| a.len().cmp(&b.len()).then_with(|| a.cmp(b)) == Ordering::Less;
    let mut rest: Vec<u8> = Vec::new();
    for digit in number {
        if digit != 0 || !rest.is_empty() {
            rest.push(digit);
        }
        while !is_below(&rest, &of) {
            rest = difference(&rest, &of);
        }
    }
    rest.is_empty()
}

/// `a - b` of integers without zeros in front, the first not less than the second.
fn difference(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut digits = a.to_vec();
    let mut borrow = 0;
    for (index, digit) in digits.iter_mut().rev().enumerate() {
        let less = b.len().checked_sub(index + 1).map_or(0, |at| b[at]) + borrow;
        borrow = u8::from(*digit < less);
        *digit = *digit + 10 * borrow - less;
    }
    let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
    digits.split_off(zeros)
}

fn holds(condition: &NumberCondition, number: &Slow) -> bool {
    let constant = |value: &Decimal| slow(&value.to_string()).unwrap();
    match condition {
        NumberCondition::Integer => is_multiple(number, &slow("1").unwrap()),
        NumberCondition::Minimum { bound, exclusive } => match compare(number, &constant(bound)) {
            Ordering::Less => false,
            Ordering::Equal => !exclusive,
            Ordering::Greater => true,
        },
        NumberCondition::Maximum { bound, exclusive } => match compare(number, &constant(bound)) {
            Ordering::Less => true,
            Ordering::Equal => !exclusive,
            Ordering::Greater => false,
        },
        NumberCondition::MultipleOf(value) => is_multiple(number, &constant(value)),
        NumberCondition::OneOf(values) => {
            values.iter().any(|value| compare(number, &constant(value)) == Ordering::Equal)
        }
    }
}

/// Whether the text is in the profile that the conditions allow.
fn is_considered(conditions: &[(NumberCondition, bool)], number: &Slow) -> bool {
    let divisors = conditions
        .iter()
        .any(|(condition, _)| matches!(condition, NumberCondition::Integer | NumberCondition::MultipleOf(_)));
    let listed = conditions
        .iter()
        .any(|(condition, asserted)| *asserted && matches!(condition, NumberCondition::OneOf(_)));
    let says_nothing = (NumberCondition::OneOf(Vec::new()), false);
    conditions.iter().all(|condition| *condition == says_nothing)
        || !number.scientific
        || (number.normalised && (listed || !divisors || number.significant_fraction <= 20))
}

fn expected(conditions: &[(NumberCondition, bool)], number: &Slow) -> bool {
    is_considered(conditions, number)
        && conditions.iter().all(|(condition, asserted)| holds(condition, number) == *asserted)
}

fn derive(store: &mut ExpressionStore, language: ExpressionId, byte: u8) -> ExpressionId {
    let mut derivatives = Derivatives::new();
    store.derive(language, Symbol::Byte(byte), &mut derivatives);
    store.alternatives(&derivatives.rest)
}

fn matches(store: &mut ExpressionStore, language: ExpressionId, text: &str) -> bool {
    let mut at = language;
    for byte in text.bytes() {
        at = derive(store, at, byte);
    }
    store.is_nullable(at)
}

/// All texts over the alphabet, of up to so many bytes, that the language matches.
fn matched_texts(store: &mut ExpressionStore, language: ExpressionId, length: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(language, String::new())];
    while let Some((at, text)) = open.pop() {
        if store.is_nullable(at) {
            found.push(text.clone());
        }
        if text.len() < length {
            for byte in ALPHABET.bytes() {
                let next = derive(store, at, byte);
                if next != ExpressionStore::NOTHING {
                    open.push((next, format!("{text}{}", char::from(byte))));
                }
            }
        }
    }
    found.sort();
    found
}

const ALPHABET: &str = "-019.5eE+";

/// All JSON numbers over the alphabet of up to so many bytes.
fn short_texts(length: usize) -> Vec<(String, Slow)> {
    let mut texts = vec![String::new()];
    let mut at = 0;
    while at < texts.len() {
        if texts[at].len() < length {
            for next in ALPHABET.chars() {
                // A digit makes a number of every text that begins one.
                let text = format!("{}{next}", texts[at]);
                if slow(&text).is_some() || slow(&format!("{text}1")).is_some() || text == "-" {
                    texts.push(text);
                }
            }
        }
        at += 1;
    }
    texts.sort();
    texts.into_iter().filter_map(|text| slow(&text).map(|number| (text, number))).collect()
}

/// Texts that are too long to be met among the short ones.
fn long_texts() -> Vec<(String, Slow)> {
    let mut texts: Vec<String> = "18446744073709551615 18446744073709551616 18446744073709551614 1e+16 1.5e-07 \
        1e+308 1e400 1.0e400 1e401 9.99e399 1.000000000001e400 1e-400 9e-401 1.1e-400 123456.789 65535 65536 65534 \
        -1.5e-10 -0.00000000015 -0.0000000001500001 -1.50000e-0010 1.2345678901234567890e20 \
        1.23456789012345678901e21 1.234567890123456789012e40 0.30000000000000004 99.99 100.00 100.01 1e1 1.5e1 \
        1.55e1 1e20 1e21 -1e20 9.223372036854775807e18 9.223372036854775808e18 0.0000e5 -0e-5 1E+00007 1e-00 \
        12345678910111213141511 4.35 4.355 0.0075 0.00751 1.8446744073709551615e19 1.8446744073709551616e19 \
        1.50e0000000000000000000000001 255 256 1.27e2 1.28e2 1e2 1.01e2 10e1 0.5e3"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    texts.push(format!("1{}", "0".repeat(400)));
    texts.push(format!("1{}.0", "0".repeat(400)));
    texts.push(format!("1{}1", "0".repeat(399)));
    texts.push(format!("1{}", "0".repeat(399)));
    texts.push(format!("1{}.001", "0".repeat(400)));
    texts.push(format!("0.{}1", "0".repeat(399)));
    texts.push(format!("0.{}1", "0".repeat(400)));
    texts.push(format!("0.{}11", "0".repeat(399)));
    texts.iter().map(|text| (text.clone(), slow(text).unwrap())).collect()
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
}

/// Reads `integer`, `>=1`, `>1`, `<=1`, `<1`, `*0.1` and `=1,2`, each with a `!` before it or not.
fn conditions(line: &str) -> Vec<(NumberCondition, bool)> {
    line.split_whitespace()
        .map(|word| {
            let positive = word.trim_start_matches('!');
            let bound = |prefix: &str| positive.strip_prefix(prefix).map(decimal);
            let condition = if positive == "integer" {
                NumberCondition::Integer
            } else if let Some(list) = positive.strip_prefix('=') {
                NumberCondition::OneOf(list.split(',').filter(|text| !text.is_empty()).map(decimal).collect())
            } else if let Some(value) = bound("*") {
                NumberCondition::MultipleOf(value)
            } else if let Some(bound) = bound(">=") {
                NumberCondition::Minimum { bound, exclusive: false }
            } else if let Some(bound) = bound("<=") {
                NumberCondition::Maximum { bound, exclusive: false }
            } else if let Some(bound) = bound(">") {
                NumberCondition::Minimum { bound, exclusive: true }
            } else if let Some(bound) = bound("<") {
                NumberCondition::Maximum { bound, exclusive: true }
            } else {
                panic!("{word}")
            };
            (condition, positive == word)
        })
        .collect()
}

fn check(line: &str, short: &[(String, Slow)], length: usize, long: &[(String, Slow)]) {
    let conditions = conditions(line);
    let mut store = ExpressionStore::new();
    let language = number_language(&mut store, &conditions, Notation::Any, "#")
        .unwrap_or_else(|error| panic!("{line}: {error}"));
    let wanted: Vec<&String> =
        short.iter().filter(|(_, number)| expected(&conditions, number)).map(|(text, _)| text).collect();
    check_texts(line, &mut store, language, &wanted, length);
    for (text, number) in long {
        let expected = expected(&conditions, number);
        assert_eq!(matches(&mut store, language, text), expected, "{line}: {text}");
    }
    check_plain(line, &wanted, length);
    if conditions.contains(&(NumberCondition::Integer, true)) {
        let whole = whole_number_language(&mut store, &conditions, Notation::Any, "#");
        let whole = whole.unwrap_or_else(|error| panic!("{line}: {error}"));
        let is_whole = |text: &str| !text.contains(['.', 'e', 'E']);
        let wanted: Vec<&String> = wanted.into_iter().filter(|text| is_whole(text)).collect();
        check_texts(line, &mut store, whole, &wanted, length);
        for (text, number) in long {
            let expected = expected(&conditions, number) && is_whole(text);
            assert_eq!(matches(&mut store, whole, text), expected, "{line}: {text} as it is written");
        }
    }
}

/// In plain notation are the wanted texts without an exponent: all that are as short as they can be, and no others.
fn check_plain(line: &str, wanted: &[&String], length: usize) {
    let mut store = ExpressionStore::new();
    let language = number_language(&mut store, &conditions(line), Notation::Plain, "#")
        .unwrap_or_else(|error| panic!("{line}: {error}"));
    let found = matched_texts(&mut store, language, length);
    let is_longer =
        |text: &str| text == "-0" || text.contains(['e', 'E']) || text.contains('.') && text.ends_with('0');
    let are_constants =
        conditions(line).iter().any(|(it, holds)| *holds && matches!(it, NumberCondition::OneOf(_)));
    for text in &found {
        assert!(!are_constants || !is_longer(text), "{line}: {text} in plain notation");
        let is_plain = !text.contains(['e', 'E']);
        assert!(is_plain && wanted.binary_search(&text).is_ok(), "{line}: {text} in plain notation");
    }
    for text in wanted.iter().filter(|text| !is_longer(text)) {
        assert!(found.binary_search(text).is_ok(), "{line}: no {text} in plain notation");
    }
}

/// Compares the texts of a language of up to so many bytes with those that are wanted.
fn check_texts(
    line: &str,
    store: &mut ExpressionStore,
    language: ExpressionId,
    wanted: &[&String],
    length: usize,
) {
    // Both are sorted.
    let found = matched_texts(store, language, length);
    let wrong: Vec<&String> = found
        .iter()
        .filter(|text| wanted.binary_search(text).is_err())
        .chain(wanted.iter().copied().filter(|text| found.binary_search(text).is_err()))
        .take(10)
        .collect();
    assert!(wrong.is_empty(), "{line}: wrong about {wrong:?}");
}

const CASES: &[&str] = &[
    "",
    "integer",
    "!integer",
    "integer >=0 <=100",
    "integer >=1 <=65535",
    "integer >=0",
    "integer >0",
    "integer >=1",
    "integer >1",
    "integer >=0.5",
    "integer >=5",
    "integer >100",
    "integer >=-5 <=5",
    "integer >-10.5 <9.5",
    "integer <0",
    "integer <=0",
    "integer <=-1",
    "integer >1 <2",
    "integer >=1 <=1",
    "integer >=18446744073709551615",
    "integer <=18446744073709551615",
    "integer <1e400",
    "integer >1e400",
    "integer >=-9223372036854775808 <=9223372036854775807",
    ">=0",
    ">0",
    "<=0",
    "<0",
    ">=0 <=0",
    ">0 <=0",
    ">=1 <1",
    ">=5 <=1",
    ">=1e400",
    ">1e400",
    "<=1e400",
    "<1e400",
    ">=1e-400",
    ">1e-400",
    "<=1e-400",
    ">=0.1",
    ">=-1.5e-10",
    ">-1.5e-10 <1.5e-10",
    "<=0.1 >0.09",
    ">0.1 <0.105",
    ">=100 <=100.001",
    ">100 <100.05",
    ">=19 <=191",
    ">1 <=1.05",
    "!>=5",
    "!>5 !<-5",
    "!<=0.5 integer",
    "!integer >=0 <=10",
    "*0.01",
    "*0.01 >=0",
    "*0.01 >=0.01 <=100",
    "*0.01 >0 <1",
    "*1e-60 >=1",
    "*5",
    "*5 >=10",
    "*3 *5",
    "*0.5 integer",
    "*1.5 >0",
    "!*5 integer",
    "!*0.5",
    "!*5 *10",
    "*15 !=0,45 >=0",
    "*100 <=5000",
    "*18446744073709551615",
    "*1e-400",
    "=",
    "=0",
    "=1",
    "=1,2.5,-0.001,1e400,1e-400,95,-5,100",
    "=1,5,9.5,10 integer",
    "=1,5,9.5,10 =5,9.5,11 !=5",
    "!=0",
    "!=1,0.5,1e400",
    "!=5 integer >=0 <=10",
    "!=",
];

#[test]
fn languages_agree_with_arithmetic_on_digits() {
    let (short, long) = (short_texts(5), long_texts());
    for line in CASES {
        check(line, &short, 5, &long);
    }
}

fn any_number(random: &mut Rng) -> String {
    let sign = ["", "", "-"][random.usize(..3)];
    let length = random.usize(1..4);
    let digits: String = (0..length).map(|_| ['0', '1', '5', '9'][random.usize(..4)]).collect();
    let whole = digits.trim_start_matches('0');
    let exponent = ["", "e-1", "e-2", "e-3", "e1", "e3"][random.usize(..6)];
    format!("{sign}{}{exponent}", if whole.is_empty() { "0" } else { whole })
}

fn any_condition(random: &mut Rng) -> String {
    let sign = ["", "", "!"][random.usize(..3)];
    let number = any_number(random);
    match random.usize(..8) {
        0 => format!("{sign}integer"),
        1 => format!("{sign}*{}", ["5", "0.5", "0.01", "3", "10", "1.5"][random.usize(..6)]),
        2 => format!("{sign}={number},{}", any_number(random)),
        kind => format!("{sign}{}{number}", [">=", ">", "<=", "<", ">="][kind - 3]),
    }
}

#[test]
fn random_combinations_agree_with_arithmetic_on_digits() {
    let (short, long) = (short_texts(4), long_texts());
    let mut random = Rng::with_seed(1);
    for _ in 0..300 {
        let count = random.usize(1..5);
        let line: Vec<String> = (0..count).map(|_| any_condition(&mut random)).collect();
        check(&line.join(" "), &short, 4, &long);
    }
}

#[test]
fn the_texts_of_common_programs_are_considered() {
    let mut store = ExpressionStore::new();
    for (line, text) in [
        (">=0", "1e+16"),
        (">=0", "1.5e-07"),
        ("integer", "1e+308"),
        ("integer", "-0.0"),
        ("*0.1", "1.2345678901234567e+30"),
        ("<=0", "-0.0"),
        ("=1", "1.0"),
        ("=1", "1e0"),
    ] {
        let language = number_language(&mut store, &conditions(line), Notation::Any, "#").unwrap();
        assert!(matches(&mut store, language, text), "{line}: {text}");
    }
}

#[test]
fn common_conditions_need_no_intersection() {
    for line in [
        "",
        "integer",
        "!integer",
        "integer >=0",
        "integer >=1",
        "integer >=1 <=65535",
        "integer >=-5 <5",
        ">=0",
        ">0",
        ">=0 <=1",
        ">-90.5 <=90",
        "*0.01",
        "*0.01 >=0",
        "*0.01 >0 <=1000",
        "*5 >=0",
        "=1,2,3.5 integer >=2",
    ] {
        let mut store = ExpressionStore::new();
        number_language(&mut store, &conditions(line), Notation::Any, "#").unwrap();
        let is_boolean =
            |id| matches!(store.get(id), Expression::Intersection(_) | Expression::Complement(_));
        assert!(!store.ids().any(is_boolean), "{line}");
        assert!(store.len() < 500, "{line}: {} expressions", store.len());
    }
}

#[test]
fn great_and_many_constants_stay_small() {
    let many: Vec<Decimal> = (0..10_000).map(|value| decimal(&format!("{value}.25"))).collect();
    for condition in [
        NumberCondition::OneOf(many),
        NumberCondition::OneOf(vec![decimal("1e1000000"), decimal("1e-1000000")]),
        NumberCondition::Minimum { bound: decimal("1e1000000"), exclusive: true },
        NumberCondition::Maximum { bound: decimal("-1e-1000000"), exclusive: true },
    ] {
        let mut store = ExpressionStore::new();
        number_language(&mut store, &[(condition, true)], Notation::Any, "#").unwrap();
        assert!(store.len() < 1000, "{} expressions", store.len());
    }
}

#[test]
fn what_cannot_be_done_is_refused_by_name_and_place() {
    for (line, part) in [
        ("*18446744073709551616", "`multipleOf` of 18446744073709551616"),
        ("*1e400", "`multipleOf` of 1e400"),
        ("*18446744073709551615 *2", "together with another"),
        ("*1e-30 integer *3", "together with another"),
    ] {
        let error =
            number_language(&mut ExpressionStore::new(), &conditions(line), Notation::Any, "#/properties/a")
                .err();
        let message = error.map(|error| error.to_string());
        let named =
            message.as_ref().is_some_and(|text| text.starts_with("#/properties/a: ") && text.contains(part));
        assert_eq!(named, line != "*1e-30 integer *3", "{line}: {message:?}");
    }
    let digits = NumberCondition::Minimum { bound: decimal(&"7".repeat(201)), exclusive: false };
    assert!(number_language(&mut ExpressionStore::new(), &[(digits, true)], Notation::Any, "#").is_err());
}
