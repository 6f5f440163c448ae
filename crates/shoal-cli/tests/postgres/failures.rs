//! What a server can refuse: the error says where, what and how to fix it, and nothing is left behind.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clinic::{Clinic, PASSWORD};

#[test]
fn what_is_wrong_with_the_way_to_the_server_is_said() {
    let clinic = Clinic::of(10);
    let run = ["run", "policy.toml"];
    let error = clinic.shoal_with(&run, &[("PGPASSWORD", "wrong")]).ended_with(2).error();
    assert!(error.contains("password authentication failed for user \"ann\""), "{error}");
    assert!(error.contains(&clinic.address()) && error.contains(".pgpass"), "{error}");

    let with = |from: &str, to: &str| {
        let policy = clinic.project.read("policy.toml");
        clinic.project.write("other.toml", policy.replace(from, to));
        clinic.shoal(&["run", "other.toml"]).ended_with(2).error()
    };
    let error = with("127.0.0.1", "no-such-host.invalid");
    assert!(error.contains("no-such-host.invalid") && error.contains("pg_isready"), "{error}");
    let error = with(&format!(":{}/", clinic.server.port()), ":1/");
    assert!(error.contains("refused") && error.contains("nobody listens there"), "{error}");
    let error = with("/postgres\"", "/nowhere\"");
    assert!(error.contains("database \"nowhere\" does not exist") && error.contains("psql -l"), "{error}");
    let error = with("/postgres\"", "/postgres?sslmode=require\"");
    assert!(error.contains("does not support TLS"), "{error}");
    clinic.nothing_was_published();
}

#[test]
fn a_query_is_one_statement_that_reads() {
    let clinic = Clinic::of(10);
    let query = |query: &str| {
        let source = format!("source = \"{}\"\nquery = '''{query}'''", clinic.address());
        clinic.write_policy(&source, "path = \"out.csv\"");
        let before = clinic.project.everything();
        let error = clinic.shoal(&["run", "policy.toml"]).ended_with(2).error();
        assert_eq!(clinic.project.everything(), before);
        assert!(error.contains(&clinic.address()), "{error}");
        error
    };
    // Ann owns a table that a statement behind the first one could drop, were it run.
    clinic.server.sql("create table research.mine (a int); insert into research.mine values (1); alter table research.mine owner to ann");
    assert!(query("selec * from people").contains("syntax error at or near \"selec\""));
    assert!(query("select * from nowhere").contains("\"nowhere\" does not exist"));
    assert!(query("select name, ages from people").contains("column \"ages\" does not exist"));
    assert!(query("select * from people; drop table research.mine").contains("multiple commands"));
    assert!(query("select 1) to stdout; drop table research.mine; --").contains("syntax error"));
    assert!(query("select * from people where id = $1").contains("parameters"));
    assert!(query("drop table research.mine").contains("gives no records"));
    let writing = "with gone as (delete from research.mine returning *) select * from people, gone";
    let error = query(writing);
    assert!(error.contains("read-only transaction") && error.contains("may only read"), "{error}");
    let error = query("insert into research.mine values (2) returning a");
    assert!(error.contains("read-only transaction"), "{error}");
    let error = query("select set_config('transaction_read_only', 'off', false) as age");
    assert!(
        error.contains("cannot set transaction read-write mode")
            || error.contains("read-write mode must be set"),
        "{error}"
    );
    assert!(query("select nextval('nowhere')").contains("does not exist"));
    assert!(query("").contains("no records"));
    assert_eq!(clinic.server.sql("select array_agg(a) from research.mine"), "{1}");
}

#[test]
fn rights_that_are_missing_are_named_before_the_work() {
    let clinic = Clinic::of(10);
    clinic.server.sql("revoke select on people from ann");
    let error = clinic.shoal(&["run", "policy.toml"]).ended_with(2).error();
    assert!(
        error.contains("permission denied for table people") && error.contains("grant select"),
        "{error}"
    );
    clinic.server.sql("grant select on people to ann; alter schema research owner to postgres");
    clinic.server.sql("grant usage on schema research to ann");
    let error = clinic.shoal(&["run", "policy.toml"]).ended_with(2).error();
    assert!(error.contains("may not create tables in the schema \"research\""), "{error}");
    assert!(!error.contains("reading"), "{error}");
    let plan = clinic.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(plan.contains("could not publish there") && plan.contains("may not create tables"), "{plan}");
    let policy = clinic.project.read("policy.toml");
    clinic.project.write("policy.toml", policy.replace("research.people_k3", "nowhere.people_k3"));
    let error = clinic.shoal(&["run", "policy.toml"]).ended_with(2).error();
    assert!(error.contains("schema \"nowhere\" does not exist"), "{error}");
    // The table of somebody else is not replaced.
    clinic.server.sql("create table research.people_k3 (a int); grant create on schema research to ann");
    clinic.project.write("policy.toml", policy);
    let error = clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(2).error();
    assert!(error.contains("belongs to somebody else"), "{error}");
    clinic.server.sql("drop table research.people_k3; create view research.people_k3 as select 1; alter view research.people_k3 owner to ann");
    let error = clinic.shoal(&["run", "policy.toml", "--force"]).ended_with(2).error();
    assert!(error.contains("is not a table"), "{error}");
}

/// A disk of two megabytes, mounted for the test as root: its pages are really missing.
#[test]
fn a_full_disk_leaves_nothing() {
    let clinic = Clinic::of(60_000);
    let disk = clinic.server.folder().join("small");
    std::fs::create_dir(&disk).unwrap();
    let Some(mounted) = Mounted::at(&disk) else {
        // Containers often forbid it even to root. Said, so that nobody takes it for a test that was run.
        eprintln!("NOT TESTED: a full disk, since no small disk can be mounted here; be root, or let sudo");
        return;
    };
    clinic.server.give_away(&disk);
    clinic.server.sql(&format!("create tablespace small location '{}'", disk.display()));
    clinic.server.sql("grant create on tablespace small to ann");
    let variables = [("PGPASSWORD", PASSWORD), ("PGOPTIONS", "-c default_tablespace=small")];
    let error = clinic.shoal_with(&["run", "policy.toml"], &variables).ended_with(2).error();
    assert!(
        error.contains("cannot write the records") && error.contains("No space left on device"),
        "{error}"
    );
    assert!(error.contains("make room"), "{error}");
    clinic.nothing_was_published();
    // The pages were given back, so that there is room for less.
    let few = "data.query=select * from people where id <= 1000";
    clinic.shoal_with(&["run", "policy.toml", "--set", few], &variables).ended_with(0);
    assert_eq!(clinic.server.sql("select count(*) from research.people_k3"), "1000");
    clinic.server.sql("drop table research.people_k3");
    clinic.server.sql("drop tablespace small");
    drop(mounted);
}

/// A small disk in memory, taken away again at the end of the test.
struct Mounted(PathBuf);

impl Mounted {
    /// None where the machine does not let the test mount anything.
    fn at(folder: &Path) -> Option<Mounted> {
        let done = as_root("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder).status();
        done.is_ok_and(|done| done.success()).then(|| Mounted(folder.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: the server may still have a file of it open.
        let _ = as_root("umount").arg("-l").arg(&self.0).status();
    }
}

fn as_root(program: &str) -> Command {
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        return Command::new(program);
    }
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", program]);
    sudo
}
