use std::ops::Range;

use shoal_core::RawColumn;

use super::SequencesMeasureError;

/// The events of everybody in a published file, person by person.
pub(super) fn cut(id: &RawColumn) -> Result<Vec<Range<usize>>, SequencesMeasureError> {
    let mut met = vec![false; id.labels.len()];
    let mut people = Vec::new();
    let mut start = 0;
    for events in id.codes.chunk_by(|a, b| a == b) {
        // An id that was left and comes again.
        if std::mem::replace(&mut met[events[0] as usize], true) {
            return Err(SequencesMeasureError::Scattered {
                column: id.name.clone(),
                row: start as u64 + 1,
                id: id.labels.get(events[0]).to_owned(),
            });
        }
        people.push(start..start + events.len());
        start += events.len();
    }
    Ok(people)
}
