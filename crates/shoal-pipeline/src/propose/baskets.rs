//! A first policy for a basket file: a line per transaction.

use std::fmt::Write as _;

use shoal_core::Transactions;

use super::policy_text::string;

/// What is known of a basket file that nobody has described yet.
#[derive(Clone, Debug)]
pub struct BasketProposal {
    /// The data, as seen from the policy's folder.
    pub location: String,
    /// What separates two items.
    pub separator: char,
    /// How many transactions were seen.
    pub transactions: usize,
    /// How many different items they hold.
    pub items: usize,
    /// The size of the largest one.
    pub largest: usize,
    /// How many items fewer than k transactions hold.
    pub rare: usize,
    /// The size of the crowd that is proposed.
    pub k: usize,
}

impl BasketProposal {
    /// Looks at transactions.
    pub fn of(data: &Transactions, location: String, separator: char) -> BasketProposal {
        // 5 is usual; in a very small file there should still be room for two crowds.
        let k = 5.min(data.len() / 2).max(2);
        BasketProposal {
            location,
            separator,
            transactions: data.len(),
            items: data.items().len(),
            largest: data.iter().map(<[u32]>::len).max().unwrap_or_default(),
            rare: data.supports().iter().filter(|&&support| (support as usize) < k).count(),
            k,
        }
    }

    /// The policy.
    pub fn to_toml(&self) -> String {
        let mut text =
            String::from("# A proposal by `shoal init`. Review it: what may others know about a person?\n\n");
        let _ = writeln!(text, "version = 1\n\n[data]\nshape = \"transactions\"");
        let _ = writeln!(text, "source = {}", string(&self.location));
        let _ = writeln!(
            text,
            "format = \"basket\"          # a line per transaction; \"long\" with id and item columns"
        );
        let _ = writeln!(text, "separator = {}", string(&self.separator.to_string()));
        let _ = writeln!(
            text,
            "# seen: {} transactions, {} different items, at most {} in one",
            self.transactions, self.items, self.largest
        );
        let _ = writeln!(
            text,
            "# A line says nothing about whose it is, so each is taken for another person's. Where one person has several,\n\
             # a crowd of k lines can be one person: bring the data into the long form (format = \"long\", id and item) or into\n\
             # a column of a table (items), and name the column that names people:  person = \"…\""
        );
        let m = self.largest.min(2);
        let _ = writeln!(text, "\n[privacy]\nk = {}                      # the size of the crowd", self.k);
        let _ = writeln!(text, "m = {m}                      # how many items of a person somebody may know");
        let _ = writeln!(
            text,
            "# {} items are in fewer than {} transactions: each of them names people",
            self.rare, self.k
        );
        let _ = writeln!(
            text,
            "# instead of m:  complete = true,  constraints = \"file\" (a set of items per line),  share = 0.25"
        );
        let _ = writeln!(
            text,
            "\n# [utility]\n# constraints = \"file\"      # items that may be published as one, a set per line; for upcta and coat"
        );
        let _ = writeln!(text, "# max-suppressed = 0.15");
        let _ = writeln!(
            text,
            "\n[algorithm]\nname = \"pcta\"               # or upcta, coat (utility constraints), apriori (a hierarchy of items)"
        );
        let _ = writeln!(text, "seed = 0\n\n[output]\npath = \"published.txt\"\nreport = \"report/\"");
        text
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::PolicyDocument;

    use super::*;

    #[test]
    fn the_proposal_is_a_policy() {
        let data = Transactions::from_texts(&[vec!["a", "b"], vec!["a"], vec!["a", "c"], vec![]]);
        for (location, separator) in [("a.dat", ' '), ("odd \"name\".csv", '\t')] {
            let proposal = BasketProposal::of(&data, location.to_owned(), separator);
            assert_eq!((proposal.k, proposal.rare), (2, 2));
            let document = PolicyDocument::parse(&proposal.to_toml(), &[]).unwrap();
            assert_eq!(document.policy().data.source, location);
            assert_eq!(document.policy().data.separator(), separator.to_string());
        }
    }
}
