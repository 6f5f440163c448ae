//! A release that is a table.

use crate::clinic::Clinic;

#[test]
fn a_published_table_is_the_file_that_the_policy_would_publish() {
    let clinic = Clinic::of(500);
    clinic.write_policy(
        &format!("source = \"{}\"\nquery = \"select * from people\"", clinic.address()),
        "path = \"file.csv\"",
    );
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let address = clinic.address();
    clinic.write_policy(
        &format!("source = \"{address}\"\nquery = \"select * from people\""),
        &format!("path = \"{address}\"\ntable = \"research.people_k3\""),
    );
    let said = clinic.shoal(&["run", "policy.toml"]).ended_with(0).stdout;
    assert!(said.contains(&format!("{address}#research.people_k3")), "{said}");

    // The same records in the same order; only a file cannot tell `t` from true, nor null from nothing.
    let copied = clinic.server.sql("copy (select age, sex, zip, illness, born, weight, smoker::text as smoker, note from research.people_k3) to stdout csv header");
    let copied = format!("{copied}\n").replace(",\"\"\n", ",\n");
    assert_eq!(copied, clinic.project.read("file.csv"));
    let types = clinic.server.sql(
        "select string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position) from information_schema.columns where table_name = 'people_k3'",
    );
    assert_eq!(
        types,
        "age text, sex text, zip text, illness text, born date, weight numeric, smoker boolean, note text"
    );
    assert_eq!(clinic.server.sql("select count(*) from pg_class where relname ~ 'staged'"), "0");

    // The reports lie beside the policy, under the table's name.
    let report = clinic.project.json("research.people_k3.report/report.json");
    let audit = clinic.project.json("research.people_k3.report/audit.json");
    assert_eq!(audit["records-in"], 500);
    assert_eq!(audit["output"], format!("{address}#research.people_k3"));
    assert!(clinic.project.exists("research.people_k3.report/report.html"));
    assert_eq!(report["output-sha256"], digest_by_hand(&clinic, "research.people_k3"));
}

#[test]
fn a_published_table_is_verified_where_it_is() {
    let clinic = Clinic::of(200);
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let address = clinic.address();
    let named = format!("{address}#research.people_k3");
    for published in [&address, &named] {
        let verify = ["verify", published, "--policy", "policy.toml", "--original", &address];
        let said = clinic.shoal(&verify).ended_with(0).stdout;
        assert!(said.contains("research.people_k3"), "{said}");
    }
    let audit = "research.people_k3.report/audit.json";
    clinic.shoal(&["verify", &named, "--policy", audit]).ended_with(0);
    // Somebody stands out.
    clinic.server.sql("update research.people_k3 set age = '99' where ctid = '(0,1)'");
    let said = clinic.shoal(&["verify", &named, "--policy", audit]).ended_with(1).stdout;
    assert!(said.contains("k-anonymity"), "{said}");
    // Others publish, too; whoever verifies needs the name only.
    let error =
        clinic.shoal(&["verify", &format!("{address}#nowhere"), "--policy", audit]).ended_with(2).error();
    assert!(error.contains("\"nowhere\" does not exist"), "{error}");
}

#[test]
fn a_grown_table_is_published_with_the_recoding_of_its_first_release() {
    let clinic = Clinic::of(300);
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let first =
        clinic.server.sql("select md5(string_agg(t::text, '' order by ctid)) from research.people_k3 t");
    // Newcomers who are like those who were there.
    clinic.server.sql(
        "insert into people select id + 300, name || ' junior', age, sex, zip, illness, born, weight, smoker, note from people where id <= 120",
    );
    let grown = format!("{}#research.people_grown", clinic.address());
    let apply = ["apply", "research.people_k3.report", &clinic.address(), "-o", &grown];
    clinic.shoal(&apply).ended_with(0);

    // Counted by the server: everybody is there or was left out, and nobody stands out.
    let report = clinic.project.json("research.people_grown.report/audit.json");
    assert_eq!(report["records-in"], 420);
    let published = clinic.server.sql("select count(*) from research.people_grown");
    assert_eq!(published, report["records-out"].to_string());
    let smallest = "select min(n) >= 3 from (select count(*) as n from research.people_grown group by age, sex, zip) as classes";
    assert_eq!(clinic.server.sql(smallest), "t");
    // Whoever was there is published as before.
    let gone = "select count(*) from (select age, sex, zip from research.people_k3 except select age, sex, zip from research.people_grown) as g";
    assert_eq!(clinic.server.sql(gone), "0");
    let audit = "research.people_grown.report/audit.json";
    clinic.shoal(&["verify", &grown, "--policy", audit]).ended_with(0);
    // The first release is what it was, and is not replaced by a second one.
    let again =
        clinic.server.sql("select md5(string_agg(t::text, '' order by ctid)) from research.people_k3 t");
    assert_eq!(first, again);
    let over = format!("{}#research.people_k3", clinic.address());
    let apply = ["apply", "research.people_k3.report", &clinic.address(), "-o", &over, "--force"];
    clinic.shoal(&apply).ended_with(2);
}

#[test]
fn a_table_is_replaced_only_when_asked_and_never_the_original() {
    let clinic = Clinic::of(100);
    clinic
        .server
        .sql("create table research.people_k3 (something text); alter table research.people_k3 owner to ann");
    let error = clinic.shoal(&["run", "policy.toml"]).ended_with(2).error();
    assert!(error.contains("#research.people_k3") && error.contains("--force"), "{error}");
    // Known before the work, too.
    let plan = clinic.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(plan.contains("a run could not publish there") && plan.contains("#research.people_k3"), "{plan}");
    assert_eq!(
        clinic.server.sql("select count(*) from information_schema.columns where table_name = 'people_k3'"),
        "1"
    );
    clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    assert_eq!(clinic.server.sql("select count(*) from research.people_k3"), "100");

    // What depends on the table would be lost with it.
    clinic.server.sql("create view research.old as select age from research.people_k3");
    let error = clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(2).error();
    assert!(error.contains("other objects depend on it") && error.contains("view"), "{error}");
    assert_eq!(clinic.server.sql("select count(*) from research.old"), "100");

    // A copy that Ann owns, read through a view under another name of the server.
    clinic.server.sql(
        "create table research.mine as select * from people; alter table research.mine owner to ann; \
         create view research.seen as select * from research.mine; grant select on research.seen to ann",
    );
    let address = clinic.address();
    clinic.write_policy(
        &format!("source = \"{}\"\ntable = \"research.seen\"", address.replace("127.0.0.1", "localhost")),
        &format!("path = \"{address}\"\ntable = \"research.mine\""),
    );
    let error = clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(2).error();
    assert!(error.contains("the original would be overwritten"), "{error}");
    assert_eq!(clinic.server.sql("select count(name) from research.mine"), "100");
}

/// Somebody puts another table there while the run is at work: it was not looked at, so it stays.
#[test]
fn a_table_that_somebody_else_has_put_there_meanwhile_is_not_dropped() {
    let clinic = Clinic::of(100);
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    // When the run has staged its table, the one with the name is replaced by another.
    clinic.server.sql(
        "create function replace_it() returns event_trigger language plpgsql security definer as $$ begin
           if exists (select 1 from pg_event_trigger_ddl_commands() where object_identity ~ 'shoal_staged') then
             drop table research.people_k3; execute 'create table research.people_k3 (theirs text)'; end if; end $$;
         create event trigger replace_it on ddl_command_end when tag in ('CREATE TABLE') execute function replace_it();",
    );
    let error = clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(2).error();
    assert!(error.contains("somebody else has replaced the table meanwhile"), "{error}");
    assert_eq!(clinic.server.sql("select count(*) from research.people_k3"), "100");
    clinic.server.sql("drop event trigger replace_it");
    clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
}

/// Row security hides records from a reader, who would find that the rest keeps the promise.
#[test]
fn a_table_that_its_reader_sees_only_a_part_of_is_not_verified() {
    let clinic = Clinic::of(200);
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    let named = format!("{}#research.people_k3", clinic.address());
    let verify = ["verify", &named, "--policy", "research.people_k3.report/audit.json"];
    clinic.shoal(&verify).ended_with(0);
    clinic.server.sql(
        "insert into research.people_k3 (age, sex, zip, illness) values ('99', 'f', '1', 'flu');
         alter table research.people_k3 owner to postgres; grant select on research.people_k3 to ann;
         alter table research.people_k3 enable row level security; create policy most on research.people_k3 using (age <> '99')",
    );
    let error = clinic.shoal(&verify).ended_with(2).error();
    assert!(error.contains("row-level security"), "{error}");
}

#[test]
fn a_promise_that_cannot_be_kept_leaves_no_table() {
    let clinic = Clinic::of(20);
    clinic.shoal(&["run", "policy.toml", "--set", "privacy.k=30"]).ended_with(1);
    clinic.nothing_was_published();

    // A server that changes what it is given: every table gets a trigger that makes one record stand out.
    clinic.server.sql(
        "create function stand_out() returns trigger language plpgsql as $$ begin if new.illness = 'flu' then new.age = '99'; end if; return new; end $$;
         create function tamper() returns event_trigger language plpgsql security definer as $$ begin
           execute (select format('create trigger stand_out before insert on %s for each row execute function stand_out()', object_identity)
                    from pg_event_trigger_ddl_commands() where object_type = 'table' limit 1); end $$;
         create event trigger tamper on ddl_command_end when tag in ('CREATE TABLE') execute function tamper();",
    );
    let error = clinic.shoal(&["run", "policy.toml"]).ended_with(1).error();
    assert!(error.contains("99"), "{error}");
    clinic.nothing_was_published();
    clinic.server.sql("drop event trigger tamper");
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
    assert_eq!(clinic.server.sql("select count(*) from research.people_k3"), "20");
}

/// The digest as docs/postgresql.md says that anybody can compute it.
fn digest_by_hand(clinic: &Clinic, table: &str) -> String {
    let text = clinic
        .server
        .sql(&format!("set timezone to 'UTC'; copy (select * from {table}) to stdout with (header)"));
    let bytes = |hex: String| -> Vec<u8> {
        (0..64).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    let mut lines = text.split('\n').map(|line| bytes(shoal_io::sha256_hex(format!("{line}\n").as_bytes())));
    let names = lines.next().unwrap();
    let mut lines: Vec<Vec<u8>> = lines.collect();
    lines.sort();
    lines.insert(0, names);
    shoal_io::sha256_hex(&lines.concat())
}
