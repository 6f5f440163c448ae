//! `shoal hierarchy …`

mod build;
mod check;
mod column;
mod convert;
mod show;

use std::path::Path;

use shoal_core::Hierarchy;
use shoal_core::hierarchy::from_text;

use super::Answer;
use crate::args::HierarchyVerb;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn dispatch(verb: &HierarchyVerb, console: &Console) -> Result<Answer, Failure> {
    match verb {
        HierarchyVerb::Build(args) => build::build(args, console),
        HierarchyVerb::Show(args) => show::show(args, console),
        HierarchyVerb::Check(args) => check::check(args, console),
        HierarchyVerb::Convert(args) => convert::convert(args, console),
    }
}

fn read(path: &Path) -> Result<Hierarchy, Failure> {
    let text = shoal_io::read_text_file(path, shoal_io::Limits::HIERARCHY);
    let text = text.map_err(|error| Failure::HierarchyFile { path: path.to_owned(), error })?;
    from_text(&text).map_err(|error| Failure::Hierarchy { path: path.to_owned(), error })
}
