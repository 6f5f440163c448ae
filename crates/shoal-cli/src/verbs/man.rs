use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::Answer;
use crate::args::{Cli, ManArgs};
use crate::console::Console;
use crate::failure::Failure;

/// Prints one manual page, or writes all of them.
pub(crate) fn man(args: &ManArgs, console: &Console) -> Result<Answer, Failure> {
    let mut program = Cli::command();
    program.build();
    match &args.output {
        Some(folder) => {
            let pages = pages(&program).map_err(|error| Failure::Stdout { error })?;
            write_all(folder, &pages)?;
            let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
            console.summary(&names, || {
                names.iter().map(|name| format!("{}\n", folder.join(name).display())).collect()
            })?;
        }
        None => {
            let page = page(find(&program, &args.verb)?).map_err(|error| Failure::Stdout { error })?;
            console.product(&page)?;
        }
    }
    Ok(Answer::Holds)
}

fn find<'a>(program: &'a Command, path: &[String]) -> Result<&'a Command, Failure> {
    let words = path.iter().flat_map(|word| word.split_whitespace());
    words.into_iter().try_fold(program, |command, word| {
        command.find_subcommand(word).ok_or_else(|| Failure::NoVerb { verb: path.join(" ") })
    })
}

/// The pages of a command and of everything below it, each with its file's name.
fn pages(command: &Command) -> io::Result<Vec<(String, String)>> {
    let mut all = vec![(Man::new(command.clone()).get_filename(), page(command)?)];
    for below in command.get_subcommands() {
        all.extend(pages(below)?);
    }
    Ok(all)
}

fn page(command: &Command) -> io::Result<String> {
    let mut page = Vec::new();
    // The header of every page names the program, not the verb, with its version.
    let source = concat!("shoal ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn write_all(folder: &Path, pages: &[(String, String)]) -> Result<(), Failure> {
    for (name, page) in pages {
        shoal_io::write_atomically(&folder.join(name), page.as_bytes())?;
    }
    Ok(())
}
