//! Streams: what leaves is read as a stranger would read it, before it leaves.

/// Lines that the gate has read and admitted. Only the gate can make one, and nothing leaves without one.
#[derive(Clone, Copy, Debug)]
pub struct Admitted<'a> {
    bytes: &'a [u8],
}

impl<'a> Admitted<'a> {
    /// The bytes, as they leave.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}
