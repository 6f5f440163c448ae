use shoal_core::RawColumn;

/// The distinct labels of a column as they are written, each with what follows it, in one piece. A record is then a copy of bytes for each of its columns, and nothing is
/// escaped twice.
pub(crate) struct Fields {
    bytes: Vec<u8>,
    /// Where each begins; one more at the end.
    bounds: Vec<usize>,
}

impl Fields {
    /// `push` writes the label with this code; `ends` follows each of them.
    pub(crate) fn of(column: &RawColumn, ends: u8, push: impl Fn(u32, &str, &mut Vec<u8>)) -> Fields {
        let mut fields = Fields { bytes: Vec::new(), bounds: vec![0] };
        for (code, label) in (0..).zip(column.labels.iter()) {
            push(code, label, &mut fields.bytes);
            fields.bytes.push(ends);
            fields.bounds.push(fields.bytes.len());
        }
        fields
    }

    /// What stands for a code.
    pub(crate) fn get(&self, code: u32) -> &[u8] {
        let code = code as usize;
        &self.bytes[self.bounds[code]..self.bounds[code + 1]]
    }
}
