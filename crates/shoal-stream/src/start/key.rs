//! Where the key of a stream comes from.

use shoal_core::stream::StreamPromise;

use super::Start;
use crate::identity::has_memory;
use crate::stored_key::StoredKey;
use crate::{StreamError, owner};

impl Start<'_> {
    /// The key: of the file that the policy names, of the state folder, or one that is forgotten at the end.
    pub(super) fn read_key(&self) -> Result<StoredKey, StreamError> {
        let policy = self.request.policy();
        let file = match (&policy.state.key_file, &self.folder) {
            (Some(file), _) => Some(self.job.resolve(file)),
            (None, Some(folder)) => Some(folder.join("key")),
            (None, None) => None,
        };
        let Some(file) = file else {
            // A crowd needs no draws that a second run would have to repeat.
            if !matches!(self.binding.promise, StreamPromise::Crowds { .. }) {
                self.watcher.notice("no key-file and no state folder: the key is forgotten at the end, a second run gives other values");
            }
            return StoredKey::forgotten();
        };
        if let Some(folder) = &self.folder {
            owner::check_key(folder, &file)?;
        }
        let key = StoredKey::read_or_make(&file)?;
        if key.made {
            self.watcher.notice(&format!("a new key was written to `{}`: keep it secret", file.display()));
            if !has_memory(self.binding.promise) && policy.data.person.is_some() {
                self.watcher.notice(
                    "if this stream was published before, under another key, whoever returns gets other values now, and the two sets \
                     can be intersected: name the key of that time in key-file",
                );
            }
        }
        Ok(key)
    }
}
