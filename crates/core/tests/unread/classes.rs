//! Words with letters beyond ASCII, and what stands between them.

use super::*;

#[test]
fn masks_in_words_of_any_letters_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    let slow = [
        Settings { signatures: false, ..Settings::default() },
        Settings { stack_automaton: false, ..Settings::default() },
    ];
    for (pattern, text) in [
        (r"\w+(\s\w+){0,3}", "aé 日B\u{2003}7 é"),
        (r"[\w.]+@[\w.]+|é-", "é.日"),
        (r"\w{2,9}-(\w*\.)+", "日é-aé.7"),
        (r"(\W\w{0,12})+", "-é日.a\u{2003}"),
        (r"[^\s-]*( [A-Zé]+| 日*)?", "日é B"),
    ] {
        let grammar = regex::compile(pattern, &RegexOptions::default(), &Budget::default()).unwrap();
        slow.iter().for_each(|&slow| compare_grammar(&vocabulary, &grammar, pattern, slow, text));
    }
    for (grammar, text) in [
        ("root ::= name (\" \" name)*\nname ::= ([a-z] | [^\\x00-\\x7F])+", "aé 日a"),
        ("root ::= (name [-.] | root \" \" root) name\nname ::= [é日a-zA-Z]+ [0-9]?", "é7-日 a.B"),
    ] {
        let compiled = gbnf::compile(grammar, "root", &Budget::default()).unwrap();
        slow.iter().for_each(|&slow| compare_grammar(&vocabulary, &compiled, grammar, slow, text));
    }
}
