//! Arrow's own files (Feather version 2) and streams.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, Message, root_as_footer, root_as_message};
use arrow_schema::Schema;
use bytes::Bytes;
use shoal_core::{Cancelled, Progress};

use crate::arrow::{ColumnError, check_types, push_arrays};
use crate::collect::Collector;
use crate::error::ReadError;
use crate::limits::Limits;

const MAGIC: &[u8] = b"ARROW1";
/// What a file ends with: the length of its footer and the magic.
const TRAILER: usize = 10;
/// How many of the largest buffers all buffers of a batch may have together.
const BUFFERS: usize = 8;

/// Reads one file's records into the collector, until its end or until the collector is full.
pub(crate) fn read(
    file: &str,
    input: Bytes,
    limits: &Limits,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    if input.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    let mut reading = Reading { file, limits, into, progress, begun: false };
    // The reader of Arrow trusts what a file says about itself, and a damaged file can make it panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| match input.starts_with(MAGIC) {
        true => reading.file(&Buffer::from(input)),
        false => reading.stream(Buffer::from(input)),
    }));
    outcome.unwrap_or_else(|payload| match payload.is::<Cancelled>() {
        true => resume_unwind(payload),
        false => Err(broken(file, &"its parts contradict each other")),
    })
}

struct Reading<'r, 'k> {
    file: &'r str,
    limits: &'r Limits,
    into: &'r mut Collector<'k>,
    progress: &'r dyn Progress,
    begun: bool,
}

impl Reading<'_, '_> {
    fn file(&mut self, bytes: &Buffer) -> Result<(), ReadError> {
        let fail = |why: &dyn ToString| broken(self.file, &why.to_string());
        let trailer = bytes.len().checked_sub(TRAILER).ok_or_else(|| fail(&"it is cut off"))?;
        let end: [u8; TRAILER] = bytes[trailer..].try_into().expect("it is that long");
        let length = read_footer_length(end).map_err(|e| fail(&e))?;
        let start = trailer.checked_sub(length).ok_or_else(|| fail(&"its footer is longer than it"))?;
        let footer = root_as_footer(&bytes[start..trailer]).map_err(|e| fail(&e))?;
        let schema = footer.schema().ok_or_else(|| fail(&"it has no schema"))?;
        let schema = Arc::new(fb_to_schema(schema));
        let mut decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        self.begin(&schema)?;
        for block in footer.dictionaries().iter().flatten() {
            let part = self.block(bytes, block)?;
            decoder.read_dictionary(block, &part).map_err(|e| broken(self.file, &e))?;
        }
        for block in footer.recordBatches().iter().flatten() {
            if self.into.is_full() {
                break;
            }
            let part = self.block(bytes, block)?;
            if let Some(batch) = decoder.read_record_batch(block, &part).map_err(|e| broken(self.file, &e))? {
                self.push(&batch)?;
            }
        }
        Ok(())
    }

    /// The bytes of a message and its body, whose sizes have been looked at.
    fn block(&self, bytes: &Buffer, block: &Block) -> Result<Buffer, ReadError> {
        let outside = || broken(self.file, &"a block is outside of it");
        let offset = usize::try_from(block.offset()).map_err(|_| outside())?;
        let head = usize::try_from(block.metaDataLength()).map_err(|_| outside())?;
        let body = usize::try_from(block.bodyLength()).map_err(|_| outside())?;
        let length = head.checked_add(body).ok_or_else(outside)?;
        let whole = bytes.get(offset..).and_then(|rest| rest.get(..length)).ok_or_else(outside)?;
        let message = &whole[..head];
        let marked = message.starts_with(&[0xff; 4]);
        let message = message.get(if marked { 8 } else { 4 }..).ok_or_else(outside)?;
        self.check(&root_as_message(message).map_err(|e| broken(self.file, &e))?, &whole[head..])?;
        Ok(bytes.slice_with_length(offset, length))
    }

    fn stream(&mut self, mut bytes: Buffer) -> Result<(), ReadError> {
        self.check_stream(&bytes)?;
        let mut decoder = StreamDecoder::new();
        while !(bytes.is_empty() || self.begun && self.into.is_full()) {
            let batch = decoder.decode(&mut bytes).map_err(|e| broken(self.file, &e))?;
            if !self.begun
                && let Some(schema) = decoder.schema()
            {
                self.begin(&schema)?;
            }
            if let Some(batch) = batch {
                self.push(&batch)?;
            }
        }
        if !self.begun {
            return Err(broken(self.file, &"it has no schema"));
        }
        // A reader that wants no more does not know whether the stream ends well.
        match self.into.is_full() {
            true => Ok(()),
            false => decoder.finish().map_err(|e| broken(self.file, &e)),
        }
    }

    /// Looks at the sizes of all messages of a stream.
    fn check_stream(&self, bytes: &[u8]) -> Result<(), ReadError> {
        let outside = || broken(self.file, &"it is cut off, or no Arrow stream");
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
        };
        let mut at = 0;
        while at < bytes.len() {
            let mut length = number(at).ok_or_else(outside)?;
            at += 4;
            if length == u32::MAX {
                length = number(at).ok_or_else(outside)?;
                at += 4;
            }
            if length == 0 {
                return Ok(());
            }
            let rest = &bytes[at..];
            let head = rest.get(..length as usize).ok_or_else(outside)?;
            let message = root_as_message(head).map_err(|e| broken(self.file, &e))?;
            let body = usize::try_from(message.bodyLength()).map_err(|_| outside())?;
            let body = rest[head.len()..].get(..body).ok_or_else(outside)?;
            self.check(&message, body)?;
            at += head.len() + body.len();
        }
        Ok(())
    }

    /// Refuses buffers that would unpack to more than allowed, or to more than they declare.
    fn check(&self, message: &Message<'_>, body: &[u8]) -> Result<(), ReadError> {
        let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
        let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
        let Some(compression) = batch.compression() else { return Ok(()) };
        let (mut sum, limit) = (0_usize, self.limits.page);
        for buffer in batch.buffers().iter().flatten() {
            let outside = || broken(self.file, &"a buffer is outside of its batch");
            let offset = usize::try_from(buffer.offset()).map_err(|_| outside())?;
            let length = usize::try_from(buffer.length()).map_err(|_| outside())?;
            let packed = body.get(offset..).and_then(|rest| rest.get(..length)).ok_or_else(outside)?;
            let Some((declared, packed)) = packed.split_first_chunk::<8>() else { continue };
            let declared = i64::from_le_bytes(*declared);
            if declared == 0 || declared == -1 {
                continue;
            }
            let declared = usize::try_from(declared).map_err(|_| outside())?;
            sum = sum.saturating_add(declared);
            if declared > limit || sum > limit.saturating_mul(BUFFERS) {
                let why = format!("a buffer unpacks to more than {} MiB", limit >> 20);
                return Err(broken(self.file, &why));
            }
            // Zstandard is unpacked into a space of the declared size, LZ4 as long as something comes.
            if compression.codec() == CompressionType::LZ4_FRAME {
                let unpacked = lz4_flex::frame::FrameDecoder::new(packed).take(declared as u64 + 1);
                let length =
                    io::copy(&mut { unpacked }, &mut io::sink()).map_err(|e| broken(self.file, &e))?;
                if length != declared as u64 {
                    return Err(broken(self.file, &"a buffer unpacks to another size than it declares"));
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, schema: &Schema) -> Result<(), ReadError> {
        self.begun = true;
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        self.into.begin(self.file, names)?;
        check_types(self.file, schema, self.into.gathered())
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<(), ReadError> {
        self.progress.check();
        let room = usize::try_from(self.into.room()).unwrap_or(usize::MAX);
        let batch = batch.slice(0, batch.num_rows().min(room));
        let first = self.into.gathered().next_rows(batch.num_rows() as u64, None)?;
        let kept: Vec<usize> = self.into.kept().iter().map(|(column, _)| *column).collect();
        let arrays = kept.iter().map(|&column| batch.column(column));
        push_arrays(arrays, self.into.gathered(), first)
            .map_err(|ColumnError { error, .. }| broken(self.file, &error))
    }
}

fn broken(file: &str, why: &impl ToString) -> ReadError {
    ReadError::Arrow { file: file.to_owned(), why: why.to_string() }
}
