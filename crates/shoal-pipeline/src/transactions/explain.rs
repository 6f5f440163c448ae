//! Why items are published together: which groups lose most, and what is behind an item.

use serde::Serialize;
use shoal_core::Progress;
use shoal_measure::transactions::PublishedItems;

use super::algorithm::hierarchy;
use super::load::{Text, load};
use crate::{Explained, PipelineError, ReleaseKey, Request, Source};

/// What the explanation of transactions has.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsExplanation {
    /// Transactions of the published file.
    pub transactions: usize,
    /// Its items.
    pub items: usize,
    /// The group that was asked for, or those that lose most.
    pub shown: Vec<ItemExplanation>,
    /// Items of the original that are not published, the most frequent ones first.
    pub suppressed: Vec<Member>,
}

/// One published item.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ItemExplanation {
    /// As it is published.
    pub item: String,
    /// How many transactions hold it.
    pub support: u32,
    /// How many items of the original it stands for.
    pub size: usize,
    /// Its part in the loss of the file.
    pub part: f64,
    /// Some of these items, the rarest first: they made it necessary.
    pub members: Vec<Member>,
    /// How many of them fewer than k transactions held, so that each of these alone had to be hidden.
    pub rarer_than_k: usize,
}

/// An item of the original.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Member {
    /// The item.
    pub item: String,
    /// How many transactions of the original hold it.
    pub support: u32,
}

/// How many groups are shown where none was asked for, and members of each.
const SHOWN: usize = 5;
const MEMBERS: usize = 12;

pub(crate) fn explain(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    asked: &Explained,
    progress: &dyn Progress,
) -> Result<TransactionsExplanation, PipelineError> {
    let before = load(request, &ReleaseKey::UNPUBLISHED, original, Text::Original, progress)?.data;
    let after = load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?.data;
    progress.stage("explaining", 0);
    let items = PublishedItems::read(&before, &after, hierarchy(request))?;
    let (before_support, after_support) = (before.supports(), after.supports());
    // An occurrence of a group is as uncertain as the group is large (NCP of transactions); alone it loses nothing.
    let loss = |image: usize| match items.members()[image].len() {
        0 | 1 => 0.0,
        size => size as f64 * f64::from(after_support[image]),
    };
    let total: f64 = (0..items.members().len()).map(loss).sum();
    let chosen: Vec<usize> = match asked {
        Explained::All => {
            let mut images: Vec<usize> =
                (0..items.members().len()).filter(|&image| loss(image) > 0.0).collect();
            images.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)).then(a.cmp(&b)));
            images.truncate(SHOWN);
            images
        }
        Explained::Item(item) => {
            let code = before.items().iter().position(|label| label == item);
            let code = code.ok_or_else(|| PipelineError::NoSuchItem { item: item.clone() })?;
            items.image()[code].map(|image| image as usize).into_iter().collect()
        }
        _ => return Err(PipelineError::NotExplained { what: "transactions" }),
    };
    let member = |&item: &u32| Member {
        item: before.items().get(item).to_owned(),
        support: before_support[item as usize],
    };
    let k = request.policy().privacy.k.unwrap_or(1);
    let explain = |&image: &usize| {
        let mut members: Vec<Member> = items.members()[image].iter().map(member).collect();
        members.sort_by(|a, b| a.support.cmp(&b.support).then_with(|| a.item.cmp(&b.item)));
        let rarer_than_k = members.iter().filter(|member| (member.support as usize) < k).count();
        members.truncate(MEMBERS);
        ItemExplanation {
            item: after.items().get(image as u32).to_owned(),
            support: after_support[image],
            size: items.members()[image].len(),
            part: if total > 0.0 { loss(image) / total } else { 0.0 },
            members,
            rarer_than_k,
        }
    };
    let mut suppressed: Vec<Member> = items.suppressed().map(|item| member(&item)).collect();
    suppressed.sort_by(|a, b| b.support.cmp(&a.support).then_with(|| a.item.cmp(&b.item)));
    suppressed.truncate(MEMBERS);
    Ok(TransactionsExplanation {
        transactions: after.len(),
        items: after.items().len(),
        shown: chosen.iter().map(explain).collect(),
        suppressed,
    })
}
