use std::path::{Path, PathBuf};
use std::sync::Arc;

use shoal_core::policy::Shape;
use shoal_core::{Kind, Policy, PolicyDocument, Role};
use shoal_io::{
    CsvOptions, Format, Limits, Query, ReadError, Source, TextEncoding, WriteError, check_postgres_address,
    groups_beside, is_postgres, postgres_table_address, refuse_postgres_password,
};

use super::targets::{beside, is_file, report_folder_of_table};

use crate::{Assets, Audit, PipelineError, ReleaseKey, Request};

/// A policy and the folder that its paths are relative to.
#[derive(Clone, Debug)]
pub struct Job {
    /// The policy with its text.
    pub document: PolicyDocument,
    /// The policy file.
    pub path: PathBuf,
    /// The folder of the policy file.
    pub folder: PathBuf,
    /// The audit that the policy is from, where it is from one.
    audit: Option<Arc<Audit>>,
}

impl Job {
    /// Reads a policy file, or the policy of an `audit.json`; `overrides` are the `KEY=VALUE`s of `--set`.
    pub fn open(path: &Path, overrides: &[String]) -> Result<Job, PipelineError> {
        let text = shoal_io::read_text_file(path, Limits::POLICY)
            .map_err(|error| PipelineError::ReadFile { path: path.to_owned(), what: "policy", error })?;
        refuse_passwords(path, &text, overrides)?;
        // A policy is TOML, where no text begins with a brace.
        if text.trim_start().starts_with('{') {
            return Job::of_audit(path, &text, overrides);
        }
        let document = PolicyDocument::parse(&text, overrides).map_err(|error| PipelineError::Policy {
            path: path.to_owned(),
            text: text.clone(),
            error: Box::new(error),
        })?;
        if document.policy().data.source.is_empty() {
            // Only a policy that is used from code may leave it out.
            let hint = Some("name a file, a glob, or `-`".to_owned());
            let error = document.complain("data", "missing key `source`".to_owned(), hint);
            return Err(PipelineError::Policy { path: path.to_owned(), text, error: Box::new(error) });
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Job { document, path: path.to_owned(), folder, audit: None })
    }

    /// A policy whose text is in memory; its paths are seen from `folder`. It need not name a source: a front that holds the data hands them over.
    pub fn of_text(text: &str, folder: &Path, overrides: &[String]) -> Result<Job, PipelineError> {
        let path = folder.join("policy.toml");
        refuse_passwords(&path, text, overrides)?;
        let document = PolicyDocument::parse(text, overrides).map_err(|error| PipelineError::Policy {
            path: path.clone(),
            text: text.to_owned(),
            error: Box::new(error),
        })?;
        Ok(Job { document, path, folder: folder.to_owned(), audit: None })
    }

    /// The policy that a release was made with, which knows the folder that its paths are seen from.
    fn of_audit(path: &Path, text: &str, overrides: &[String]) -> Result<Job, PipelineError> {
        let mut audit = Audit::parse(path, text)?.read_people()?;
        audit.place = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let broken = |problem: String| PipelineError::Audit { path: path.to_owned(), problem };
        let text = audit.policy.to_toml().map_err(broken)?;
        let document = PolicyDocument::parse(&text, overrides).map_err(|error| PipelineError::Policy {
            path: path.to_owned(),
            text: text.clone(),
            error: Box::new(error),
        })?;
        // A saved release may be moved as a whole: its folder is seen from the audit.
        let beside = path.parent().unwrap_or(Path::new(""));
        let folder = beside.join(&audit.policy_folder);
        Ok(Job { document, path: path.to_owned(), folder, audit: Some(Arc::new(audit)) })
    }

    /// The same with other settings: `KEY=VALUE`s as `--set` takes them.
    pub fn with_overrides(&self, overrides: &[String]) -> Result<Job, PipelineError> {
        self.changed(|_| {}, overrides)
    }

    /// The same without one of its columns.
    pub(crate) fn without_column(&self, name: &str) -> Result<Job, PipelineError> {
        let leave_out = |policy: &mut Policy| {
            if let Some(column) = policy.columns.get_mut(name) {
                // What is said about a quasi-identifier makes no sense for what is not published.
                (column.role, column.hierarchy, column.weight) = (Role::Identifier, None, 1.0);
            }
        };
        self.changed(leave_out, &[])
    }

    /// The same for other data, which will be written elsewhere: what `apply` starts from.
    pub(crate) fn for_data(&self, source: &str, overrides: &[String]) -> Result<Job, PipelineError> {
        let elsewhere = |policy: &mut Policy| {
            policy.data.source = source.to_owned();
            policy.data.without_idle_dialect();
            // Those of the earlier release, which others may have read by now.
            (policy.output.path, policy.output.table, policy.output.report) = (None, None, None);
        };
        self.changed(elsewhere, overrides)
    }

    pub(super) fn changed(
        &self,
        change: impl FnOnce(&mut Policy),
        overrides: &[String],
    ) -> Result<Job, PipelineError> {
        let broken = |problem: String| PipelineError::Audit { path: self.path.clone(), problem };
        // From the policy and not from its text, which does not have the overrides that were given before.
        let mut policy = self.policy().clone();
        change(&mut policy);
        let text = policy.to_toml().map_err(broken)?;
        let document = PolicyDocument::parse(&text, overrides).map_err(|error| PipelineError::Policy {
            path: self.path.clone(),
            text: text.clone(),
            error: Box::new(error),
        })?;
        Ok(Job { document, audit: None, ..self.clone() })
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        self.document.policy()
    }

    /// A path of the policy as seen from here. `-`, devices and addresses of databases stay what they are.
    pub fn resolve(&self, path: &str) -> PathBuf {
        if path == "-" || is_postgres(path) { PathBuf::from(path) } else { self.folder.join(path) }
    }

    /// Where a release goes: `given` instead of the policy's place where the command line names one. The address of a database has the
    /// table with it.
    pub(super) fn place_of_output(&self, given: Option<&Path>) -> Result<Option<PathBuf>, PipelineError> {
        let output = &self.policy().output;
        let place = given.map(Path::to_owned).or_else(|| output.path.as_ref().map(|path| self.resolve(path)));
        place.map(|place| self.with_table(place)).transpose()
    }

    /// A place of a release, with the policy's table where it is a database without one.
    fn with_table(&self, place: PathBuf) -> Result<PathBuf, PipelineError> {
        match place.to_str().filter(|place| is_postgres(place)) {
            None => Ok(place),
            Some(address) => {
                let address = postgres_table_address(address, self.policy().output.table.as_deref());
                Ok(address.map_err(WriteError::from)?.into())
            }
        }
    }

    /// The folder of the reports of a release that names none: beside a file, and for a table in the policy's folder, under its name.
    /// None where the release is not to be found again, such as on standard output.
    pub(super) fn usual_report_folder(&self, output: &Path) -> Option<PathBuf> {
        match output.to_str().filter(|output| is_postgres(output)) {
            Some(address) => report_folder_of_table(&self.folder, address),
            None => is_file(output).then(|| beside(output)),
        }
    }

    /// The source of the data as the policy describes it.
    pub fn source(&self) -> Result<Source, PipelineError> {
        self.file(&self.resolve(&self.policy().data.source), self.policy().data.header())
    }

    /// Another file in the dialect of the policy: an original elsewhere.
    pub fn original(&self, path: &Path) -> Result<Source, PipelineError> {
        self.file(path, self.policy().data.header())
    }

    /// A published file in the dialect of the policy. It always names its columns, is UTF-8, and its texts are taken
    /// byte for byte.
    pub fn published(&self, path: &Path) -> Result<Source, PipelineError> {
        if path.to_str().is_some_and(is_postgres) {
            let place = self.with_table(path.to_owned())?;
            return Ok(Source { comma_numbers: Vec::new(), query: None, ..self.file(&place, true)? });
        }
        // In other formats 20 and "20" are two values to whoever opens the file, and one text here: a class could be split
        // by what is not seen.
        if !Format::of(&path.to_string_lossy()).layout.is_written() {
            return Err(PipelineError::NotPublished { path: path.to_owned() });
        }
        let encoding = Some(TextEncoding::UTF_8);
        let csv = self.published_dialect()?;
        let may_have_groups = self.policy().data.shape == Shape::Transactions && path != Path::new("-");
        let groups = may_have_groups.then(|| groups_beside(path));
        Ok(Source { csv, encoding, comma_numbers: Vec::new(), groups, ..self.file(path, true)? })
    }

    /// The policy with everything that it names, read from its files.
    pub fn request(&self) -> Result<Request, PipelineError> {
        self.request_with(Assets::default())
    }

    /// The policy with everything that it names: what is `given`, and the rest read from its files.
    pub fn request_with(&self, given: Assets) -> Result<Request, PipelineError> {
        let mut request = Request::new(self.document.clone(), super::assets::read(self, given)?)?;
        request.audit = self.audit.clone();
        Ok(request)
    }

    /// The key of a release in the file that the policy names, which is made where it does not exist; none where the policy names none.
    pub fn release_key(&self) -> Result<Option<ReleaseKey>, PipelineError> {
        Ok(super::release_key::read_or_make(self)?.0)
    }

    fn file(&self, path: &Path, header: bool) -> Result<Source, PipelineError> {
        let location = path.to_string_lossy().into_owned();
        if is_postgres(&location) {
            check_postgres_address(&location).map_err(ReadError::from)?;
        }
        let data = &self.policy().data;
        let table = data.table.clone().map(Query::Table);
        Ok(Source {
            csv: self.dialect(header)?,
            encoding: self.encoding()?,
            sheet: data.sheet.clone(),
            comma_numbers: self.comma_numbers(),
            query: table.or_else(|| data.query.clone().map(Query::Select)),
            ..Source::new(location)
        })
    }

    /// The columns whose numbers have decimal commas in the original.
    fn comma_numbers(&self) -> Vec<String> {
        let policy = self.policy();
        let is_number = |kind| matches!(kind, Kind::Integer | Kind::Decimal);
        let numbers = policy.columns.iter().filter(|(_, column)| is_number(column.kind));
        match policy.data.decimal.as_deref() {
            Some(",") => numbers.map(|(name, _)| name.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// How the policy says that the text is stored.
    fn encoding(&self) -> Result<Option<TextEncoding>, PipelineError> {
        let Some(label) = &self.policy().data.encoding else { return Ok(None) };
        TextEncoding::of_label(label).map(Some).ok_or_else(|| {
            let message = format!("the encoding {label:?} is not known");
            let hint = "for example \"windows-1252\", \"latin1\", \"utf-16\", \"shift_jis\"; all labels: https://encoding.spec.whatwg.org";
            let error = self.document.complain("data.encoding", message, Some(hint.to_owned()));
            PipelineError::PolicyAndData { error: Box::new(error) }
        })
    }

    /// How published CSV files are read: as anybody with `cut` or a spreadsheet would. `data.trim` is about the
    /// original; a reader of the published file sees `20` and `20 ` as two texts, so they are two here as well,
    /// or a record that nobody else is like would pass as one of many.
    pub(crate) fn published_dialect(&self) -> Result<CsvOptions, PipelineError> {
        Ok(CsvOptions { trim: false, ..self.dialect(true)? })
    }

    /// How the policy's CSV files are written, with or without a header.
    fn dialect(&self, header: bool) -> Result<CsvOptions, PipelineError> {
        let data = &self.policy().data;
        // The policy's check has tried the separator already; the error is for the type's sake.
        let mut csv = CsvOptions::with_separator(data.separator()).map_err(|error| {
            let hint = Some(error.hint().to_owned());
            let error = Box::new(self.document.complain("data.separator", error.to_string(), hint));
            PipelineError::PolicyAndData { error }
        })?;
        csv.header = header;
        csv.names = if header { Vec::new() } else { data.names.clone() };
        csv.trim = data.trim();
        Ok(csv)
    }
}

/// A policy is copied into audits, and its lines are shown in errors, so no password may be in it. Asked before anything else is looked at.
fn refuse_passwords(path: &Path, text: &str, overrides: &[String]) -> Result<(), PipelineError> {
    refuse_postgres_password(&path.display().to_string(), text).map_err(ReadError::from)?;
    for set in overrides {
        refuse_postgres_password("--set", set).map_err(ReadError::from)?;
    }
    Ok(())
}
