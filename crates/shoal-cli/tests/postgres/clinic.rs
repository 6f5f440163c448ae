//! A server with a table of people, somebody who may read it and publish beside it, and a policy.

use std::process::{Command, Stdio};

use shoal_testkit::postgres::PostgresServer;

use crate::project::{CommandOutput, TestProject};

/// Ann's password. It must never be seen anywhere.
pub(crate) const PASSWORD: &str = "pencil-4711-open";

pub(crate) struct Clinic {
    pub(crate) server: PostgresServer,
    pub(crate) project: TestProject,
}

/// People with values of many types; `born` has nulls, and `note` what text formats trip over.
const PEOPLE: &str = r#"
create role ann login password 'pencil-4711-open';
create schema research authorization ann;
create table people as select
    i as id,
    'Person ' || i as name,
    20 + (i * 7919) % 60 as age,
    (array['f', 'm'])[1 + (i * 31) % 2]::char(3) as sex,
    (53700 + (i * 13) % 9)::text as zip,
    (array['flu', 'cold', 'cough', 'none'])[1 + (i * 17) % 4] as illness,
    case when i % 5 > 0 then date '1950-01-01' + (i * 37) % 15000 end as born,
    ((i * 271) % 900 / 10.0)::numeric(5, 2) as weight,
    i % 3 = 0 as smoker,
    (array[E'plain', E'tab\there', E'line\nbreak', E'back\\slash', E'\\N', '', ' "quoted", ', 'ümläut'])[1 + i % 8] as note
from generate_series(1, PEOPLE) as i;
grant select on people to ann;
"#;

/// What all tests promise about them.
pub(crate) const COLUMNS: &str = r#"
[columns.id]
role = "identifier"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
[columns.zip]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[columns.born]
role = "insensitive"
kind = "date"
[columns.weight]
role = "insensitive"
kind = "decimal"
[columns.smoker]
role = "insensitive"
[columns.note]
role = "insensitive"

[privacy]
k = 3

[algorithm]
name = "mondrian"
"#;

impl Clinic {
    /// A server with so many people, and `policy.toml` from their table into the table `research.people_k3`.
    pub(crate) fn of(people: usize) -> Clinic {
        let server = PostgresServer::start();
        server.sql(&PEOPLE.replace("PEOPLE", &people.to_string()));
        let clinic = Clinic { server, project: TestProject::empty() };
        let address = clinic.address();
        clinic.write_policy(
            &format!("source = \"{address}\"\nquery = \"select * from people\""),
            &format!("path = \"{address}\"\ntable = \"research.people_k3\""),
        );
        clinic
    }

    /// Ann's way to the database, without her password.
    pub(crate) fn address(&self) -> String {
        format!("postgres://ann@127.0.0.1:{}/postgres", self.server.port())
    }

    pub(crate) fn write_policy(&self, data: &str, output: &str) {
        let text = format!("version = 1\n[data]\nshape = \"table\"\n{data}\n{COLUMNS}\n[output]\n{output}\n");
        self.project.write("policy.toml", text);
    }

    /// Ann calls `shoal`; her password is in the environment.
    pub(crate) fn shoal(&self, args: &[&str]) -> CommandOutput {
        self.shoal_with(args, &[("PGPASSWORD", PASSWORD)])
    }

    /// The same with other variables, and no password. Whatever happens, her password is in nothing that is printed or written.
    pub(crate) fn shoal_with(&self, args: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
        let output = self.command(args, variables).stdin(Stdio::null()).output().unwrap();
        let output = CommandOutput {
            code: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!output.stdout.contains(PASSWORD) && !output.stderr.contains(PASSWORD), "{output:?}");
        output
    }

    pub(crate) fn command(&self, args: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = self.project.command(args);
        let of_postgres = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG"));
        for (name, _) in of_postgres {
            command.env_remove(name);
        }
        // Neither the password file nor the certificates of whoever runs the tests.
        command.env("HOME", self.project.path("home")).env("USER", "nobody");
        command.envs(variables.iter().copied());
        command
    }

    /// Fails the test unless the server has nothing but the people and what tests have made themselves: no table of a release, and none that
    /// a release was written to; and unless no file of a release is there.
    #[track_caller]
    pub(crate) fn nothing_was_published(&self) {
        let tables =
            "select string_agg(relname, ' ') from pg_class where relname ~ 'staged|k3' and relkind = 'r'";
        assert_eq!(self.server.sql(tables), "");
        assert!(!self.project.exists("research.people_k3.report"));
    }
}
