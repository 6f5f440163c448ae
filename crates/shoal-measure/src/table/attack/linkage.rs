use super::TableTarget;
use super::fits::Fits;
use super::points::Points;
use super::whose::Counting;
use crate::attack::Attack;

/// The crowd of each point, 0 where nothing fits.
pub(crate) fn crowds(fits: &Fits, counting: &Counting, classes: &[Vec<u32>]) -> Vec<u64> {
    // Neighbouring points often have the same classes, and the crowd of people costs time.
    let mut last: (&[u32], u64) = (&[], 0);
    let mut crowds = Vec::with_capacity(classes.len());
    for classes in classes {
        if classes.as_slice() != last.0 {
            last = (classes, counting.crowd(fits, classes));
        }
        crowds.push(last.1);
    }
    crowds
}

/// Looks for each person among the rows that fit their quasi-identifiers.
pub(crate) fn link(
    target: &TableTarget<'_>,
    points: &Points,
    counting: &Counting,
    crowds: &[u64],
    name: &str,
    question: &str,
) -> Attack {
    let personal = target.original.personal_k();
    let k = target.promise.k as u64;
    let left_out = LeftOut::of(target);
    // What the record was promised. A personal k protects a row, and whoever was left out has none; where it is not known who
    // was, only the k of everybody can be asked for.
    let asked = |record: usize| match &personal {
        Some(own) if !left_out.may_be(record) => u64::from(own[record]).max(k),
        _ => k,
    };
    let mut worst: Option<(f64, usize, u64)> = None;
    let (mut sum, mut found) = (0.0, 0_u64);
    for (record, &point) in points.of_record.iter().enumerate() {
        let crowd = crowds[point as usize];
        if crowd == 0 {
            continue;
        }
        sum += 1.0 / crowd as f64;
        found += 1;
        // The worst is the one whose crowd is smallest by what was promised; of equals the first.
        let short = crowd as f64 / asked(record) as f64;
        if worst.is_none_or(|(least, ..)| short < least) {
            worst = Some((short, record, crowd));
        }
    }
    let Some((_, record, crowd)) = worst else {
        let words = "no row fits anybody of the original";
        return Attack::exact(name, question, 0.0).promised(1.0 / k as f64).worst(words, None);
    };
    let words = format!("{crowd} {} fit this record's quasi-identifiers", counting.unit());
    Attack::exact(name, question, 1.0 / crowd as f64)
        .mean(sum / found as f64)
        .promised(1.0 / asked(record) as f64)
        .worst(words, Some(target.source_rows[record]))
}

/// Which records may have been left out of the release.
enum LeftOut {
    Nobody,
    /// Whether each record is published, by the assignment of rows to records that was found.
    Known(Vec<bool>),
    Unknown,
}

impl LeftOut {
    fn of(target: &TableTarget<'_>) -> LeftOut {
        if target.published.rows >= target.original.rows {
            return LeftOut::Nobody;
        }
        let Some(origin) = target.origin else { return LeftOut::Unknown };
        let mut published = vec![false; target.original.rows];
        origin.iter().for_each(|&record| published[record as usize] = true);
        LeftOut::Known(published)
    }

    fn may_be(&self, record: usize) -> bool {
        match self {
            LeftOut::Nobody => false,
            LeftOut::Known(published) => !published[record],
            LeftOut::Unknown => true,
        }
    }
}
