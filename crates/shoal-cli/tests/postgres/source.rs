//! What a query gives is read like a file.

use crate::clinic::Clinic;

/// Everything as text, so that a CSV file says the same.
const AS_CSV: &str = "select id, name, age, trim(sex) as sex, zip, illness, born, weight, smoker::text as smoker, note from people";

#[test]
fn a_query_gives_the_release_of_a_file_with_the_same_records() {
    let clinic = Clinic::of(500);
    let source = format!("source = \"{}\"\n", clinic.address());
    clinic.project.write("people.csv", clinic.server.sql(&format!("copy ({AS_CSV}) to stdout csv header")));
    clinic.write_policy("source = \"people.csv\"\ntrim = false", "path = \"file.csv\"");
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let expected = clinic.project.read("file.csv");
    assert_eq!(expected.lines().next().unwrap(), "age,sex,zip,illness,born,weight,smoker,note");

    // In whatever order, with a semicolon or a comment at the end, from a table, or from a view.
    clinic.server.sql("create view everybody as select * from people; grant select on everybody to ann");
    let asked = [
        "query = \"select * from people\"",
        "query = \"select * from people order by random();\"",
        "query = '''\nselect * from people -- all of them'''",
        "query = \"with p as (select * from people) table p\"",
        "table = \"people\"",
        "table = '\"public\".\"people\"'",
        "table = \"Everybody\"",
    ];
    for query in asked {
        clinic.write_policy(&format!("{source}{query}"), "path = \"database.csv\"");
        clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
        assert_eq!(clinic.project.read("database.csv"), expected, "{query}");
    }

    // The file is true of what the database holds, and the other way round.
    let address = clinic.address();
    let verify = ["verify", "file.csv", "--policy", "policy.toml", "--original", &address];
    assert!(clinic.shoal(&verify).ended_with(0).stdout.contains("500 records"));
    clinic.shoal(&["measure", &address, "file.csv", "--policy", "policy.toml"]).ended_with(0);
    clinic.shoal(&["attack", &address, "file.csv", "--policy", "policy.toml"]).ended_with(0);
    clinic.shoal(&["explain", "file.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn check_and_init_read_a_database_and_compare_says_that_it_does_not() {
    let clinic = Clinic::of(200);
    let plan = clinic.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(plan.contains("200") && plan.contains("#research.people_k3"), "{plan}");
    assert_eq!(clinic.server.sql("select count(*) from pg_class where relname ~ 'k3'"), "0");
    assert!(!plan.contains("could not publish"), "{plan}");

    let address = clinic.address();
    let init =
        ["init", &address, "--query", "select age, sex, zip, illness from people", "-o", "proposed.toml"];
    clinic.shoal(&init).ended_with(0);
    let proposed = clinic.project.read("proposed.toml");
    assert!(proposed.contains(&format!("source = \"{address}\"\nquery = \"select age")), "{proposed}");
    assert!(proposed.contains("[columns.age]"), "{proposed}");
    clinic.shoal(&["check", "proposed.toml"]).ended_with(0);

    let error = clinic.shoal(&["compare", "policy.toml", "--vary", "k=2,3"]).ended_with(2).error();
    assert!(
        error.contains("reads files, and the source is a database") && error.contains("csv header"),
        "{error}"
    );
}

#[test]
fn values_keep_their_types() {
    let clinic = Clinic::of(3);
    let query = "select 1::smallint as small, 10000000000 as big, 1.50::numeric as exact, 1e-5::float8 as float, true as yes, \
         date '2026-01-31' as day, timestamp '2026-01-31 10:00:00.5' as moment, timestamptz '2026-01-31 10:00+02' as instant, \
         'ab'::char(5) as padded, null::int as nothing, '' as empty, interval '1 day 2 hours' as span, \
         'a4b0c1d2-0000-4000-8000-000000000000'::uuid as code from people";
    clinic.project.write(
        "policy.toml",
        format!(
            "version = 1\nprivacy.k = 3\n[data]\nshape = \"table\"\nsource = \"{}\"\nquery = \"{query}\"\n[output]\npath = \"out.csv\"\n",
            clinic.address()
        ) + &["small", "big", "exact", "float", "yes", "day", "moment", "instant", "padded", "nothing", "empty", "span", "code"]
            .map(|name| format!("[columns.{name}]\nrole = \"insensitive\"\n"))
            .join("")
            .replacen("insensitive", "quasi-identifier\"\nkind = \"integer", 1),
    );
    // A set of zones and styles that the server would follow.
    clinic
        .server
        .sql("alter role ann set timezone to 'Asia/Tokyo'; alter role ann set datestyle to 'German'");
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let published = clinic.project.read("out.csv");
    let expected = "1,10000000000,1.50,0.00001,true,2026-01-31,2026-01-31T10:00:00.500,2026-01-31T08:00:00Z,ab,,,P1DT2H,a4b0c1d2-0000-4000-8000-000000000000";
    assert_eq!(published.lines().nth(1).unwrap(), expected);
    assert_eq!(published.lines().count(), 4);

    // What has no text that would mean anything is refused, unless nobody wants it.
    for (kind, value) in [("bytea", "'\\\\x00'::bytea"), ("_int4", "array[1, 2]")] {
        let query = format!("select 1::smallint as small, {value} as big from people");
        let policy = format!(
            "version = 1\nprivacy.k = 3\n[data]\nshape = \"table\"\nsource = \"{}\"\nquery = \"{query}\"\n\
             [columns.small]\nrole = \"quasi-identifier\"\n[columns.big]\nrole = \"insensitive\"\n[output]\npath = \"b.csv\"\n",
            clinic.address()
        );
        clinic.project.write("bytes.toml", &policy);
        let error = clinic.shoal(&["run", "bytes.toml"]).ended_with(2).error();
        assert!(error.contains("big") && error.contains(kind), "{error}");
    }
}

#[test]
fn arrays_are_transactions() {
    let clinic = Clinic::of(1);
    clinic.server.sql(
        "create table baskets as select i as id, case when i % 2 = 0 then array['bread', 'milk, fresh', null] else array['bread', 'wine'] end as items \
         from generate_series(1, 40) as i; grant select on baskets to ann",
    );
    let address = clinic.address();
    let policy = format!(
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"{address}\"\ntable = \"baskets\"\nitems = \"items\"\n\
         [columns.id]\nrole = \"identifier\"\n[privacy]\nk = 5\nm = 2\n[output]\npath = \"{address}\"\ntable = \"research.baskets_k5\"\n"
    );
    clinic.project.write("policy.toml", policy);
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let counted =
        clinic.server.sql("select items::text, count(*) from research.baskets_k5 group by 1 order by 1");
    assert_eq!(counted, "{bread,\"milk, fresh\"}|20\n{bread,wine}|20");
    clinic.shoal(&["verify", &address, "--policy", "policy.toml"]).ended_with(0);
}
