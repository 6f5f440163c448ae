//! Proof and data that cannot be separated: what was staged is read back, judged and published as one value.

use shoal_core::{MissingTexts, RawColumn, RawTable};

use crate::promise::Finding;

/// Data that lie where nobody else sees them yet: a file without a name, batches that nobody has been given, a table in
/// an open transaction.
pub trait Staged {
    /// What whoever publishes is left with: a path, the batches, the number of rows.
    type Receipt;
    /// Why publishing can fail.
    type Error;

    /// Lets others see the data. Only [`Verified::publish`] is meant to call this, but anybody can, with a certificate that was
    /// copied from another release: so what is staged must be compared with the certificate's digest, and refused where it is
    /// not, or not any more, what was verified.
    fn publish(self, certificate: &Certificate) -> Result<Self::Receipt, Self::Error>;
}

/// What data are recognized by: the SHA-256 of all that is published, in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Of the data.
    pub data: String,
    /// Of the dictionary of groups beside them, where there is one.
    pub groups: Option<String>,
}

impl From<String> for Digests {
    fn from(data: String) -> Digests {
        Digests { data, groups: None }
    }
}

/// Staged data and what reading them back gave. The two stay together from here on, so that no caller can pair a proof with
/// other data.
#[derive(Debug)]
pub struct ReadBack<S, T> {
    staged: S,
    content: T,
    digests: Digests,
}

impl<S: Staged, T> ReadBack<S, T> {
    /// Reads what was staged, as anybody would read it once it is published. `read` returns the content and its SHA-256
    /// in lower-case hex, or its [`Digests`]; a digest of anything else makes publishing fail.
    pub fn of<D: Into<Digests>, E>(
        staged: S,
        read: impl FnOnce(&S) -> Result<(T, D), E>,
    ) -> Result<ReadBack<S, T>, E> {
        let (content, digests) = read(&staged)?;
        Ok(ReadBack { staged, content, digests: digests.into() })
    }

    /// What was read.
    pub fn content(&self) -> &T {
        &self.content
    }

    /// The last step of a verifier, which has judged the content.
    pub(crate) fn certify(self, findings: Findings) -> (Verified<S>, T) {
        let certificate = Certificate { digests: self.digests, findings };
        (Verified { staged: self.staged, certificate }, self.content)
    }
}

/// Staged data that keep their promise, whatever their shape. Only [`verify_table`](crate::verify_table),
/// [`verify_transactions`](crate::verify_transactions) and [`verify_sequences`](crate::verify_sequences) can make one, and
/// [`verify_copy`] one for another place of the same data; nothing is published without one.
///
/// ```compile_fail
/// fn forge<S>(staged: S, certificate: shoal_privacy::Certificate) -> shoal_privacy::Verified<S> {
///     shoal_privacy::Verified { staged, certificate }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Verified<S> {
    staged: S,
    certificate: Certificate,
}

impl<S: Staged> Verified<S> {
    /// Lets others see the data.
    pub fn publish(self) -> Result<S::Receipt, S::Error> {
        self.staged.publish(&self.certificate)
    }
}

impl<S> Verified<S> {
    /// What was proven, and about which bytes.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// What is staged.
    pub fn staged(&self) -> &S {
        &self.staged
    }
}

/// Verifies a copy of verified data: the same columns, with the same texts in the same order. What was proven is about these, so it is proven of the copy, whose digest
/// the new certificate has. `read` reads the verified data once more, as for [`ReadBack::of`]; `missing` are the texts that the policy reads as a missing value.
///
/// A format without nulls makes an empty text of each. A copy may do so where the policy reads the empty text as missing, too: otherwise nulls would become one with empty texts,
/// which were another value, or part from other texts that are missing, which were the same. No copy may make a null of a text.
pub fn verify_copy<S: Staged, P, E>(
    copy: ReadBack<S, RawTable>,
    of: &Verified<P>,
    missing: &[String],
    read: impl FnOnce(&P) -> Result<(RawTable, String), E>,
) -> Result<Result<Verified<S>, NotACopy>, E> {
    let (proven, digest) = read(&of.staged)?;
    // The verified data themselves must still be what was proven.
    let same_shape = digest == of.certificate.sha256()
        && copy.content.rows == proven.rows
        && copy.content.columns.len() == proven.columns.len();
    let may_lose_nulls = MissingTexts::new(missing).has("");
    let columns = || copy.content.columns.iter().zip(&proven.columns);
    let compared = match same_shape {
        true => columns().try_for_each(|(copy, proven)| compare(copy, proven, may_lose_nulls)),
        false => Err(NotACopy::Differs),
    };
    Ok(compared.map(|()| copy.certify(of.certificate.findings.clone()).0))
}

/// Why something is not a copy of verified data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotACopy {
    /// It says something else.
    Differs,
    /// The nulls of this column are empty texts in it, which the policy does not read as missing.
    LosesNulls {
        /// The column.
        column: String,
    },
}

fn compare(copy: &RawColumn, proven: &RawColumn, may_lose_nulls: bool) -> Result<(), NotACopy> {
    let is_null = |column: &RawColumn, row: usize| column.null == Some(column.codes[row]);
    let rows = proven.codes.len();
    let same_texts = copy.name == proven.name
        && copy.codes.len() == rows
        && (0..rows).all(|row| copy.text(row) == proven.text(row));
    if !same_texts {
        return Err(NotACopy::Differs);
    }
    let keeps_nulls = (0..rows).all(|row| is_null(copy, row) == is_null(proven, row));
    // Some of them are worse than none: whoever reads the copy could tell apart who is alike in what was proven.
    let loses_all = (0..rows).all(|row| !is_null(copy, row));
    match (keeps_nulls, loses_all) {
        (true, _) => Ok(()),
        (false, true) if may_lose_nulls => Ok(()),
        (false, true) => Err(NotACopy::LosesNulls { column: proven.name.clone() }),
        (false, false) => Err(NotACopy::Differs),
    }
}

/// What was proven about the data with this digest. It says something to readers; alone it lets nobody publish.
///
/// ```compile_fail
/// fn forge(findings: shoal_privacy::Findings) -> shoal_privacy::Certificate {
///     shoal_privacy::Certificate { digests: String::new().into(), findings }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    digests: Digests,
    findings: Findings,
}

impl Certificate {
    /// The SHA-256 of the verified data, in lower-case hex.
    pub fn sha256(&self) -> &str {
        &self.digests.data
    }

    /// The SHA-256 of the dictionary of groups that the data were read with, where they have one. It is published with them or not at all.
    pub fn groups_sha256(&self) -> Option<&str> {
        self.digests.groups.as_deref()
    }

    /// What was found.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Every promise with what was found; all of them hold.
    pub fn promises(&self) -> &[Finding] {
        self.findings.promises()
    }
}

/// What a verifier found about a release of any shape that keeps its promise. A record is what a person has: a row of a
/// table, a transaction, a whole sequence of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    promises: Vec<Finding>,
    rows_in: usize,
    rows_published: usize,
}

impl Findings {
    pub(crate) fn new(promises: Vec<Finding>, rows_in: usize, rows_published: usize) -> Findings {
        Findings { promises, rows_in, rows_published }
    }

    /// Every promise with what was found; all of them hold.
    pub fn promises(&self) -> &[Finding] {
        &self.promises
    }

    /// Records of the input.
    pub fn rows_in(&self) -> usize {
        self.rows_in
    }

    /// Records of the release.
    pub fn rows_published(&self) -> usize {
        self.rows_published
    }

    /// Records of the input that are not in the release.
    pub fn rows_left_out(&self) -> usize {
        self.rows_in - self.rows_published
    }

    /// Whether nothing is published, so that every promise is kept by silence. Reports say so.
    pub fn is_vacuous(&self) -> bool {
        self.rows_published == 0
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    struct Nowhere;

    impl Staged for Nowhere {
        type Receipt = String;
        type Error = Infallible;

        fn publish(self, certificate: &Certificate) -> Result<String, Infallible> {
            Ok(certificate.sha256().to_owned())
        }
    }

    fn read(table: &RawTable, digest: &str) -> ReadBack<Nowhere, RawTable> {
        ReadBack::of(Nowhere, |_| Ok::<_, Infallible>((table.clone(), digest.to_owned()))).unwrap()
    }

    #[test]
    fn a_copy_has_the_same_texts_in_the_same_order_and_no_null_more_or_less() {
        let rows = |rows: &[[&str; 2]]| {
            RawTable::from_rows(&["age", "town"], &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
        };
        let mut proven = rows(&[["20", ""], ["20", ""], ["30", "Ulm"]]);
        let verified = read(&proven, "one").certify(Findings::new(Vec::new(), 3, 3)).0;
        let copied_with = |missing: &[&str], copy: &RawTable, of: &RawTable, digest: &str| {
            let missing: Vec<String> = missing.iter().map(|&token| token.to_owned()).collect();
            let proof = verify_copy(read(copy, "two"), &verified, &missing, |_| {
                Ok::<_, Infallible>((of.clone(), digest.to_owned()))
            });
            proof.unwrap().map(|proof| proof.publish().unwrap())
        };
        let copied = |copy: &RawTable, of: &RawTable, digest: &str| copied_with(&["?"], copy, of, digest);
        let (published, differs) = (Ok("two".to_owned()), Err(NotACopy::Differs));
        // The proof is about the copy from now on.
        assert_eq!(copied(&proven, &proven, "one"), published);
        // Not what was proven any more.
        assert_eq!(copied(&proven, &proven, "other"), differs);
        let swapped = rows(&[["20", ""], ["30", "Ulm"], ["20", ""]]);
        let other = rows(&[["20", ""], ["20", ""], ["31", "Ulm"]]);
        let fewer = rows(&[["20", ""], ["20", ""]]);
        let mut named = proven.clone();
        named.columns[1].name = "place".to_owned();
        for wrong in [swapped, other, fewer, named] {
            assert_eq!(copied(&wrong, &proven, "one"), differs);
        }
        // A null that was none, and a null that becomes an empty text.
        let plain = proven.clone();
        proven.columns[1].null = Some(proven.columns[1].codes[0]);
        assert_eq!(copied(&proven, &plain, "one"), differs);
        assert_eq!(copied_with(&["?", ""], &plain, &proven, "one"), published);
        // Some of the nulls only: a second label with the same text.
        let mut mixed = proven.clone();
        let town = &mut mixed.columns[1];
        town.labels = ["", "", "Ulm"].into_iter().collect();
        (town.codes, town.null) = (vec![0, 1, 2], Some(0));
        assert_eq!(copied(&mixed, &proven, "one"), differs);
        // What was proven are other values, unless the policy reads both as missing.
        let lost = Err(NotACopy::LosesNulls { column: "town".to_owned() });
        assert_eq!(copied(&plain, &proven, "one"), lost);
        assert_eq!(copied(&plain, &mixed, "one"), lost);
        assert_eq!(copied_with(&["?", ""], &plain, &mixed, "one"), published);
        assert_eq!(copied(&mixed, &mixed, "one"), published);
    }
}
