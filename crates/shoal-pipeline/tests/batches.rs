//! Every algorithm from record batches to record batches, without a file, against the same data through files.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use shoal_core::policy::{SequencesAlgorithmName, Shape, TableAlgorithmName, TransactionsAlgorithmName};
use shoal_core::{PolicyDocument, RawTable, Silent};
use shoal_io::Source as FileSource;
use shoal_pipeline::files::{self, Job, KeyFile, RunOptions};
use shoal_pipeline::{
    Assets, BatchSink, BatchSource, ItemList, PipelineError, ReleaseKey, Request, Sink as _, run, verify,
};
use shoal_privacy::Staged as _;

/// A table of texts: a header and rows.
struct Texts {
    header: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Texts {
    fn csv(&self) -> String {
        let line = |cells: Vec<&str>| cells.join(",") + "\n";
        let rows = self.rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
        line(self.header.to_vec()) + &rows.collect::<String>()
    }

    fn column(&self, name: &str) -> Vec<&str> {
        let at = self.header.iter().position(|known| *known == name).unwrap();
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// Whole numbers as such, other columns as dictionaries and as plain texts in turn, in several batches.
    fn batches(&self) -> Vec<RecordBatch> {
        let column = |(at, name): (usize, &&'static str)| {
            let texts = self.column(name);
            let numbers: Result<Vec<i64>, _> = texts.iter().map(|text| text.parse::<i64>()).collect();
            let array: ArrayRef = match numbers {
                Ok(numbers) => Arc::new(Int64Array::from(numbers)),
                Err(_) if at % 2 == 0 => Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
                Err(_) => Arc::new(StringArray::from(texts)),
            };
            (*name, array)
        };
        cut(&RecordBatch::try_from_iter(self.header.iter().enumerate().map(column)).unwrap())
    }
}

/// A batch in three.
fn cut(batch: &RecordBatch) -> Vec<RecordBatch> {
    let third = batch.num_rows() / 3;
    let rest = batch.num_rows() - 2 * third;
    vec![batch.slice(0, third), batch.slice(third, third), batch.slice(2 * third, rest)]
}

/// All texts of a table, row by row, its header first.
fn texts(table: &RawTable) -> Vec<Vec<String>> {
    let header = table.columns.iter().map(|column| column.name.clone()).collect();
    let row = |row| table.columns.iter().map(|column| column.text(row).to_owned()).collect();
    [header].into_iter().chain((0..table.rows).map(row)).collect()
}

const TREES: [(&str, &str); 2] = [
    ("sex.csv", "F;*\nM;*\n"),
    ("items.csv", "bread;food;*\nmilk;food;*\neggs;food;*\nbeer;fun;*\ncrisps;fun;*\n"),
];
const TOWNS: &str = "t0;north;*\nt1;north;*\nt2;north;*\nt3;south;*\nt4;south;*\n";
const UTILITY: &str = "bread milk eggs\nbeer crisps\n";

fn assets() -> Assets {
    let tree = |text| shoal_core::hierarchy::from_text(text).unwrap();
    let assets =
        TREES.iter().fold(Assets::default(), |assets, (name, text)| assets.with_hierarchy(name, tree(text)));
    let assets = assets.with_hierarchy("towns.csv", tree(TOWNS)).with_hierarchy("years.csv", tree(&years()));
    assets.with_item_list("utility.txt", ItemList::from_text(UTILITY, ' '))
}

fn years() -> String {
    (2010..2020).map(|year| format!("{year};{};*\n", if year < 2013 { "early" } else { "late" })).collect()
}

/// The key of both, which nobody could guess.
fn key() -> [u8; 32] {
    std::array::from_fn(|at| (at * at * 7 + 31 * at) as u8)
}

/// What a run in memory publishes; the verifier reads it again through the public functions.
fn through_memory(
    policy: &str,
    set: &[String],
    batches: Vec<RecordBatch>,
) -> Result<RawTable, PipelineError> {
    let request = Request::new(PolicyDocument::parse(policy, set).unwrap(), assets())?;
    let request = request.with_release_key(Some(ReleaseKey::from_bytes(key())));
    let release = run(&request, &mut BatchSource::new("batches", batches), &mut BatchSink, &Silent)?;
    let published = release.publish()?;
    let mut again = BatchSource::new("published", published.clone());
    assert!(verify(&request, &mut again, None, &Silent)?.holds());
    let list = request.policy().data.items.as_deref();
    let read = shoal_io::read_batches("published", published.into_iter().map(Ok), &|_| true, list, &Silent);
    Ok(read.unwrap().table)
}

/// What the files' side publishes.
fn through_files(policy: &str, set: &[String], file: &str, data: &str) -> Result<RawTable, PipelineError> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    TREES.iter().for_each(|(name, text)| write(name, text));
    write("towns.csv", TOWNS);
    write("years.csv", &years());
    write("utility.txt", UTILITY);
    write("policy.toml", policy);
    write(file, data);
    let mut set = set.to_vec();
    set.extend([format!("data.source={file}"), "output.path=out.csv".to_owned()]);
    let mut job = Job::open(&folder.path().join("policy.toml"), &set)?;
    // Of transactions nothing is dealt.
    if job.policy().data.shape != Shape::Transactions {
        KeyFile::create(&folder.path().join("key"), &key()).unwrap();
        job = job.with_overrides(&["algorithm.key-file=key".to_owned()])?;
    }
    files::run(&job, &RunOptions::default(), &Silent)?;
    let out = FileSource::new(folder.path().join("out.csv").to_string_lossy());
    Ok(shoal_io::read_table(&out, &|_| true, &Silent).unwrap().table)
}

const TABLE: &str = r#"
version = 1
[data]
shape = "table"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
hierarchy = "sex.csv"
[columns.town]
role = "quasi-identifier"
hierarchy = "towns.csv"
[columns.visits]
role = "insensitive"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
"#;

fn people() -> Texts {
    let row = |at: u32| {
        let sex = if (at * 7) % 5 < 2 { "F" } else { "M" };
        let illness = ["flu", "cold", "asthma", "gout"][(at * 7 % 13 % 4) as usize];
        vec![
            format!("p{at}"),
            (20 + at * 37 % 50).to_string(),
            sex.to_owned(),
            format!("t{}", at * 3 % 5),
            (at % 4).to_string(),
            illness.to_owned(),
        ]
    };
    Texts { header: &["name", "age", "sex", "town", "visits", "illness"], rows: (0..80).map(row).collect() }
}

#[test]
fn tables() {
    let people = people();
    for algorithm in TableAlgorithmName::ALL {
        let mut set = vec![format!("algorithm.name={}", algorithm.name())];
        match algorithm {
            // Its crowds are drawn with a fresh key, so two runs do not compare; that they are verified is enough.
            TableAlgorithmName::Transparent => {
                set.extend(
                    [
                        "privacy.transparent=true",
                        "columns.illness.l-diversity={ kind = \"distinct\", l = 2 }",
                    ]
                    .map(str::to_owned),
                );
                let published = through_memory(TABLE, &set, people.batches()).unwrap();
                assert_eq!(published.rows, 80, "{set:?}");
                continue;
            }
            TableAlgorithmName::Ribbon
            | TableAlgorithmName::Mondrian
            | TableAlgorithmName::Sbc
            | TableAlgorithmName::Incognito
            | TableAlgorithmName::Datafly => {}
        }
        let memory = through_memory(TABLE, &set, people.batches()).unwrap();
        let files = through_files(TABLE, &set, "people.csv", &people.csv()).unwrap();
        assert_eq!(texts(&memory), texts(&files), "{set:?}");
        assert!(memory.rows > 70 && memory.columns.len() == 5, "{set:?}");
    }
}

const BASKETS: &str = r#"
version = 1
[data]
shape = "transactions"
[privacy]
k = 3
m = 2
"#;

/// Rows of id and item.
fn purchases() -> Texts {
    let items = ["bread", "milk", "eggs", "beer", "crisps"];
    let mut rows = Vec::new();
    for basket in 0..40_usize {
        for (at, item) in items.iter().enumerate() {
            if (basket * 13 + at * 7) % 5 < 2 || at == basket % 5 {
                rows.push(vec![format!("b{basket}"), (*item).to_owned()]);
            }
        }
    }
    Texts { header: &["basket", "item"], rows }
}

fn transaction_settings(algorithm: TransactionsAlgorithmName) -> Vec<String> {
    let mut set = vec![format!("algorithm.name={}", algorithm.name())];
    match algorithm {
        TransactionsAlgorithmName::Upcta => {
            set.extend(["utility.constraints=utility.txt", "utility.max-suppressed=1"].map(str::to_owned));
        }
        TransactionsAlgorithmName::Apriori => set.push("data.hierarchy=items.csv".to_owned()),
        TransactionsAlgorithmName::Pcta | TransactionsAlgorithmName::Coat => {}
    }
    set
}

#[test]
fn transactions_as_rows_of_id_and_item() {
    let purchases = purchases();
    for &algorithm in TransactionsAlgorithmName::ALL {
        let mut set = transaction_settings(algorithm);
        set.extend(["data.format=long", "data.id=basket", "data.item=item"].map(str::to_owned));
        let memory = through_memory(BASKETS, &set, purchases.batches()).unwrap();
        let files = through_files(BASKETS, &set, "purchases.csv", &purchases.csv()).unwrap();
        assert_eq!(texts(&memory), texts(&files), "{set:?}");
    }
}

#[test]
fn transactions_as_a_column_of_lists() {
    let purchases = purchases();
    let mut lists = ListBuilder::new(StringBuilder::new());
    let mut lines = String::from("items\n");
    for basket in 0..40 {
        let id = format!("b{basket}");
        let items: Vec<&str> =
            purchases.rows.iter().filter(|row| row[0] == id).map(|row| row[1].as_str()).collect();
        items.iter().for_each(|item| lists.values().append_value(item));
        lists.append(true);
        lines += &(items.join(" ") + "\n");
    }
    let batch = RecordBatch::try_from_iter([("items", Arc::new(lists.finish()) as ArrayRef)]).unwrap();
    for &algorithm in TransactionsAlgorithmName::ALL {
        let mut set = transaction_settings(algorithm);
        set.extend(["data.items=items", "data.item-separator=\" \""].map(str::to_owned));
        let memory = through_memory(BASKETS, &set, cut(&batch)).unwrap();
        let files = through_files(BASKETS, &set, "baskets.csv", &lines).unwrap();
        // Lists have no separator; in the text of a cell the unit separator stands for it.
        let memory: Vec<Vec<String>> = texts(&memory)
            .into_iter()
            .map(|row| row.into_iter().map(|cell| cell.replace(shoal_io::ITEM_SEPARATOR, " ")).collect())
            .collect();
        assert_eq!(memory, texts(&files), "{set:?}");
    }
}

const VISITS: &str = r#"
version = 1
[data]
shape = "sequences"
id = "who"
order = ["year", "day"]
[columns.who]
role = "identifier"
[columns.year]
role = "quasi-identifier"
kind = "integer"
hierarchy = "years.csv"
[columns.day]
role = "identifier"
kind = "integer"
[columns.town]
role = "quasi-identifier"
hierarchy = "towns.csv"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
c = 0.8
sensitive-values = ["i0"]
"#;

fn visits() -> Texts {
    let mut rows = Vec::new();
    for visit in 0..4_usize {
        for person in (0..60_usize).filter(|person| visit <= (person * 7 + 3) % 4) {
            rows.push(vec![
                format!("id{person}"),
                (2010 + (person + visit) % 3 + visit).to_string(),
                (100 + visit * 11).to_string(),
                format!("t{}", (person * 13 + visit) % 5),
                format!("i{}", (person * 5 + visit * 3) % 6),
            ]);
        }
    }
    Texts { header: &["who", "year", "day", "town", "illness"], rows }
}

#[test]
fn sequences() {
    let visits = visits();
    for algorithm in SequencesAlgorithmName::ALL {
        let mut set = vec![format!("algorithm.name={}", algorithm.name())];
        match algorithm {
            SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline => {}
            SequencesAlgorithmName::Fcla
            | SequencesAlgorithmName::FclaBase1
            | SequencesAlgorithmName::Halt => {
                set.push("privacy.length=2".to_owned());
            }
        }
        let memory = through_memory(VISITS, &set, visits.batches()).unwrap();
        let files = through_files(VISITS, &set, "visits.csv", &visits.csv()).unwrap();
        assert_eq!(texts(&memory), texts(&files), "{set:?}");
        assert!(memory.rows > 0, "{set:?}");
    }
}

#[test]
fn a_release_that_is_dropped_is_never_handed_out_and_a_broken_promise_is_an_error() {
    let few = Texts { rows: people().rows[..2].to_vec(), ..people() };
    let error = through_memory(TABLE, &[], few.batches()).unwrap_err();
    assert!(error.is_broken_promise(), "{error}");
}

/// A certificate can be copied and kept; it must not open other data.
#[test]
fn a_certificate_publishes_nothing_but_what_it_is_about() {
    let request = Request::new(PolicyDocument::parse(TABLE, &[]).unwrap(), assets()).unwrap();
    let mut source = BatchSource::new("people", people().batches());
    let release = run(&request, &mut source, &mut BatchSink, &Silent).unwrap();
    let certificate = release.certificate().clone();
    let raw = RawTable::from_rows(&["name", "illness"], &[vec!["Ann", "HIV"]]);
    let staged = BatchSink.stage_table(&raw, &[], &Silent).unwrap();
    let refused = staged.publish(&certificate).unwrap_err();
    assert!(refused.to_string().contains("was verified"), "{refused}");
    assert!(release.publish().is_ok());
}

#[test]
fn an_asset_that_is_named_and_not_given_is_an_error() {
    let document = PolicyDocument::parse(TABLE, &[]).unwrap();
    let error = Request::new(document, Assets::default()).unwrap_err();
    assert!(error.to_string().contains("sex.csv"), "{error}");
}

#[test]
fn lines_of_items_cannot_come_from_batches() {
    let error = through_memory(BASKETS, &[], purchases().batches()).unwrap_err();
    assert!(error.to_string().contains("has columns"), "{error}");
}
