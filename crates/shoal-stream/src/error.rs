use std::path::PathBuf;

use shoal_io::stream::LineError;
use thiserror::Error;

/// What went wrong with a source or a sink.
#[derive(Debug, Error)]
pub enum ConnectorError {
    /// The address is not understood.
    #[error("`{url}` is not an address of a source or sink: {why}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The program was built without the connector.
    #[error("this program was built without the connector for `{url}`")]
    NotBuilt {
        /// The address.
        url: String,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// The broker refuses for good: no such stream or topic, not allowed, somebody else writes there.
    #[error("`{url}`: {why}")]
    Refused {
        /// The address.
        url: String,
        /// What the broker said.
        why: String,
        /// What to do.
        hint: String,
    },
    /// The broker was away when the run was told to stop.
    #[error("stopped while waiting for `{url}`: {why}")]
    Interrupted {
        /// The address.
        url: String,
        /// Why it was waited for.
        why: String,
    },
    /// Standard input or output.
    #[error("standard {which}: {source}")]
    Standard {
        /// `input` or `output`.
        which: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ConnectorError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ConnectorError::Address { .. } => Some(
                "use  -  or  nats://HOST:4222/STREAM?subject=NAME&consumer=NAME  or  kafka://HOST:9092/TOPIC?group=NAME&balance=partitions"
                    .to_owned(),
            ),
            ConnectorError::NotBuilt { feature, .. } => {
                Some(format!("build it with  cargo install --path crates/shoal-cli --features {feature}"))
            }
            ConnectorError::Refused { hint, .. } => Some(hint.clone()),
            ConnectorError::Interrupted { .. } => {
                Some("nothing is lost: start it again when the broker is back".to_owned())
            }
            ConnectorError::Standard { .. } => None,
        }
    }
}

/// Why a stream stopped.
#[derive(Debug, Error)]
pub enum StreamError {
    /// The policy, or a file that it names.
    #[error(transparent)]
    Pipeline(#[from] shoal_pipeline::PipelineError),
    /// A source or a sink.
    #[error(transparent)]
    Connector(#[from] ConnectorError),
    /// The gate refused what would have left: a defect.
    #[error("{violation}; it was not released")]
    Refused {
        /// What it found.
        violation: Box<shoal_privacy::stream::StreamViolation>,
    },
    /// What would have left cannot be read back: a defect.
    #[error("a line that would have left cannot be read back: {error}; it was not released")]
    Unreadable {
        /// Why not.
        error: LineError,
    },
    /// The first line of a CSV stream does not name the policy's columns.
    #[error("the header: {error}")]
    Header {
        /// What is wrong with it.
        error: LineError,
    },
    /// Too little was learned to hide anything.
    #[error("{message}; {held} tuples that were held back {kept_by}")]
    NothingLearned {
        /// What is lacking.
        message: String,
        /// How many tuples were held back.
        held: usize,
        /// Where they are now.
        kept_by: &'static str,
        /// What to do.
        hint: String,
    },
    /// The values that come are not those that the design was made for.
    #[error(
        "the best guess of a value is right with {success:.2} instead of 1/l = {promised:.2}{stratum}: `{value}` has {:.0} % of \
         the tuples of late, and the design is made for {:.0} %; the stream stops here",
        share * 100.0,
        expected * 100.0
    )]
    Drifted {
        /// How often the best guess is right.
        success: f64,
        /// How often it may be.
        promised: f64,
        /// Where, in words; empty where there are no strata.
        stratum: String,
        /// The value whose share has grown most.
        value: String,
        /// Its share of late.
        share: f64,
        /// Its share in the design.
        expected: f64,
    },
    /// The system gives no randomness.
    #[error("the system gives no random numbers: {why}")]
    NoRandomness {
        /// What it said.
        why: String,
    },
    /// A file or folder of the stream cannot be used.
    #[error("the {what} `{}` cannot be used: {error}", path.display())]
    File {
        /// What it is.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A key file holds no key.
    #[error("`{}` holds no key", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// A key that somebody could guess.
    #[error("the key `{}` is a pattern, not a random number: whoever guesses it sees every value", path.display())]
    WeakKey {
        /// The file.
        path: PathBuf,
    },
    /// A key that others may read.
    #[error("the key `{}` can be read by others (mode {mode:04o}): whoever has it sees every value", path.display())]
    KeyOpen {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A key that was made by hand and cannot be bound to what it is used for.
    #[error("what the key `{}` is used for cannot be noted in it: {error}", path.display())]
    KeyUnbound {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A state whose key is gone.
    #[error("the state `{}` was made with a key that is gone: there is no `{}`", folder.display(), key.display())]
    KeyLost {
        /// The state folder.
        folder: PathBuf,
        /// Where the key should be.
        key: PathBuf,
    },
    /// A key was used with another prior.
    #[error("the key `{}` was used with other values, shares or l, or by another stream", path.display())]
    OtherDesign {
        /// The file.
        path: PathBuf,
    },
    /// A key from code that somebody could guess.
    #[error("the key is a pattern, not a random number: whoever guesses it sees every value")]
    GuessableKey,
    /// A key from code was used with another prior.
    #[error("the key was used with other values, shares or l, or by another stream")]
    KeyUsedOtherwise,
    /// A key from code was used by a stream that no longer remembers what it did.
    #[error("the key was used by a stream of groups whose memory is gone")]
    MemoryLost,
    /// A stream in memory that has ended.
    #[error("the stream has ended: it takes no more tuples")]
    Ended,
    /// The values are too many to learn.
    #[error(
        "after {tuples} tuples there are more than {limit} sensitive values, or they are longer than can be held"
    )]
    TooManyValues {
        /// How many tuples were read.
        tuples: usize,
        /// How many values there may be.
        limit: usize,
    },
    /// The tuples that are held back to learn from are too long.
    #[error("{tuples} tuples that were held back to learn from have more than {limit} bytes")]
    TooMuchHeld {
        /// How many tuples were read.
        tuples: usize,
        /// How many bytes there may be.
        limit: usize,
    },
    /// The state cannot be read or written.
    #[error("the state `{}`: {why}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// Another process has the state open.
    #[error("the state `{}` is in use by another process", path.display())]
    StateInUse {
        /// The file.
        path: PathBuf,
    },
    /// The state is that of another stream.
    #[error("the state `{}` belongs to another policy or another key", path.display())]
    OtherStream {
        /// The file.
        path: PathBuf,
    },
    /// The state is that of another version.
    #[error("the state `{}` was written by another version of shoal", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
    },
    /// The state was used with another sink.
    #[error("the state `{}` was used with another sink: what goes on there would not make sense here", folder.display())]
    OtherSink {
        /// The state folder.
        folder: PathBuf,
    },
    /// The state was used with another source.
    #[error("the state `{}` was used with another source: its positions are not places in this one", folder.display())]
    OtherSource {
        /// The state folder.
        folder: PathBuf,
    },
    /// The sink lacks what has left.
    #[error("step {left} has left, and the sink ends with step {sink}: it is not the sink of this state")]
    SinkBehind {
        /// The last step of which a message left.
        left: u64,
        /// The last step in the sink.
        sink: u64,
    },
    /// The sink holds more than the state knows of.
    #[error(
        "the sink holds {sink} steps, and the state knows of {state}: the state is not that of this sink"
    )]
    StateBehind {
        /// Steps in the sink.
        sink: u64,
        /// Steps in the state.
        state: u64,
    },
    /// A partition was published with a state that is not here.
    #[error(
        "the sink holds {sink} steps of this partition, and its state `{}` was never used: the processes of a group must have \
         one state folder together",
        folder.display()
    )]
    NotShared {
        /// The partition's folder.
        folder: PathBuf,
        /// Steps in the sink.
        sink: u64,
    },
    /// The topic has got more partitions.
    #[error("partition {partition} was added: the topic had {before} when the stream started")]
    MorePartitions {
        /// How many there were.
        before: u32,
        /// The new one.
        partition: u32,
    },
    /// The endpoint of the metrics cannot be opened.
    #[error("the metrics cannot be served at {address}: {error}")]
    Metrics {
        /// The address.
        address: std::net::SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
}

impl StreamError {
    /// Whether the request was right and the promise cannot be kept: exit code 1 instead of 2.
    pub fn is_broken_promise(&self) -> bool {
        match self {
            StreamError::Pipeline(error) => error.is_broken_promise(),
            StreamError::Refused { .. }
            | StreamError::Unreadable { .. }
            | StreamError::Drifted { .. }
            | StreamError::NothingLearned { .. } => true,
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            StreamError::Pipeline(error) => return error.hint(),
            StreamError::Connector(error) => return error.hint(),
            StreamError::Refused { violation } => violation.hint(),
            StreamError::Unreadable { .. } => "please report this as a defect, with the policy",
            StreamError::Header { .. } => {
                "the first line must name the columns of the policy; without one say  header = false  and  names = […]"
            }
            StreamError::NothingLearned { hint, .. } => return Some(hint.clone()),
            StreamError::Drifted { .. } => {
                "take a new prior (prior = \"calibrated\" with a prior-file of today, or learn again) with a new key and a new \
                 state folder; or go on with  algorithm.drift = \"warn\""
            }
            StreamError::NoRandomness { .. } => "name a key-file that holds 64 hex digits",
            StreamError::File { .. } => "check the name, and that you may write there",
            StreamError::NoKey { path } | StreamError::WeakKey { path } => {
                let file = path.display();
                return Some(format!(
                    "its first line must be 64 hex digits of a random number; remove it to have one made, or:  \
                     (umask 077; openssl rand -hex 32 > '{file}')"
                ));
            }
            StreamError::KeyOpen { path, .. } => return Some(format!("run  chmod 600 '{}'", path.display())),
            StreamError::KeyUnbound { path, .. } => {
                let file = path.display();
                return Some(format!(
                    "run  chmod 600 '{file}'  so that a line can be added, or name a folder under  [state] dir"
                ));
            }
            StreamError::KeyLost { .. } => {
                "bring the key back; without it, name a new folder under  [state] dir  and publish to a new sink"
            }
            StreamError::GuessableKey => "take 32 random bytes, from the system for instance",
            StreamError::KeyUsedOtherwise => {
                "take a new key: whoever returns would be seen with two sets, which can be intersected"
            }
            StreamError::MemoryLost => {
                "take a new key and publish to a new place: the numbers of groups start again, and would be those of others"
            }
            StreamError::Ended => "open another one",
            StreamError::OtherDesign { .. } => {
                "take a new key-file: whoever returns would be seen with two sets, which can be intersected"
            }
            StreamError::TooManyValues { .. } => {
                "a column with that many values names people rather than illnesses: make it coarser in the source"
            }
            StreamError::TooMuchHeld { .. } => "lower  algorithm.learn",
            StreamError::State { .. } => {
                "check the disk; a damaged state must be replaced by an empty folder"
            }
            StreamError::StateInUse { .. } => {
                "stop the other process, or name another state folder; processes that share one all need  balance=partitions  in \
                 their source"
            }
            StreamError::OtherStream { .. } => {
                "name another folder under  [state] dir,  or go back to the policy and the key that it was made with"
            }
            StreamError::OtherFormat { .. } => {
                "let the version that wrote it end the stream, then name a new folder under  [state] dir  and a new sink"
            }
            StreamError::OtherSink { .. } => {
                "name the sink that it was used with, or a new folder under  [state] dir  for the new one"
            }
            StreamError::OtherSource { .. } => {
                "name the source that it was used with, or a new folder under  [state] dir  and a new sink for the new one; if the same records are there \
                 under the same numbers (a cluster that was copied), remove the last line of  belongs-to  in the folder"
            }
            StreamError::SinkBehind { .. } => {
                "name the sink that was used with this state, or a new sink, a new folder under  [state] dir  and a new key"
            }
            StreamError::StateBehind { .. } => {
                "name the state folder that was used with this sink, or publish to a new one with a new key"
            }
            StreamError::NotShared { .. } => {
                "name the same folder under  [state] dir  for all processes, on one machine or on a file system with locks; or \
                 publish to a new sink"
            }
            StreamError::MorePartitions { .. } => {
                "restart it; paper and castle need a new sink and a new folder under  [state] dir,  because people have moved"
            }
            StreamError::Metrics { .. } => "choose another port",
        };
        Some(hint.to_owned())
    }
}
