//! Proof and data that cannot be separated: what was staged is read back, judged and published as one value.

use crate::promise::PromiseResult;

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
/// nothing is published without one.
///
/// ```compile_fail
/// fn forge<S>(staged: S, certificate: shoal_privacy::Certificate) -> shoal_privacy::Verified<S> {
///     shoal_privacy::Verified { staged, certificate }
/// }
/// ```
#[derive(Debug)]
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
    pub fn promises(&self) -> &[PromiseResult] {
        self.findings.promises()
    }
}

/// What a verifier found about a release of any shape that keeps its promise. A record is what a person has: a row of a
/// table, a transaction, a whole sequence of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    promises: Vec<PromiseResult>,
    rows_in: usize,
    rows_published: usize,
}

impl Findings {
    pub(crate) fn new(promises: Vec<PromiseResult>, rows_in: usize, rows_published: usize) -> Findings {
        Findings { promises, rows_in, rows_published }
    }

    /// Every promise with what was found; all of them hold.
    pub fn promises(&self) -> &[PromiseResult] {
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
