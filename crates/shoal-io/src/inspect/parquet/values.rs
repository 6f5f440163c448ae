//! The values of a page, taken apart: which entries of a dictionary they use, and how many bytes they take.

/// Calls `each` for the values of runs that are repeated or bit-packed: once for a run that repeats. Returns how many
/// bytes a number of values take.
pub(super) fn runs(bytes: &[u8], width: u8, count: usize, mut each: impl FnMut(u32)) -> Option<usize> {
    each_run(bytes, width, count, |value, _| each(value))
}

/// The same, with how often each value occurs there.
pub(super) fn each_run(
    bytes: &[u8],
    width: u8,
    count: usize,
    mut each: impl FnMut(u32, usize),
) -> Option<usize> {
    if width > 32 {
        return None;
    }
    let (mut at, mut left) = (0_usize, count);
    while left > 0 {
        // The header of a run is a varint: the lowest bit says whether the run is bit-packed, the rest is its length,
        // for a bit-packed run in groups of eight values.
        let mut header = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = *bytes.get(at)?;
            at += 1;
            header |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        // A run of no values would let the loop go on forever.
        let length = usize::try_from(header >> 1).ok().filter(|&length| length > 0)?;
        let taken = if header & 1 == 0 {
            let size = usize::from(width).div_ceil(8);
            let value = bytes.get(at..at.checked_add(size)?)?;
            at += size;
            let value = value.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
            let taken = length.min(left);
            each(value, taken);
            taken
        } else {
            let taken = length.checked_mul(8)?.min(left);
            // A writer may cut off the last run where its values end.
            let needed = taken.checked_mul(usize::from(width))?.div_ceil(8);
            let packed = bytes.get(at..at.checked_add(needed)?)?;
            (0..taken).for_each(|value| each(unpack(packed, value * usize::from(width), width), 1));
            // Eight values of `width` bits take `width` bytes.
            at = at.checked_add(length.checked_mul(usize::from(width))?)?.min(bytes.len());
            taken
        };
        left -= taken;
    }
    Some(at)
}

fn unpack(packed: &[u8], from: usize, width: u8) -> u32 {
    (0..usize::from(width)).fold(0, |value, bit| {
        let at = from + bit;
        value | u32::from(packed[at / 8] >> (at % 8) & 1) << bit
    })
}

/// How the values of a column lie in a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Physical {
    Boolean,
    /// This many bytes each.
    Fixed(usize),
    /// With their lengths.
    Bytes,
}

impl Physical {
    /// By the number that Parquet gives a type.
    pub(super) fn of(kind: i64, length: Option<u64>) -> Option<Physical> {
        // `Type` of parquet.thrift: boolean, int32, int64, int96, float, double, byte array, fixed-length byte array.
        Some(match kind {
            0 => Physical::Boolean,
            1 | 4 => Physical::Fixed(4),
            2 | 5 => Physical::Fixed(8),
            3 => Physical::Fixed(12),
            6 => Physical::Bytes,
            7 => Physical::Fixed(usize::try_from(length?).ok()?),
            _ => return None,
        })
    }

    /// Calls `each` for this many values that lie one after the other. Returns how many bytes they take.
    pub(super) fn plain<'a>(
        self,
        bytes: &'a [u8],
        count: usize,
        mut each: impl FnMut(&'a [u8]),
    ) -> Option<usize> {
        let mut at = 0_usize;
        match self {
            Physical::Boolean => return Some(count.div_ceil(8)).filter(|&size| size <= bytes.len()),
            // Values without bytes take none, however many there are.
            Physical::Fixed(0) => {}
            Physical::Fixed(size) => {
                for _ in 0..count {
                    each(bytes.get(at..at.checked_add(size)?)?);
                    at += size;
                }
            }
            Physical::Bytes => {
                for _ in 0..count {
                    let length = u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?);
                    at += 4;
                    let end = at.checked_add(length as usize)?;
                    each(bytes.get(at..end)?);
                    at = end;
                }
            }
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], width: u8, count: usize) -> Option<(Vec<u32>, usize)> {
        let mut values = Vec::new();
        let taken = runs(bytes, width, count, |value| values.push(value))?;
        Some((values, taken))
    }

    #[test]
    fn runs_of_both_kinds() {
        // Four times 5 in one byte, then eight values of three bits: 0 to 7.
        let bytes = [8, 5, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010, 99];
        assert_eq!(decoded(&bytes, 3, 12), Some((vec![5, 0, 1, 2, 3, 4, 5, 6, 7], 6)));
        assert_eq!(decoded(&bytes, 3, 4), Some((vec![5], 2)));
        assert_eq!(decoded(&bytes[..4], 3, 12), None);
        assert_eq!(decoded(&[0, 5], 3, 1), None, "a run of nothing never ends");
        assert_eq!(decoded(&[], 3, 0), Some((vec![], 0)));
    }

    #[test]
    fn plain_values() {
        let mut texts = Vec::new();
        let bytes = b"\x01\0\0\0a\x02\0\0\0bcX";
        assert_eq!(Physical::Bytes.plain(bytes, 2, |text| texts.push(text)), Some(11));
        assert_eq!(texts, [&b"a"[..], b"bc"]);
        assert_eq!(Physical::Bytes.plain(bytes, 3, |_| {}), None);
        assert_eq!(Physical::Fixed(4).plain(bytes, 2, |_| {}), Some(8));
        assert_eq!(Physical::Boolean.plain(bytes, 9, |_| {}), Some(2));
    }
}
