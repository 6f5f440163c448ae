//! What algorithms lose and how long they take.

pub(crate) mod apriori;
pub(crate) mod castle;
pub(crate) mod cbmsa;
pub(crate) mod delay_free;
pub(crate) mod fcla;
pub(crate) mod halt;
pub(crate) mod pcta_coat;
pub(crate) mod starts;
pub(crate) mod tables;
