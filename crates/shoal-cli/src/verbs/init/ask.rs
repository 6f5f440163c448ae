//! `shoal init --ask`: a short dialogue for people who would rather answer than edit a policy.
//!
//! Questions go to standard error and answers come from standard input, a line each, so that a script can answer, too. Enter
//! accepts what stands in brackets. The policy is the one that a person would have written who edited the proposal: answers change
//! the [`Proposal`], and its text is made from that.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use shoal_core::{DateFormat, Kind, MissingTexts, Progress, RawColumn, RawTable, Role, Transactions};
use shoal_pipeline::propose::{self, BasketProposal, Proposal, Topic};

use crate::failure::Failure;
use crate::print::{count, grouped};
use crate::progress::{self, Interruptible};

/// Between two looks at whether Ctrl-C was pressed while an answer is waited for.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The roles that are asked about, with the letters that stand for them. A column with everybody's own k is rare enough to be edited in.
const ROLES: [(Role, &str); 4] =
    [(Role::Identifier, "i"), (Role::QuasiIdentifier, "q"), (Role::Sensitive, "s"), (Role::Insensitive, "n")];

/// Somebody who answers.
pub(super) struct Dialogue {
    answers: Receiver<io::Result<String>>,
    signals: Interruptible,
}

impl Dialogue {
    pub(super) fn begin() -> Result<Dialogue, Failure> {
        let (sender, answers) = channel();
        // A signal does not end a read that waits for a line. So a thread waits, and this one looks for signals.
        std::thread::spawn(move || {
            for line in io::stdin().lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Dialogue { answers, signals: progress::unseen()? })
    }

    /// Asks about a table, sequences or a stream.
    pub(super) fn about(&self, mut proposal: Proposal, sample: &RawTable) -> Result<Proposal, Failure> {
        say(&format!(
            "{}: {}, {}. Enter accepts what stands in [brackets], `?` explains; Ctrl-C ends this, and nothing is written.\n",
            proposal.source.location,
            count(proposal.sampled, "record seen", "records seen"),
            count(proposal.columns.len(), "column", "columns"),
        ));
        proposal = self.person(proposal, sample)?;
        self.order(&mut proposal, sample)?;
        self.roles(&mut proposal)?;
        self.dates(&mut proposal, sample)?;
        self.privacy(&mut proposal)?;
        if proposal.stream.is_none() {
            let file = self.text("\nThe published file", &proposal.output())?;
            proposal.choices.output = Some(file);
        }
        Ok(proposal)
    }

    /// Asks about a file of baskets.
    pub(super) fn about_baskets(
        &self,
        mut proposal: BasketProposal,
        data: &Transactions,
    ) -> Result<BasketProposal, Failure> {
        say(&format!(
            "{}: {}, {}. Enter accepts what stands in [brackets]; Ctrl-C ends this, and nothing is written.\n",
            proposal.location,
            count(proposal.transactions, "transaction", "transactions"),
            count(proposal.items, "item", "items"),
        ));
        let most = proposal.transactions.max(2) as u64;
        let k = "In how many transactions does everything occur that somebody may know of one?";
        let k = self.number(k, proposal.k as u64, 2..=most)?;
        let m = "How many items of a person may somebody know?";
        let m = self.number(m, proposal.m as u64, 1..=proposal.largest.max(1) as u64)?;
        proposal.choose(data, k as usize, m as usize);
        Ok(proposal)
    }

    /// Whose a record is. For sequences everything else follows from it, so it comes first.
    fn person(&self, proposal: Proposal, sample: &RawTable) -> Result<Proposal, Failure> {
        ask_aloud(&proposal, Topic::Person);
        let mut proposal = proposal;
        let Some(events) = &proposal.events else {
            let proposed = match &proposal.stream {
                Some(stream) => stream.person.as_ref(),
                None => proposal.person.as_ref(),
            };
            let chosen = self.column(
                &proposal,
                "Can a person have several records? The column that says whose a record is, - for none",
                proposed.map_or("-", String::as_str),
            )?;
            proposal.choose_person(chosen);
            return Ok(proposal);
        };
        let proposed = events.id.clone();
        let chosen = loop {
            let question = "The column that says whose event a row is";
            match self.column(&proposal, question, proposed.as_deref().unwrap_or_default())? {
                Some(chosen) => break chosen,
                None => say("Sequences need one: without it nobody has a history."),
            }
        };
        if proposed.as_deref() != Some(&proposal.columns[chosen].name) {
            // What orders events is judged within a person.
            proposal = propose::propose_sequences_of(sample, proposal.source, chosen);
        }
        proposal.settle(Topic::Person);
        Ok(proposal)
    }

    fn order(&self, proposal: &mut Proposal, sample: &RawTable) -> Result<(), Failure> {
        let Some(events) = &proposal.events else { return Ok(()) };
        let proposed = events.order.join(", ");
        ask_aloud(proposal, Topic::Order);
        let columns = loop {
            let answer = self.text("The columns that say what came first, separated by commas", &proposed)?;
            let names = answer.split(',').map(str::trim).filter(|name| !name.is_empty());
            let found: Result<Vec<usize>, &str> =
                names.map(|name| proposal.position(name).ok_or(name)).collect();
            match found {
                Ok(columns) if columns.is_empty() => say("At least one is needed."),
                Ok(columns) => break columns,
                Err(name) => say(&no_column(proposal, name)),
            }
        };
        proposal.choose_order(sample, &columns);
        Ok(())
    }

    fn roles(&self, proposal: &mut Proposal) -> Result<(), Failure> {
        say("\nWhat each column means for privacy. A wrong role can give people away.");
        let explained = explain_roles(proposal.stream.is_some());
        say(&explained);
        // Whose a record is was asked already, and settles that column's role.
        let named = match (&proposal.events, &proposal.stream) {
            (Some(events), _) => events.id.clone(),
            (None, Some(stream)) => stream.person.clone(),
            (None, None) => proposal.person.clone(),
        };
        let all = proposal.columns.len();
        for at in 0..all {
            let column = &proposal.columns[at];
            if named.as_deref() == Some(&column.name) {
                continue;
            }
            say(&format!("{} of {all}  {}: {}", at + 1, column.name, column.facts));
            let because = format!("        {}, because {}", column.role.name(), column.reason);
            say(&because);
            ask_aloud(proposal, Topic::Role(at));
            match self.role(proposal.columns[at].role, &explained)? {
                Some(role) => proposal.choose_role(at, role),
                None => break,
            }
        }
        // Whoever accepts the rest has accepted the answers to its questions, too.
        (0..all).for_each(|at| proposal.settle(Topic::Role(at)));
        Ok(())
    }

    /// A role; none where this and the following ones are accepted.
    fn role(&self, proposed: Role, explained: &str) -> Result<Option<Role>, Failure> {
        let letter =
            ROLES.iter().find(|(role, _)| *role == proposed).map_or(proposed.name(), |(_, letter)| letter);
        loop {
            let answer = self.text("        role", letter)?;
            let role = ROLES.iter().find(|(role, letter)| answer == *letter || answer == role.name());
            match (role, answer.as_str()) {
                (Some((role, _)), _) => return Ok(Some(*role)),
                (None, "a") => return Ok(None),
                _ => say(explained),
            }
        }
    }

    /// How dates are written that can be read in two ways.
    fn dates(&self, proposal: &mut Proposal, sample: &RawTable) -> Result<(), Failure> {
        for at in 0..proposal.columns.len() {
            let column = &proposal.columns[at];
            let is_asked = proposal.questions_about(Topic::Values(at)).next().is_some();
            if column.role == Role::Identifier || !is_asked {
                continue;
            }
            ask_aloud(proposal, Topic::Values(at));
            let (Kind::Date, Some(format)) = (column.kind, &column.format) else { continue };
            let format = loop {
                let given = self.text(&format!("How `{}` is written", column.name), format)?;
                match DateFormat::new(&given) {
                    Ok(format) => match unread(&format, &sample.columns[at], &column.missing_tokens) {
                        Some(text) => say(&format!("`{text}` is not written so.")),
                        None => break format,
                    },
                    Err(error) => say(&format!("{error}; for example %d.%m.%Y or %m/%d/%Y")),
                }
            };
            proposal.choose_format(at, &format);
        }
        Ok(())
    }

    fn privacy(&self, proposal: &mut Proposal) -> Result<(), Failure> {
        say("");
        let has_sensitive = proposal.columns.iter().any(|column| column.role == Role::Sensitive);
        if proposal.stream.is_some() {
            let l = "Among how many values is a sensitive value hidden?";
            proposal.choices.l = Some(self.number(l, proposal.l(), 2..=u64::from(u32::MAX))?);
            return Ok(());
        }
        let most = proposal.source.rows.unwrap_or(u64::from(u32::MAX)).max(2);
        let k = "How many people at least look the same in what is published?";
        let usual = proposal.k();
        // What is accepted stays a proposal, with the reason that goes with it.
        proposal.choices.k = Some(self.number(k, usual, 2..=most)?).filter(|k| *k != usual);
        if proposal.events.is_some() {
            return self.highly_sensitive(proposal);
        }
        if has_sensitive {
            let question = "How many different sensitive values at least has each crowd? 1 asks for nothing";
            let l = self.number(question, 1, 1..=most)?;
            proposal.choices.l = Some(l).filter(|l| *l > 1);
        }
        Ok(())
    }

    fn highly_sensitive(&self, proposal: &mut Proposal) -> Result<(), Failure> {
        let question =
            "Highly sensitive values that not too many of a crowd may have, separated by commas, - for none";
        let values = self.text(question, "-")?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        let values: Vec<String> = values.into_iter().filter(|value| !["", "-"].contains(&&**value)).collect();
        if values.is_empty() {
            return Ok(());
        }
        proposal.choices.sensitive_values = values;
        loop {
            let share = self.text("How large a share of a crowd may have one of them?", "0.5")?;
            match share.replace(',', ".").parse::<f64>() {
                Ok(share) if share > 0.0 && share < 1.0 => {
                    proposal.choices.c = Some(share);
                    return Ok(());
                }
                _ => say("A share lies between 0 and 1, for example 0.5."),
            }
        }
    }

    /// A column by its name; none for `-` or nothing.
    fn column(&self, proposal: &Proposal, question: &str, proposed: &str) -> Result<Option<usize>, Failure> {
        loop {
            let answer = self.text(question, proposed)?;
            if let Some(at) = proposal.position(&answer) {
                return Ok(Some(at));
            }
            if answer.is_empty() || answer == "-" {
                return Ok(None);
            }
            say(&no_column(proposal, &answer));
        }
    }

    fn number(&self, question: &str, proposed: u64, range: RangeInclusive<u64>) -> Result<u64, Failure> {
        loop {
            let answer = self.text(question, &proposed.to_string())?;
            match answer.parse::<u64>() {
                Ok(number) if range.contains(&number) => return Ok(number),
                _ => say(&format!(
                    "Please give a whole number from {} to {}.",
                    range.start(),
                    grouped(usize::try_from(*range.end()).unwrap_or(usize::MAX))
                )),
            }
        }
    }

    /// One answer, or what was proposed where it is empty.
    fn text(&self, question: &str, proposed: &str) -> Result<String, Failure> {
        let mut stderr = io::stderr();
        // Nobody who could answer sees a closed standard error.
        let _ = write!(stderr, "{question} [{proposed}]: ").and_then(|()| stderr.flush());
        loop {
            match self.answers.recv_timeout(BETWEEN_LOOKS) {
                Ok(Ok(answer)) => {
                    let answer = answer.trim();
                    return Ok(if answer.is_empty() { proposed } else { answer }.to_owned());
                }
                Ok(Err(error)) => return Err(Failure::NoAnswer { why: error.to_string() }),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::NoAnswer { why: "standard input has ended".to_owned() });
                }
                Err(RecvTimeoutError::Timeout) if self.signals.go_on() => {}
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Cancelled),
            }
        }
    }
}

fn explain_roles(is_stream: bool) -> String {
    let (quasi, sensitive) = match is_stream {
        true => ("is published as it is", "is published among others"),
        false => ("is published in common with a crowd", "is published as it is"),
    };
    format!(
        "  i  identifier        names a person, such as a name or the number of a patient; is not published\n  \
           q  quasi-identifier  others may know it, such as age or zip; {quasi}\n  \
           s  sensitive         nobody should learn it about a person, such as a diagnosis; {sensitive}\n  \
           n  insensitive       neither of them; is published as it is\n  \
           a  accept this proposal and all that follow\n"
    )
}

/// A value that this format cannot read.
fn unread<'a>(format: &DateFormat, column: &'a RawColumn, missing: &[String]) -> Option<&'a str> {
    let missing = MissingTexts::new(missing);
    let values = (0..column.labels.len() as u32).filter(|&code| !missing.has_code(column, code));
    values.map(|code| column.labels.get(code)).find(|text| !text.is_empty() && format.seconds(text).is_none())
}

fn ask_aloud(proposal: &Proposal, topic: Topic) {
    proposal.questions_about(topic).for_each(|question| say(&format!("question: {question}")));
}

fn no_column(proposal: &Proposal, name: &str) -> String {
    let names: Vec<&str> = proposal.columns.iter().map(|column| column.name.as_str()).collect();
    format!("There is no column `{name}`. There are: {}", names.join(", "))
}

/// A closed standard error is noticed when no answer comes.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
