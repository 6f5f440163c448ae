//! What `shoal init` would propose for real tables.

use shoal_core::{Kind, PolicyDocument, Role};
use shoal_pipeline::propose::{ColumnProposal, Proposal, Source, propose};

const SAMPLE: usize = 10_000;

/// What is proposed for a file of the public data sets, from its first records.
fn proposal(file: &str, separator: char, names: &[&str]) -> Proposal {
    let path = shoal_testkit::data::public(file);
    let mut source = shoal_io::Source::new(path.to_str().unwrap());
    source.csv.separator = separator as u8;
    if !names.is_empty() {
        source.csv = source.csv.without_header(names.iter().copied());
    }
    let sample = shoal_io::sample(&source, SAMPLE, &shoal_core::Silent).unwrap();
    let source = Source {
        location: file.to_owned(),
        separator: Some(separator),
        header: names.is_empty(),
        rows: None,
        policy: "policy.toml".to_owned(),
    };
    propose(&sample, source)
}

fn column<'a>(proposal: &'a Proposal, name: &str) -> &'a ColumnProposal {
    proposal.columns.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no column {name}"))
}

#[track_caller]
fn expect(proposal: &Proposal, expected: &[(&str, Role, Kind)]) {
    for (name, role, kind) in expected {
        let column = column(proposal, name);
        assert_eq!((column.role, column.kind), (*role, *kind), "{name}: {}", column.reason);
    }
}

/// The emitted policy is accepted, and says of every column what the proposal says.
fn accepted(proposal: &Proposal) -> String {
    let text = proposal.to_toml();
    let document = PolicyDocument::parse(&text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let policy = document.policy();
    assert_eq!(policy.columns.len(), proposal.columns.len());
    for (proposed, (name, column)) in proposal.columns.iter().zip(&policy.columns) {
        assert_eq!(&proposed.name, name);
        assert_eq!(
            (proposed.role, proposed.kind, &proposed.format),
            (column.role, column.kind, &column.format)
        );
        assert!(!proposed.reason.is_empty() && !proposed.facts.is_empty());
    }
    text
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn adult_as_arx_has_it() {
    use Role::{QuasiIdentifier as Qi, Sensitive};
    let proposal = proposal("adult/adult_arx_30162.csv.gz", ';', &[]);
    expect(
        &proposal,
        &[
            ("sex", Qi, Kind::Text),
            ("age", Qi, Kind::Integer),
            ("race", Qi, Kind::Text),
            ("marital-status", Qi, Kind::Text),
            ("education", Qi, Kind::Text),
            ("native-country", Qi, Kind::Text),
            ("workclass", Qi, Kind::Text),
            ("occupation", Qi, Kind::Text),
            ("salary-class", Sensitive, Kind::Text),
        ],
    );
    let text = accepted(&proposal);
    assert!(
        text.contains("--column age --kind intervals --widths 5,10,20,40 -o age.hierarchy.csv"),
        "{text}"
    );
    assert!(text.contains("separator = \";\"") && text.contains("k = 10"), "{text}");
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn adult_without_a_header() {
    let names: Vec<String> = (1..=15).map(|i| format!("column-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let proposal = proposal("adult/adult.data.gz", ',', &names);
    expect(
        &proposal,
        &[
            ("column-1", Role::QuasiIdentifier, Kind::Integer),
            ("column-2", Role::QuasiIdentifier, Kind::Text),
            ("column-10", Role::QuasiIdentifier, Kind::Text),
        ],
    );
    assert_eq!(column(&proposal, "column-2").missing_tokens, ["?"]);
    let text = accepted(&proposal);
    assert!(text.contains("header = false") && text.contains("names = [\"column-1\", "), "{text}");
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn diabetes_encounters() {
    use Role::{Identifier, QuasiIdentifier as Qi, Sensitive};
    let proposal = proposal("diabetes130/diabetic_data.csv.gz", ',', &[]);
    expect(
        &proposal,
        &[
            ("encounter_id", Identifier, Kind::Text),
            ("patient_nbr", Identifier, Kind::Integer),
            ("race", Qi, Kind::Text),
            ("gender", Qi, Kind::Text),
            ("age", Qi, Kind::Text),
            ("admission_type_id", Qi, Kind::Text),
            ("time_in_hospital", Qi, Kind::Integer),
            ("diag_1", Sensitive, Kind::Text),
            ("insulin", Sensitive, Kind::Text),
            ("readmitted", Sensitive, Kind::Text),
        ],
    );
    assert!(column(&proposal, "weight").facts.contains("missing"));
    assert_eq!(proposal.person.as_deref(), Some("patient_nbr"));
    accepted(&proposal);
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn hospital_visits() {
    use Role::{Identifier, QuasiIdentifier as Qi, Sensitive};
    let proposal = proposal("synpuf/synpuf_inpatient_visits_s01-10.csv.gz", ',', &[]);
    expect(
        &proposal,
        &[
            ("patient_id", Identifier, Kind::Text),
            ("birth_year", Qi, Kind::Integer),
            ("sex", Qi, Kind::Text),
            ("race", Qi, Kind::Text),
            ("state", Qi, Kind::Text),
            ("county", Qi, Kind::Text),
            ("admission_date", Qi, Kind::Date),
            ("discharge_date", Qi, Kind::Date),
            ("primary_icd9", Sensitive, Kind::Text),
            ("payment", Sensitive, Kind::Decimal),
            ("icd9_all", Identifier, Kind::Text),
        ],
    );
    let admission = column(&proposal, "admission_date");
    assert_eq!(admission.format.as_deref(), Some("%Y%m%d"));
    assert!(column(&proposal, "patient_id").reason.contains("several records"));
    let text = accepted(&proposal);
    assert!(text.contains("--column admission_date --kind dates --steps month,quarter,year"), "{text}");
    assert!(!text.contains("0000EC65FBF94AB8"), "a value of an identifier");
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn amounts_of_money() {
    let census = proposal("casc/casc_census_1080.csv", ',', &[]);
    expect(
        &census,
        &[("AGI", Role::QuasiIdentifier, Kind::Integer), ("TAXINC", Role::QuasiIdentifier, Kind::Integer)],
    );
    accepted(&census);
    let eia = proposal("casc/casc_eia_4092.csv", ',', &[]);
    expect(
        &eia,
        &[("STATE", Role::QuasiIdentifier, Kind::Text), ("MONTH", Role::QuasiIdentifier, Kind::Integer)],
    );
    accepted(&eia);
    let companies = proposal("casc/casc_tarragona_834.csv", ',', &[]);
    expect(&companies, &[("FIXED.ASSETS", Role::QuasiIdentifier, Kind::Integer)]);
    assert!(column(&companies, "FIXED.ASSETS").reason.contains("in ranges"), "hardly any amount repeats");
    accepted(&companies);
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn charging_sessions() {
    use Role::{Identifier, QuasiIdentifier as Qi};
    let proposal = proposal("ev_charging/boulder_ev_charging.csv.gz", ',', &[]);
    expect(
        &proposal,
        &[
            ("ObjectId", Identifier, Kind::Text),
            ("Station_Name", Qi, Kind::Text),
            ("Address", Qi, Kind::Text),
            ("Zip_Postal_Code", Qi, Kind::Text),
            ("Start_Date___Time", Qi, Kind::Date),
            ("Energy__kWh_", Qi, Kind::Decimal),
        ],
    );
    let start = column(&proposal, "Start_Date___Time");
    assert_eq!((start.format.as_deref(), &start.note), (Some("%m/%d/%Y %H:%M"), &None));
    accepted(&proposal);
}
