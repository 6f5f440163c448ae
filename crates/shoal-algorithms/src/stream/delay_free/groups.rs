use super::Draws;

/// The groups that wait for members: their open slots by value, and their order of age.
///
/// A slot is numbered `row · l + i`; rows of groups that closed are used again. All of a group's slots lie side by
/// side, since a look at a group that is not in the cache is what a tuple costs.
#[derive(Clone, Debug)]
pub(super) struct OpenGroups {
    l: usize,
    rows: Vec<Row>,
    slots: Vec<Slot>,
    /// The open slots of each value.
    by_value: Vec<Vec<u32>>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
}

#[derive(Clone, Debug)]
struct Row {
    group: u64,
    open: u32,
    older: u32,
    newer: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    value: u32,
    /// Where it stands in the list of its value, or [`TAKEN`].
    place: u32,
    /// The mark of the member that has taken it.
    member: Mark,
}

/// Quasi-identifiers, folded. Equal ones have equal marks. That others may have them too, once in four billion times,
/// does no harm: a slot is not taken that could be.
pub(super) type Mark = u32;

/// The mark of a fingerprint.
pub(super) fn mark(quasi: u128) -> Mark {
    (quasi ^ quasi >> 32 ^ quasi >> 64 ^ quasi >> 96) as Mark
}

/// A slot that has its member.
const TAKEN: u32 = u32::MAX;
/// A slot that is open but not in its list yet.
const UNLISTED: u32 = u32::MAX - 1;
/// No row.
const NONE: u32 = u32::MAX;

/// A tuple that found a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) group: u64,
    /// Whether it took the last slot.
    pub(super) closed: bool,
}

impl OpenGroups {
    pub(super) fn new(l: usize) -> OpenGroups {
        OpenGroups {
            l,
            rows: Vec::new(),
            slots: Vec::new(),
            by_value: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
        }
    }

    /// How many groups are open.
    pub(super) fn len(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// How many groups there is memory for.
    #[cfg(test)]
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Takes an open slot of this value, each as likely as any other, in a group that has no member with this mark yet.
    /// Slots that will not do are put at the end of the list and not looked at again; after `max_looks` of them
    /// there is no such slot.
    pub(super) fn join(
        &mut self,
        member: Mark,
        value: u32,
        max_looks: usize,
        draws: &mut impl Draws,
    ) -> Option<Joined> {
        let open = self.by_value.get(value as usize)?.len();
        for left in (open.saturating_sub(max_looks) + 1..=open).rev() {
            let place = draws.below(left as u64) as usize;
            let slot = self.by_value[value as usize][place];
            let row = slot / self.l as u32;
            if !self.slots_of(row).iter().any(|slot| slot.place == TAKEN && slot.member == member) {
                return Some(self.take(slot, row, member));
            }
            self.swap(value, place, left - 1);
        }
        None
    }

    /// Opens a group with these values for a tuple that has one of them.
    pub(super) fn open(&mut self, group: u64, member: Mark, value: u32, values: &[u32]) {
        let taken = |other: &u32| (*other, (*other == value).then_some(member));
        let row = self.add(group, values.iter().map(taken));
        let first = row * self.l as u32;
        for slot in first..first + self.l as u32 {
            if self.slots[slot as usize].place != TAKEN {
                self.list(slot);
            }
        }
    }

    /// Forgets the group that has waited longest.
    pub(super) fn give_up_oldest(&mut self) {
        let row = self.oldest;
        if row == NONE {
            return;
        }
        let first = row * self.l as u32;
        for slot in first..first + self.l as u32 {
            if self.slots[slot as usize].place != TAKEN {
                self.unlist(slot);
            }
        }
        self.remove(row);
    }

    fn slots_of(&self, row: u32) -> &[Slot] {
        &self.slots[row as usize * self.l..][..self.l]
    }

    fn take(&mut self, slot: u32, row: u32, member: Mark) -> Joined {
        self.unlist(slot);
        self.slots[slot as usize].member = member;
        let Row { group, open, .. } = &mut self.rows[row as usize];
        *open -= 1;
        let joined = Joined { group: *group, closed: *open == 0 };
        if joined.closed {
            self.remove(row);
        }
        joined
    }

    fn swap(&mut self, value: u32, one: usize, other: usize) {
        let list = &mut self.by_value[value as usize];
        list.swap(one, other);
        self.slots[list[one] as usize].place = one as u32;
        self.slots[list[other] as usize].place = other as u32;
    }

    /// A row for a group that is newer than all others: its values, and who has taken them. The open slots are in no
    /// list yet.
    fn add(&mut self, group: u64, values: impl Iterator<Item = (u32, Option<Mark>)>) -> u32 {
        let row = self.free.pop().unwrap_or(self.rows.len() as u32);
        if row as usize == self.rows.len() {
            self.rows.push(Row { group, open: 0, older: NONE, newer: NONE });
            self.slots.resize(self.rows.len() * self.l, Slot { value: 0, place: TAKEN, member: 0 });
        }
        let mut open = 0;
        for (slot, (value, member)) in self.slots[row as usize * self.l..].iter_mut().zip(values) {
            let place = if member.is_some() { TAKEN } else { UNLISTED };
            open += u32::from(member.is_none());
            *slot = Slot { value, place, member: member.unwrap_or(0) };
        }
        self.rows[row as usize] = Row { group, open, older: self.newest, newer: NONE };
        match self.rows.get_mut(self.newest as usize) {
            Some(newest) => newest.newer = row,
            None => self.oldest = row,
        }
        self.newest = row;
        row
    }

    fn remove(&mut self, row: u32) {
        let Row { older, newer, .. } = self.rows[row as usize];
        match self.rows.get_mut(older as usize) {
            Some(neighbour) => neighbour.newer = newer,
            None => self.oldest = newer,
        }
        match self.rows.get_mut(newer as usize) {
            Some(neighbour) => neighbour.older = older,
            None => self.newest = older,
        }
        self.free.push(row);
    }

    fn list(&mut self, slot: u32) {
        let Slot { value, place, .. } = &mut self.slots[slot as usize];
        let value = *value as usize;
        if value >= self.by_value.len() {
            self.by_value.resize(value + 1, Vec::new());
        }
        *place = self.by_value[value].len() as u32;
        self.by_value[value].push(slot);
    }

    fn unlist(&mut self, slot: u32) {
        let Slot { value, place, .. } = &mut self.slots[slot as usize];
        let place = std::mem::replace(place, TAKEN) as usize;
        let list = &mut self.by_value[*value as usize];
        list.swap_remove(place);
        if let Some(moved) = list.get(place) {
            self.slots[*moved as usize].place = place as u32;
        }
    }
}

/// To be written down and read again: rows are named by the age of their groups.
impl OpenGroups {
    /// The groups from old to new: number, values, and who has taken them.
    pub(super) fn by_age(&self) -> impl Iterator<Item = (u64, Vec<u32>, Vec<Option<Mark>>)> {
        let taken = |slot: &Slot| Some(slot.member).filter(|_| slot.place == TAKEN);
        self.rows_by_age().map(move |row| {
            let values = self.slots_of(row).iter().map(|slot| slot.value).collect();
            (self.rows[row as usize].group, values, self.slots_of(row).iter().map(taken).collect())
        })
    }

    /// The open slots of each value in their order, which choices depend on; groups are numbered by age.
    pub(super) fn lists(&self) -> Vec<Vec<u32>> {
        let mut age = vec![0; self.rows.len()];
        for (number, row) in self.rows_by_age().enumerate() {
            age[row as usize] = number as u32;
        }
        let l = self.l as u32;
        let renumbered = |slot: &u32| age[(slot / l) as usize] * l + slot % l;
        let values = self.by_value.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
        self.by_value[..values].iter().map(|list| list.iter().map(renumbered).collect()).collect()
    }

    /// Adds a group that is newer than all others; its open slots are to be listed.
    pub(super) fn restore(&mut self, group: u64, values: &[u32], members: &[Option<Mark>]) {
        self.add(group, values.iter().copied().zip(members.iter().copied()));
    }

    /// Puts an open slot at the end of the list of this value; false where that cannot be.
    pub(super) fn relist(&mut self, slot: u32, value: u32) -> bool {
        let fits = |slot: &Slot| slot.value == value && slot.place == UNLISTED;
        let fits = self.slots.get(slot as usize).is_some_and(fits);
        if fits {
            self.list(slot);
        }
        fits
    }

    /// Whether every open slot is listed.
    pub(super) fn are_listed(&self) -> bool {
        self.slots.iter().all(|slot| slot.place != UNLISTED)
    }

    fn rows_by_age(&self) -> impl Iterator<Item = u32> {
        let some = |row: u32| Some(row).filter(|row| *row != NONE);
        std::iter::successors(some(self.oldest), move |row| some(self.rows[*row as usize].newer))
    }
}
