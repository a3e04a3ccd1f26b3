//! Compares the engine with the oracle on random grammars and vocabularies.
//!
//! ```text
//! cargo run --release -p maskwright-testkit --bin oracle -- --masks 200000 --seed 1 --threads 2
//! ```
//!
//! It compares so many masks for each of the engine's settings, and prints one line of figures for each.
//! The exit code is 1 after a mismatch, of which a test is printed, and 2 for arguments that it does not
//! know.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use maskwright_core::Settings;
use maskwright_testkit::compare::{Plan, Report, compare};
use maskwright_testkit::engine::Maskwright;

const USAGE: &str = "usage: oracle [--masks COUNT] [--seed NUMBER] [--threads COUNT]";

fn main() -> ExitCode {
    let plan = match read_arguments(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(problem) => {
            say(&mut std::io::stderr(), &format!("{problem}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    let mismatches: usize = Settings::ALL.into_iter().map(|settings| run(plan, settings)).sum();
    ExitCode::from(u8::from(mismatches > 0))
}

/// Compares one way of computing masks, and gives the number of mismatches.
fn run(plan: Plan, settings: Settings) -> usize {
    let begin = Instant::now();
    let tenths = AtomicUsize::new(0);
    let engine = Maskwright { settings, ..Maskwright::default() };
    let report = compare(&engine, plan, &|masks| {
        let tenth = masks * 10 / plan.masks.max(1);
        if tenths.fetch_max(tenth, Ordering::Relaxed) < tenth {
            say(&mut std::io::stderr(), &format!("{masks} of {} masks", plan.masks));
        }
    });
    say(&mut std::io::stdout(), &format!("{settings:?}"));
    print_report(&report, begin.elapsed().as_secs_f64());
    report.mismatches.len()
}

fn read_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan { seed: 1, masks: 20_000, threads: 1, mismatches: 5 };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number: u64 = value.parse().map_err(|_| format!("{name} needs a number, not {value:?}"))?;
        match name.as_str() {
            "--masks" => plan.masks = number as usize,
            "--seed" => plan.seed = number,
            "--threads" => plan.threads = number as usize,
            _ => return Err(format!("unknown argument {name:?}")),
        }
    }
    Ok(plan)
}

fn print_report(report: &Report, seconds: f64) {
    let mut output = std::io::stdout();
    for mismatch in &report.mismatches {
        say(&mut output, &format!("{mismatch}\n"));
    }
    let tally = &report.tally;
    let line = format!(
        "grammars {} (and {} empty), masks {}, tokens {}, checks {}, forced texts too short {}, mismatches {}, seconds {seconds:.1}",
        tally.grammars,
        tally.empty_grammars,
        tally.masks,
        tally.tokens,
        tally.checks,
        tally.short_forced_texts,
        report.mismatches.len(),
    );
    say(&mut output, &line);
}

/// Writes a line; a closed pipe is no reason to fail.
fn say(output: &mut impl Write, line: &str) {
    drop(writeln!(output, "{line}"));
}
