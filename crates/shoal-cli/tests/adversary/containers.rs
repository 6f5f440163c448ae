//! Bytes of a published file that are not its data: names, comments, metadata, unused entries.

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::{Compression, GzBuilder};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use crate::support::TestProject;

const POLICY: &str = "version = 1\n[data]\nshape = \"table\"\nsource = \"in.csv\"\n[columns.age]\nrole = \
                      \"quasi-identifier\"\nkind = \"integer\"\n[columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = \
                      2\n[algorithm]\nname = \"mondrian\"\n[output]\npath = \"out.csv\"\n";
const CROWD: &str = "age,illness\n20,a\n20,b\n20,c\n";

/// Plants a file, and checks that `verify` names what is hidden in it, and refuses it where `--strict` asks for that.
#[track_caller]
fn planted(name: &str, bytes: &[u8], what: &str) {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    project.write(name, bytes);
    let said = project.shoal(&["verify", name, "--policy", "policy.toml"]).ended_with(0);
    assert!(said.stdout.contains("holds") && said.stdout.contains(what), "{}", said.stdout);
    assert!(!said.stdout.contains("Bob"), "what it says may be just what must not be repeated");
    let said = project.shoal(&["verify", name, "--policy", "policy.toml", "--strict"]).ended_with(1);
    assert!(said.stdout.contains("--strict"), "{}", said.stdout);
    let said = project.shoal(&["--json", "verify", name, "--policy", "policy.toml"]).ended_with(0);
    assert!(said.stdout.contains("\"unjudged\"") && said.stdout.contains(what), "{}", said.stdout);
}

fn gzip(builder: GzBuilder, text: &str) -> Vec<u8> {
    let mut packer = builder.write(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn a_name_in_a_gzip_header() {
    planted("p.csv.gz", &gzip(GzBuilder::new().comment("Bob has HIV"), CROWD), "FCOMMENT");
    planted("p.csv.gz", &gzip(GzBuilder::new().filename("Bob.csv"), CROWD), "FNAME");
    planted("p.csv.gz", &gzip(GzBuilder::new().extra(&b"Bob"[..]), CROWD), "FEXTRA");
    planted("p.csv.gz", &gzip(GzBuilder::new().mtime(1_700_000_000), CROWD), "MTIME");
    let mut two = gzip(GzBuilder::new(), CROWD);
    two.extend(gzip(GzBuilder::new(), ""));
    planted("p.csv.gz", &two, "further member");
}

#[test]
fn a_frame_that_nobody_unpacks() {
    let mut packed = zstd::encode_all(CROWD.as_bytes(), 3).unwrap();
    packed.extend([0x50, 0x2a, 0x4d, 0x18, 11, 0, 0, 0]);
    packed.extend(b"Bob has HIV");
    planted("p.csv.zst", &packed, "skippable frame");
}

#[test]
fn marks_between_the_values() {
    planted("p.csv", format!("\u{feff}{CROWD}").as_bytes(), "byte order mark");
    planted("p.csv", b"age,illness\n20,a\n\"20\",b\n20,c\n", "quotes");
    planted("p.csv", b"age,illness\n20,a\n20,b\r\n20,c\n", "different ways");
    planted("p.csv", b"age,illness\n20,a\n\n20,b\n20,c\n", "blank line");
}

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by("parquet-rs version 59.3.2".to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
}

fn parquet(ages: &[&str], properties: WriterPropertiesBuilder) -> Vec<u8> {
    let age: ArrayRef = Arc::new(StringArray::from(ages.to_vec()));
    let illness: ArrayRef = Arc::new(StringArray::from(vec!["a"; ages.len()]));
    let batch = RecordBatch::try_from_iter([("age", age), ("illness", illness)]).unwrap();
    let options =
        ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn metadata_beside_the_pages() {
    let note = vec![KeyValue::new("note".to_owned(), "Bob has HIV".to_owned())];
    let file = parquet(&["20", "20"], properties().set_key_value_metadata(Some(note)));
    planted("p.parquet", &file, "key-value metadata");
    let file = parquet(&["20", "20"], properties().set_created_by("Bob has HIV".to_owned()));
    planted("p.parquet", &file, "created_by");
    let file = parquet(&["20", "20"], properties().set_bloom_filter_enabled(true));
    planted("p.parquet", &file, "Bloom filter");
}

#[test]
fn bytes_outside_all_pages() {
    let mut file = parquet(&["20", "20"], properties());
    let tail = file.len() - 8;
    let footer = u32::from_le_bytes(file[tail..tail + 4].try_into().unwrap()) as usize;
    file.splice(tail - footer..tail - footer, *b"Bob has HIV");
    planted("p.parquet", &file, "outside all pages");
}

/// Bob was in the data when the dictionary was made; the one record that used his entry says 20 now.
#[test]
fn an_entry_of_a_dictionary_that_no_record_uses() {
    for (statistics, what) in [
        (EnabledStatistics::None, "entries of the dictionary that no record uses"),
        (EnabledStatistics::Chunk, "least or greatest value"),
    ] {
        let mut file = parquet(&["20", "Bob"], properties().set_statistics_enabled(statistics));
        // Entries of one bit, a run of eight of them: the second value is the second entry.
        let at: Vec<usize> = (0..file.len() - 2).filter(|&at| file[at..at + 3] == [1, 3, 2]).collect();
        let [at] = at[..] else { panic!("{at:?}") };
        file[at + 2] = 0;
        planted("p.parquet", &file, what);
    }
}

#[test]
fn our_own_files_hold_nothing_but_data() {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    let rows: String = (0..40).map(|i| format!("{},ill {}\n", 20 + i % 7, i % 5)).collect();
    project.write("in.csv", format!("age,illness\n{rows}"));
    for name in ["out.csv", "out.csv.gz", "out.csv.zst", "out.parquet"] {
        project
            .shoal(&["run", "policy.toml", "-o", name, "--report", &format!("{name}.report")])
            .ended_with(0);
        project.shoal(&["verify", name, "--policy", "policy.toml", "--strict"]).ended_with(0);
    }
    let packed = project.bytes("out.csv.gz");
    // No flags, so no fields, and no time; and nothing after the first member.
    assert_eq!(packed[..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    let mut member = flate2::bufread::GzDecoder::new(&packed[..]);
    let mut text = String::new();
    member.read_to_string(&mut text).unwrap();
    assert_eq!((text, member.into_inner()), (project.read("out.csv"), &[][..]));
    let packed = project.bytes("out.csv.zst");
    assert_eq!(zstd::decode_all(&packed[..]).unwrap(), project.bytes("out.csv"));
    let skippable = |bytes: &[u8]| bytes[0] & 0xf0 == 0x50 && bytes[1..] == [0x2a, 0x4d, 0x18];
    assert!(!packed.windows(4).any(skippable));
    let file = project.bytes("out.parquet");
    for text in ["ARROW:schema", "parquet-rs", "in.csv"] {
        assert!(!file.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "{text}");
    }
}

/// Who is left out leaves nothing: no entry, no least or greatest value, not even the type of the value.
#[test]
fn a_record_that_is_left_out_leaves_nothing_in_the_file() {
    let project = TestProject::new();
    project.write(
        "policy.toml",
        POLICY.replace("kind = \"integer\"", "kind = \"integer\"\nmissing = \"suppress\""),
    );
    let rows: String = (0..22).map(|i| format!("{},{}\n", 20 + i / 5, 100 + i % 3)).collect();
    let mut files = Vec::new();
    for (name, secret) in [("one.parquet", "Zebra"), ("two.parquet", "999")] {
        project.write("in.csv", format!("age,illness\n{rows},{secret}\n"));
        project
            .shoal(&["run", "policy.toml", "-o", name, "--report", &format!("{name}.report")])
            .ended_with(0);
        files.push(project.bytes(name));
    }
    assert!(files[0] == files[1], "whether it was a number or a text does not show");
}
