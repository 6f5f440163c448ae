//! What to do about each error. A front that has flags for it says so itself: the command line in `failure.rs`.

use super::PipelineError;

impl PipelineError {
    /// How to fix it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            PipelineError::ReadFile { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
                "check the name; paths in a policy are relative to the policy's folder"
            }
            PipelineError::ReadFile { .. } => "check that you may read it",
            PipelineError::Policy { error, .. } | PipelineError::PolicyAndData { error } => {
                return error.hint.clone();
            }
            PipelineError::Read(error) => return Some(error.hint().to_string()),
            PipelineError::Key { .. } => {
                "name a file that does not exist, and a key is made; one of your own has 64 random hexadecimal digits and mode 0600"
            }
            PipelineError::NoReleaseKey { .. } => {
                "it is of an earlier version; give the audit.json of a release that this version has made"
            }
            PipelineError::NoRecords { .. } => "there is nothing to publish",
            PipelineError::NotOfKind { .. } => {
                "fix the value, list it under data.missing, or change the column's kind in the policy"
            }
            PipelineError::MissingValue { .. } => {
                "the policy says missing = \"error\" here; \"category\" and \"suppress\" are the alternatives"
            }
            PipelineError::NoSuchRow { .. } => "rows and classes are counted from 1, without the header",
            PipelineError::NoSuchItem { .. } => {
                "give an item as it stands in the original, not as it is published"
            }
            PipelineError::NoQuasiIdentifier { known, .. } => {
                return Some(format!("ask about one of: {}", known.join(", ")));
            }
            PipelineError::NotExplained { .. } => {
                "tables have rows, classes and columns, transactions have items, sequences have people"
            }
            PipelineError::NoTrial => {
                "compare without it:  --set privacy.transparent=false;  then run the policy once"
            }
            PipelineError::NotAMark { at } => {
                return Some(format!(
                    "0 and 1, true and false, yes and no are understood; a column that is no item is named in the policy:  \
                     [columns.\"{}\"]  role = \"identifier\"",
                    at.column
                ));
            }
            PipelineError::Nobodys { .. } => {
                "people cannot be counted where a record names nobody; leave such records out with  missing = \"suppress\""
            }
            PipelineError::TwoPeople { .. } => {
                "give every transaction an id of its own, e.g. the person's and the visit's in one column"
            }
            PipelineError::PersonalK { .. } => {
                "a personal k is 1 (privacy.k is enough) or more; where it is missing, privacy.k is enough as well"
            }
            PipelineError::LooksGeneralized { .. } => "rename the value before publishing",
            PipelineError::Hierarchy { error, .. } => error.hint(),
            PipelineError::Build { .. } => "give the column a hierarchy in the policy",
            PipelineError::OutsideHierarchy { .. } => {
                "add a line for the value to the hierarchy, or fix the value"
            }
            PipelineError::StreamLine { .. } => {
                "is it the right file, and the policy that it was published with?"
            }
            PipelineError::StreamMeasure(error) => error.hint(),
            PipelineError::Estimator(error) => error.hint(),
            PipelineError::NoPrior => {
                "give the prior of the run as algorithm.prior-file; a run leaves it in its state folder as prior.csv"
            }
            PipelineError::Question { columns, .. } => {
                return Some(format!(
                    "ask for  COLUMN=VALUE,  COLUMN=LOW..HIGH  or  COLUMN=WIDTH;  the columns are: {columns}"
                ));
            }
            PipelineError::Untrue { error, .. } => error.hint(),
            PipelineError::StreamOriginal => {
                "leave the original out; the gate has compared every line before it left"
            }
            PipelineError::NoOriginal => "give the original as well",
            PipelineError::OnlyStreams => "ask for values, conditions and windows of streams only",
            PipelineError::NoPrevious => "attack it by itself: people who return are looked at already",
            PipelineError::IsStream => "run it tuple by tuple, as a stream",
            PipelineError::NotStream { .. } => "run it as a whole, or change data.shape",
            PipelineError::NothingLeft { .. } => {
                "lower k or the other promises, leave columns out, give hierarchies, or publish more records at once"
            }
            PipelineError::Beaten { .. } => {
                "the verifier found that every promise holds, so one of the two is wrong: please report it. A larger k or other columns may help until then"
            }
            PipelineError::WithoutReports { .. } => {
                "hand the data to nobody yet: without its audit no later release can be compared with this one. Make room or mend the folder of the reports, then run again and allow that the file is replaced"
            }
            PipelineError::Exists { .. } => "allow that it is replaced, or choose another name",
            PipelineError::OtherReports { .. } => {
                "allow that they are replaced, or choose another folder; an audit.json that is replaced cannot be compared with later releases any more"
            }
            PipelineError::Releases { .. } => {
                "nothing was released. Keep the classes of people who were in an earlier release, or publish only one of the releases"
            }
            PipelineError::Incomparable { .. } => {
                "give the audit.json of a release with the same columns, or none: then nothing is known about the two together"
            }
            PipelineError::Cohort { .. } => {
                "nothing was released. Give the data of those who are gone as well, or allow that others show who is gone; or wait until there are more newcomers"
            }
            PipelineError::NothingKept { exposed: 1.., .. } => {
                "nothing was released. Give the data of those who are gone as well, or allow that others show who is gone; or wait until there are more newcomers"
            }
            PipelineError::NothingKept { .. } => {
                "nothing was released. Give the data of those who are gone as well, or wait until there are more newcomers"
            }
            PipelineError::Attacked { .. } => {
                "nothing was released. Apply the recoding of the earlier release instead, publish only one of the releases, or leave out people who are in both"
            }
            PipelineError::LostRelease { .. } => {
                "name its audit.json among the earlier releases: the new release must hold together with that one, too"
            }
            PipelineError::LostFile { .. } => {
                "put the published file back where it was written to, or beside its audit, with the bytes that were published"
            }
            PipelineError::StreamApplied => {
                "a stream goes on by itself: run its policy again with the same state folder and key, and it knows whom it has seen"
            }
            PipelineError::Audit { .. } => "give the audit.json that a run has left in its report's folder",
            PipelineError::NoRandomness { .. } => "try again; the system may still be starting",
            PipelineError::NotPublished { .. } => {
                "export it as CSV or Parquet, and verify that file: it is the one to hand out"
            }
            PipelineError::OutputIsInput { .. } => "choose another name; the original would be overwritten",
            PipelineError::OnlyFiles { .. } => {
                "store the answer of the query first, psql -c \"copy (select …) to stdout csv header\" > people.csv, and name the file as the source"
            }
            PipelineError::NoOutput => "add  [output] path = \"…\"  to the policy",
            PipelineError::PublishedColumn { .. } => {
                "is it the right file? A published CSV file starts with a line of column names"
            }
            PipelineError::Unjudged { .. } => {
                "nothing was published; this is an error of the program: please report it with the policy"
            }
            PipelineError::Write(error) => return Some(error.hint().to_string()),
            PipelineError::Cancelled => return None,
            PipelineError::Refused(refusal) => refusal.hint(),
            PipelineError::SafeHarbor { .. } => {
                "nothing was published; change the data or the roles as said, or remove the preset"
            }
            PipelineError::OtherShape { .. } => "name another algorithm, or correct data.shape",
            PipelineError::Promise { .. } => "correct the policy's [privacy]",
            PipelineError::UnknownItem { .. } => "leave the item out, or correct its name",
            PipelineError::NoSets { .. } => "write one set of items per line",
            PipelineError::BadWeight { .. } => "write an item, the separator and a number, e.g. `milk 0.5`",
            PipelineError::Utility { hint, .. } | PipelineError::Unreachable { hint, .. } => hint,
            PipelineError::MTooLarge { .. } => "lower m, or ask for  complete = true  instead",
            PipelineError::NoId { .. } => "fill in whose it is, or remove the row",
            PipelineError::NoPlaceInOrder { rows: 1, .. } => {
                "a person without an event leaves nothing to publish: remove the row, or fix the value"
            }
            PipelineError::NoPlaceInOrder { .. } => "fix the value, or remove the row",
            PipelineError::SameOrder(_) => {
                "add a further column to data.order that tells them apart, or set  ties = \"file\"  under [data] to keep the \
                 order of the file's rows among them"
            }
            PipelineError::Sequences(error) => error.hint(),
            PipelineError::SequenceMeasure(error) => error.hint(),
            PipelineError::Transactions(error) => error.hint(),
            PipelineError::TransactionMeasure(error) => error.hint(),
            PipelineError::TransactionParams(error) => error.hint(),
            PipelineError::Params(error) => error.hint(),
            PipelineError::Condition(error) => error.hint(),
            PipelineError::Infeasible(error) => error.hint(),
            PipelineError::Measure(error) => error.hint(),
        };
        Some(hint.to_owned())
    }
}
