//! Which classes can be published if the others are left out.

use super::{Conditions, Tally};

impl Conditions<'_> {
    /// For each class whether it stands. Those that do not hold are left out; where classes are compared with
    /// everybody, everybody is then fewer, and the rest is asked again until all that remains holds. Whoever
    /// has been left out is not called back.
    pub(crate) fn standing(&self, classes: &[Tally]) -> Vec<bool> {
        let mut stands: Vec<bool> = classes.iter().map(|class| self.hold(class)).collect();
        let mut changed = stands.iter().any(|stands| !stands);
        while changed && self.compare_with_all() {
            let mut rest = self.tally();
            let standing = classes.iter().zip(&stands).filter(|(_, stands)| **stands);
            standing.for_each(|(class, _)| rest.merge(class));
            let now = self.against(&rest);
            changed = false;
            for (class, stands) in classes.iter().zip(&mut stands) {
                if *stands && !now.hold(class) {
                    *stands = false;
                    changed = true;
                }
            }
        }
        stands
    }
}
