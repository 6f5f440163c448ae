use std::fmt::Write as _;
use std::io::{self, Read};
use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use sha2::{Digest as _, Sha256};

/// How many bytes go to the thread at once: few enough to stay in a cache, and so many that passing them on costs nothing beside
/// hashing them.
const BLOCK: usize = 1 << 18;

/// How many blocks may wait for the thread, so that what is not hashed yet does not fill the memory.
const WAITING: usize = 8;

/// A running SHA-256. Whoever has more than a block hashed has it done by a thread beside their own work: reading, splitting and
/// writing take about as long as hashing.
#[derive(Default)]
pub(crate) struct Digest {
    /// What has been hashed here, as long as there is no thread.
    hash: Sha256,
    block: Vec<u8>,
    thread: Option<Hashing>,
}

/// A thread that hashes blocks in the order in which they come. It ends when nobody can send it any more.
struct Hashing {
    blocks: SyncSender<Vec<u8>>,
    /// Blocks that have been hashed and can be filled again.
    hashed: Receiver<Vec<u8>>,
    thread: JoinHandle<Sha256>,
}

impl Digest {
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.pass_on();
            }
        }
    }

    /// The digest of everything so far, in lower-case hex as `sha256sum` prints it.
    pub(crate) fn hex(mut self) -> String {
        let last = mem::take(&mut self.block);
        let mut hash = match self.thread.take() {
            // The thread ends when its last block is hashed, because no further one can come.
            Some(Hashing { blocks, hashed, thread }) => {
                drop((blocks, hashed));
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            None => self.hash,
        };
        hash.update(&last);
        let mut text = String::with_capacity(64);
        for byte in hash.finalize() {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        }
        text
    }

    /// Has a full block hashed.
    fn pass_on(&mut self) {
        if self.thread.is_none() {
            self.thread = Hashing::start(self.hash.clone());
        }
        let full = mem::take(&mut self.block);
        // Without a thread, on a system that has none left, it is done here.
        let Some(Hashing { blocks, hashed, .. }) = &self.thread else {
            self.hash.update(&full);
            self.block = full;
            self.block.clear();
            return;
        };
        self.block = hashed.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK));
        blocks.send(full).expect("the thread goes on as long as blocks can come");
    }
}

impl Hashing {
    fn start(mut hash: Sha256) -> Option<Hashing> {
        let (blocks, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let (back, hashed) = sync_channel(WAITING);
        let hash_all = move || {
            for mut block in waiting {
                hash.update(&block);
                block.clear();
                // A block too many, or one that nobody waits for, is dropped.
                let _ = back.try_send(block);
            }
            hash
        };
        let thread = thread::Builder::new().name("sha256".to_owned()).spawn(hash_all).ok()?;
        Some(Hashing { blocks, hashed, thread })
    }
}

/// The SHA-256 of bytes in memory (a policy, a hierarchy), in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.update(bytes);
    digest.hex()
}

/// The SHA-256 of all that a reader still holds.
pub(crate) fn sha256_of(mut input: impl Read) -> io::Result<String> {
    let mut digest = Digest::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(digest.hex()),
            Ok(count) => digest.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_vectors() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b""), empty);
        assert_eq!(sha256_hex(b"abc"), abc);
        assert_eq!(sha256_of(&b"abc"[..]).unwrap(), abc);
    }

    /// More than one block, in pieces of any size, against one call of the crate that hashes.
    #[test]
    fn pieces_and_blocks_do_not_matter() {
        let bytes: Vec<u8> =
            (0..3 * BLOCK as u32 + 17).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, bytes.len()] {
            let mut expected = String::new();
            Sha256::digest(&bytes[..length]).iter().for_each(|byte| write!(expected, "{byte:02x}").unwrap());
            for piece in [1_000, 65_536, BLOCK, BLOCK + 7, 4 * BLOCK] {
                let mut digest = Digest::default();
                bytes[..length].chunks(piece).for_each(|piece| digest.update(piece));
                assert_eq!(digest.hex(), expected, "{length} bytes in pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_digest_that_nobody_asks_for_ends() {
        let mut digest = Digest::default();
        digest.update(&vec![0; 20 * BLOCK]);
        let Hashing { blocks, thread, .. } = digest.thread.take().unwrap();
        drop(blocks);
        thread.join().unwrap();
    }
}
