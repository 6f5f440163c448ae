//! Files as people have them, from `init` to a verified release.

use crate::project::{PEOPLE, TestProject};

/// `init`, `check`, `run` and `verify` without an edit; gives what `init` said.
fn whole_way(project: &TestProject, data: &str) -> String {
    let said = project.shoal(&["init", data, "--force"]).ended_with(0);
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--force"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--original", data]).ended_with(0);
    said.stdout
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The text with one byte a character.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

#[test]
fn other_encodings_are_found_out_and_said() {
    let project = TestProject::empty();
    let people = PEOPLE.replace("Ann", "Änne");
    project.write("plain.csv", &people);
    whole_way(&project, "plain.csv");
    let expected = project.read("out.csv");

    std::fs::write(project.path("wide.csv"), utf16(&people)).unwrap();
    let said = whole_way(&project, "wide.csv");
    assert!(
        said.contains("note: the file begins with its byte order mark, so the text is taken for utf-16le"),
        "{said}"
    );
    assert_eq!(project.read("out.csv"), expected);

    std::fs::write(project.path("old.csv"), latin1(&people)).unwrap();
    let said = whole_way(&project, "old.csv");
    assert!(said.contains("reads `Änne` so, so the text is taken for windows-1252"), "{said}");
    assert!(project.read("policy.toml").contains("encoding = \"windows-1252\"  # line 2"));
    assert_eq!(project.read("out.csv"), expected);
    let check = project.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(check.contains("read as windows-1252; what is published is UTF-8"), "{check}");

    let wrong = project.shoal(&["check", "policy.toml", "--set", "data.encoding=latin-9000"]).ended_with(2);
    assert!(wrong.stderr.contains("the encoding \"latin-9000\" is not known"), "{}", wrong.stderr);
}

/// The people as JSON objects, ages as numbers.
fn objects() -> Vec<String> {
    let mut lines = PEOPLE.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let member = |(name, value): (&&str, &str)| match *name {
        "age" => format!("\"{name}\": {value}"),
        _ => format!("\"{name}\": \"{value}\""),
    };
    lines
        .map(|values| format!("{{{}}}", names.iter().zip(values).map(member).collect::<Vec<_>>().join(", ")))
        .collect()
}

/// An Excel workbook with the people on its first sheet.
fn workbook() -> Vec<u8> {
    use std::io::Write;
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let cell = |(column, value): (usize, &str)| match value.parse::<f64>() {
        Ok(_) => format!("<c r=\"{}%\"><v>{value}</v></c>", char::from(b'A' + column as u8)),
        Err(_) => format!(
            "<c r=\"{}%\" t=\"inlineStr\"><is><t>{value}</t></is></c>",
            char::from(b'A' + column as u8)
        ),
    };
    let row = |(number, line): (usize, &str)| {
        let cells: String = line.split(',').enumerate().map(cell).collect();
        format!("<row r=\"{}\">{}</row>", number + 1, cells.replace('%', &(number + 1).to_string()))
    };
    let people: String = PEOPLE.lines().enumerate().map(row).collect();
    let other = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
    let sheet = |data: &str| format!("<worksheet {main}><sheetData>{data}</sheetData></worksheet>");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("[Content_Types].xml", "<Types/>".to_owned()),
        (
            "xl/workbook.xml",
            format!(
                "<workbook {main} xmlns:r=\"{relations}\"><sheets><sheet name=\"People\" sheetId=\"1\" r:id=\"a\"/><sheet name=\"Legend\" sheetId=\"2\" r:id=\"b\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships><Relationship Id=\"a\" Type=\"{relations}/worksheet\" Target=\"worksheets/1.xml\"/><Relationship Id=\"b\" Type=\"{relations}/worksheet\" Target=\"worksheets/2.xml\"/></Relationships>"
            ),
        ),
        ("xl/worksheets/1.xml", sheet(&people)),
        ("xl/worksheets/2.xml", sheet(other)),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn every_format_leads_to_the_same_release() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    whole_way(&project, "people.csv");
    let expected = project.read("out.csv");
    project.write("people.ndjson", objects().join("\n"));
    project.write("people.json", format!("[{}]", objects().join(",\n")));
    project.write("people.xlsx", workbook());
    for data in ["people.ndjson", "people.json", "people.xlsx"] {
        let said = whole_way(&project, data);
        assert_eq!(project.read("out.csv"), expected, "{data}");
        assert_eq!(
            said.contains("note: only the first sheet, `People`, is read"),
            data == "people.xlsx",
            "{said}"
        );
    }
    let check = project.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(check.contains("`Legend`"), "{check}");
    // The name of a sheet is not for others to read.
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--force", "--report", "report"]).ended_with(0);
    assert!(!project.read("report/report.json").contains("Legend"));
    let said = project.shoal(&["init", "people.xlsx", "--sheet", "Nobody", "--force"]).ended_with(2);
    assert!(
        said.stderr.contains("there is no sheet `Nobody`; there are `People`, `Legend`"),
        "{}",
        said.stderr
    );
}

#[test]
fn formats_that_are_not_written_are_refused_before_the_work() {
    let project = TestProject::with_people();
    for name in ["out.xlsx", "out.json", "out.arrow", "out.db", "out.json.gz"] {
        let said = project.shoal(&["run", "policy.toml", "-o", name]).ended_with(2);
        assert!(said.stderr.contains("published data is not written as"), "{}", said.stderr);
        assert!(said.stderr.contains(".csv or .parquet"), "{}", said.stderr);
        let said = project.shoal(&["verify", name, "--policy", "policy.toml"]).ended_with(2);
        assert!(said.stderr.contains("no CSV or Parquet file"), "{}", said.stderr);
    }
    for name in
        ["out.ods", "out.xls", "out.zip", "out.sav", "out.DTA", "out.pdf", "out.html", "out.avro", "out.orc"]
    {
        let said = project.shoal(&["run", "policy.toml", "-o", name]).ended_with(2);
        assert!(said.stderr.contains("published data is not written as"), "{}", said.stderr);
        assert!(said.stderr.contains(".csv or .parquet") && !project.exists(name), "{}", said.stderr);
    }
}

#[test]
fn a_name_that_says_packed_where_nothing_is_is_no_damage() {
    let project = TestProject::with_people();
    for (name, packing) in [("people.csv.gz", "gzip"), ("people.csv.zst", "Zstandard")] {
        project.write(name, PEOPLE);
        let plain = format!("{name}: this is not packed by {packing}, as its name says: it is plain text");
        for args in [
            &["init", name, "--force"][..],
            &["check", "policy.toml", "--set", &format!("data.source={name}")],
        ] {
            let said = project.shoal(args).ended_with(2);
            assert!(
                said.stderr.contains(&plain) && said.stderr.contains("e.g. people.csv"),
                "{}",
                said.stderr
            );
        }
    }
    // The other way round, and packed in another way.
    let packed = zstd::encode_all(PEOPLE.as_bytes(), 1).unwrap();
    project.write("people.csv.gz", &packed);
    let said = project.shoal(&["init", "people.csv.gz", "--force"]).ended_with(2);
    assert!(
        said.stderr.contains("it is packed by Zstandard") && said.stderr.contains(".zst"),
        "{}",
        said.stderr
    );
    // What begins as it should and then ends is damaged.
    project.write("people.csv.zst", &packed[..packed.len() / 2]);
    let said = project.shoal(&["init", "people.csv.zst", "--force"]).ended_with(2);
    assert!(said.stderr.contains("the Zstandard data is damaged"), "{}", said.stderr);
}

#[test]
fn other_formats_are_named_with_the_way_out() {
    let project = TestProject::empty();
    for (name, bytes, is, way) in [
        ("people.csv", &b"%PDF-1.7\n\0"[..], "this is a PDF document", "the data itself"),
        ("people.csv", b"\x1f\x8b\x08\0\0", "this is packed by gzip", "end in .gz"),
        ("people.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "old Excel", "save it as .xlsx"),
        ("people.csv", b"SQLite format 3\0\0", "this is a SQLite database", "end in .db"),
        ("people.xlsx", b"a;b\n1;2\n", "this is plain text", ".csv"),
        ("people.rds", b"\x1f\x8b\x08\0\0", "this is a file of R (.rds)", "write.csv(readRDS"),
        ("people.dta", b"\x73\x02\x01\0", "this is a Stata file (.dta)", "export delimited"),
        ("people.sav", b"$FL2@(#) SPSS\0", "this is an SPSS file (.sav)", "Export"),
        ("people.zip", b"PK\x03\x04\x14\0\0\0people.csv", "this is a ZIP archive", "unpack it"),
        ("people.avro", b"Obj\x01\x04", "this is an Avro file", "write_parquet"),
        ("people.orc", b"ORC\x0a\0", "this is an ORC file", "to_parquet"),
    ] {
        project.write(name, bytes);
        let said = project.shoal(&["init", name]).ended_with(2);
        assert!(said.stderr.contains(is) && said.stderr.contains(way), "{}", said.stderr);
    }
}

#[test]
fn the_commands_that_init_prints_can_be_copied() {
    use std::io::Write;
    let project = TestProject::empty();
    let tuples: String =
        (0..1300).map(|n| format!("{{\"age\":{},\"illness\":\"i{}\"}}\n", n % 60, n % 7)).collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(tuples.as_bytes()).unwrap();
    project.write("my events.ndjson.gz", packer.finish().unwrap());
    let said = project
        .shoal(&["init", "my events.ndjson.gz", "--shape", "stream", "-o", "my policy.toml"])
        .ended_with(0);
    let commands: Vec<&str> = said
        .stdout
        .lines()
        .filter_map(|line| line.trim().get(3..))
        .filter(|c| c.contains("shoal "))
        .collect();
    assert_eq!(
        commands,
        [
            "shoal check 'my policy.toml'",
            "gzip -dc 'my events.ndjson.gz' | shoal stream 'my policy.toml' > published"
        ]
    );
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_shoal")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    // As it is proposed, a value is hidden among more than there are.
    let text = project.read("my policy.toml");
    let l = text.lines().find(|line| line.starts_with("l = ")).unwrap().to_owned();
    project.write("my policy.toml", text.replace(&l, "l = 3"));
    for command in commands {
        let mut shell = std::process::Command::new("sh");
        let ended =
            shell.args(["-c", command]).current_dir(project.path("")).env("PATH", &path).output().unwrap();
        assert!(ended.status.success(), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(project.read("published").lines().count(), 300);
}

#[test]
fn decimal_commas_are_found_out_and_published_with_points() {
    let project = TestProject::empty();
    let with = |point: &str, separator: &str| {
        let mut text = PEOPLE.replace("illness", "weight").replace("flu", &format!("81{point}5"));
        text = text.replace("cold", &format!("1064{point}25")).replace("cough", "70");
        text.replace(',', separator).replace('@', ",")
    };
    project.write("points.csv", with(".", ";"));
    // As a German Excel writes it.
    project.write("commas.csv", with("@", ";").replace("1064,25", "1.064,25"));
    whole_way(&project, "points.csv");
    let expected = project.read("out.csv");
    assert!(expected.contains('.'), "{expected}");
    let said = whole_way(&project, "commas.csv");
    assert!(said.contains("note: `81,5` in column `weight` has a decimal comma"), "{said}");
    assert!(project.read("policy.toml").contains("decimal = \",\"  # `81,5`"));
    assert_eq!(project.read("out.csv"), expected);
    let check = project.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(check.contains("published with a decimal point"), "{check}");
    project.write("commas.csv", with(".", ";"));
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("`81.5` has a decimal point"), "{}", said.stderr);
}

#[test]
fn parquet_has_numbers_where_all_of_a_column_are_published_exactly() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let project = TestProject::with_people();
    let types = |ages: &[&str]| {
        let rows: String = (0..12).map(|n| format!("p{n},{},f,53715,flu\n", ages[n % ages.len()])).collect();
        project.write("people.csv", format!("name,age,sex,zip,illness\n{rows}"));
        project.shoal(&["run", "policy.toml", "-o", "out.parquet", "--force"]).ended_with(0);
        project.shoal(&["verify", "out.parquet", "--policy", "policy.toml", "--strict"]).ended_with(0);
        let file = std::fs::File::open(project.path("out.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        schema
            .columns()
            .iter()
            .map(|column| format!("{}: {}", column.name(), column.physical_type()))
            .collect::<Vec<_>>()
    };
    // A text of digits is a text.
    assert_eq!(
        types(&["30", "40"]),
        ["age: INT64", "sex: BYTE_ARRAY", "zip: BYTE_ARRAY", "illness: BYTE_ARRAY"]
    );
    assert_eq!(types(&["30", "31", "40", "41", "50", "51"])[0], "age: BYTE_ARRAY");
}
