//! What to do about each error.

use super::PipelineError;

impl PipelineError {
    /// How to mend it.
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
            PipelineError::NoRecords { .. } => "there is nothing to publish",
            PipelineError::NotOfKind { .. } => {
                "mend the value, list it under data.missing, or change the column's kind in the policy"
            }
            PipelineError::MissingValue { .. } => {
                "the policy says missing = \"error\" here; \"category\" and \"suppress\" are the alternatives"
            }
            PipelineError::Nobodys { .. } => {
                "people cannot be counted where a record is nobody's; leave such records out with  missing = \"suppress\""
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
                "add a line for the value to the hierarchy, or mend the value"
            }
            PipelineError::StreamLine { .. } => {
                "is it the right file, and the policy that it was published with?"
            }
            PipelineError::StreamMeasure(error) => error.hint(),
            PipelineError::Estimator(error) => error.hint(),
            PipelineError::NoPrior => {
                "give the prior of the run:  --set algorithm.prior-file=…  (it lies in the state folder as prior.csv)"
            }
            PipelineError::Question { columns, .. } => {
                return Some(format!(
                    "ask for  COLUMN=VALUE,  COLUMN=LOW..HIGH  or  COLUMN=WIDTH;  the columns are: {columns}"
                ));
            }
            PipelineError::Untrue { error, .. } => error.hint(),
            PipelineError::StreamOriginal => {
                "leave out --original; the gate has compared every line before it left"
            }
            PipelineError::NoOriginal => "use  shoal measure ORIGINAL PUBLISHED --policy POLICY",
            PipelineError::OnlyStreams => "leave out --value, --where, --windows and --every",
            PipelineError::IsStream => "use  shoal stream POLICY",
            PipelineError::NotStream { .. } => "use  shoal run POLICY,  or change data.shape",
            PipelineError::Exists { .. } => "give --force to replace it, or another name with -o",
            PipelineError::OtherReports { .. } => {
                "give --force to replace them, or another folder with --report; an audit.json that is replaced \
                 cannot be compared with later releases any more"
            }
            PipelineError::Releases { .. } => {
                "nothing was released. Give --reuse-classes to keep the earlier classes of whoever was there, or hand out only one of them"
            }
            PipelineError::Incomparable { .. } => {
                "give the audit.json of a table with the same columns, or leave out --previous: then nothing is known about the two \
                 together"
            }
            PipelineError::Audit { .. } => "give the audit.json that a run has left in its report's folder",
            PipelineError::NoRandomness { .. } => "try again; the system may be starting still",
            PipelineError::NotPublished { .. } => {
                "export it as CSV or Parquet, and verify that file: it is the one to hand out"
            }
            PipelineError::OutputIsInput { .. } => "choose another name with -o; the original would be gone",
            PipelineError::NoOutput => "add  [output] path = \"…\"  to the policy, or give -o",
            PipelineError::PublishedColumn { .. } => {
                "is it the right file? A published CSV file starts with a line of column names"
            }
            PipelineError::Unjudged { .. } => {
                "nothing was published; this is an error of the program: please report it with the policy"
            }
            PipelineError::Write(error) => return Some(error.hint().to_string()),
            PipelineError::Cancelled => return None,
            PipelineError::Refused(refusal) => refusal.hint(),
            PipelineError::OtherShape { .. } => "name another algorithm, or correct data.shape",
            PipelineError::Promise { .. } => "correct the policy's [privacy]",
            PipelineError::UnknownItem { .. } => "leave the item out, or correct its name",
            PipelineError::NoSets { .. } => "write one set of items per line",
            PipelineError::BadWeight { .. } => "write an item, the separator and a number, e.g. `milk 0.5`",
            PipelineError::Utility { hint, .. } | PipelineError::Unreachable { hint, .. } => hint,
            PipelineError::MTooLarge { .. } => "lower m, or ask for  complete = true  instead",
            PipelineError::NoId { .. } => "write down whose it is, or remove the row",
            PipelineError::NoPlaceInOrder { rows: 1, .. } => {
                "a person without an event leaves nothing to publish: remove the row, or mend the value"
            }
            PipelineError::NoPlaceInOrder { .. } => "mend the value, or remove the row",
            PipelineError::SameOrder { .. } => {
                "add a further column to data.order that tells them apart, or remove a row that stands twice"
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
