/// Lines that the gate has read and admitted. Only [`Gate::admit`](super::Gate::admit) can make one, and nothing
/// leaves without one.
///
/// ```compile_fail
/// let forged = shoal_privacy::stream::Admitted { bytes: b"{}" };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Admitted<'a> {
    bytes: &'a [u8],
}

impl<'a> Admitted<'a> {
    /// The last thing that the gate does.
    pub(super) fn seal(bytes: &'a [u8]) -> Admitted<'a> {
        Admitted { bytes }
    }

    /// The bytes, as they leave.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}
