//! `shoal help`: what a verb does, and what a term of a summary means.

use clap::CommandFactory;
use serde::Serialize;
use shoal_core::nearest;
use shoal_pipeline::{section_of, terms};

use super::Answer;
use crate::args::{Cli, HelpArgs};
use crate::console::Console;
use crate::failure::Failure;

/// The machine form of an explanation.
#[derive(Serialize)]
struct TermDocument<'a> {
    term: &'a str,
    text: &'a str,
}

/// Explains a verb or a term.
pub(crate) fn help(args: &HelpArgs, console: &Console) -> Result<Answer, Failure> {
    let mut program = Cli::command();
    program.build();
    if args.topic.is_empty() {
        let terms: Vec<&str> = terms().map(|(term, _)| term).collect();
        let verbs = program.render_help();
        console.product(&format!("{verbs}\nTerms:\n  {}\n", wrapped(&terms)))?;
        return Ok(Answer::Holds);
    }
    let mut verb = Some(&mut program);
    for word in &args.topic {
        verb = verb.and_then(|command| command.find_subcommand_mut(word));
    }
    if let Some(verb) = verb {
        console.product(&verb.render_long_help().to_string())?;
        return Ok(Answer::Holds);
    }
    let topic = section_of(&args.topic.join("-"));
    let Some((term, text)) = terms().find(|(term, _)| *term == topic) else {
        let known = terms().map(|(term, _)| term);
        let verbs: Vec<String> = program.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        let near = nearest(&topic, known.chain(verbs.iter().map(String::as_str))).map(str::to_owned);
        return Err(Failure::NoTerm { topic: args.topic.join(" "), near });
    };
    console.answer(&TermDocument { term, text }, || format!("{term}\n\n{text}\n"))?;
    Ok(Answer::Holds)
}

/// The words in lines that a terminal shows.
fn wrapped(words: &[&str]) -> String {
    const WIDTH: usize = 90;
    let mut text = String::new();
    let mut line = 0;
    for word in words {
        if line + word.len() > WIDTH {
            text.push_str("\n  ");
            line = 0;
        }
        text.push_str(word);
        text.push_str("  ");
        line += word.len() + 2;
    }
    text.trim_end().to_owned()
}
