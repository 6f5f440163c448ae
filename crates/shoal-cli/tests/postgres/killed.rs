//! Clients and servers that are killed in the middle of a release: the server undoes what was not committed.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::clinic::{Clinic, PASSWORD};

/// Every table that is made gets a trigger that waits at each record, so that a release is being written for as long as a test wants.
const SLOW: &str = "
create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.01); return new; end $$;
create function slow_down() returns event_trigger language plpgsql security definer as $$ begin
  execute (select format('create trigger wait before insert on %s for each row execute function wait()', object_identity)
           from pg_event_trigger_ddl_commands() where object_type = 'table' limit 1); end $$;
create event trigger slow_down on ddl_command_end when tag in ('CREATE TABLE') execute function slow_down();";

#[test]
fn a_client_that_is_killed_while_it_writes_leaves_nothing() {
    let clinic = Clinic::of(400);
    clinic.server.sql(SLOW);
    for signal in ["KILL", "INT"] {
        let mut client = start(&clinic);
        wait_until(&clinic, "query like 'copy % from stdin%'");
        send(signal, &client);
        client.wait().unwrap();
        nobody_is_left(&clinic);
        clinic.nothing_was_published();
    }
    clinic.server.sql("drop event trigger slow_down");
    clinic.shoal(&["run", "policy.toml"]).ended_with(0);
}

#[test]
fn a_client_that_is_killed_while_it_verifies_leaves_nothing() {
    // So many that what is read back does not fit into the buffers between server and client: the server waits for a client that is stopped.
    let clinic = Clinic::of(60_000);
    let folder = clinic.server.folder().to_str().unwrap().replace('/', "%2F");
    let address = clinic.address();
    // A socket of the machine has smaller buffers than a network.
    clinic.project.edit_policy(&address, &address.replace("127.0.0.1", &folder));
    clinic.project.edit_policy(
        &format!("path = \"{address}"),
        &format!("path = \"{}", address.replace("127.0.0.1", &folder)),
    );
    let mut attempts = 0;
    loop {
        attempts += 1;
        assert!(attempts < 20, "the moment was missed again and again");
        let mut client = start(&clinic);
        wait_until(&clinic, "query like 'copy (%staged%to stdout'");
        send("STOP", &client);
        std::thread::sleep(Duration::from_millis(300));
        let verifying = "select count(*) from pg_stat_activity where query like 'copy (%staged%to stdout' and state = 'active' and wait_event = 'ClientWrite'";
        let in_the_middle = clinic.server.sql(verifying) == "1";
        send("KILL", &client);
        client.wait().unwrap();
        nobody_is_left(&clinic);
        if in_the_middle {
            break;
        }
        clinic.server.sql("drop table if exists research.people_k3");
        let _ = std::fs::remove_dir_all(clinic.project.path("research.people_k3.report"));
    }
    clinic.nothing_was_published();
}

#[test]
fn a_server_that_is_killed_leaves_nothing() {
    let mut clinic = Clinic::of(400);
    clinic.server.sql(SLOW);
    let client = start(&clinic);
    wait_until(&clinic, "query like 'copy % from stdin%'");
    clinic.server.kill();
    let output = client.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("cannot write the records") && error.contains("run again"), "{error}");
    assert!(!error.contains(PASSWORD));
    clinic.server.back();
    clinic.nothing_was_published();
    // One connection only, ended by somebody who may.
    let client = start(&clinic);
    wait_until(&clinic, "query like 'copy % from stdin%'");
    clinic.server.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ann'");
    let output = client.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("terminating connection due to administrator command"), "{error}");
    nobody_is_left(&clinic);
    clinic.nothing_was_published();
    // And while the source is read.
    let query = "data.query=select *, pg_sleep(0.01)::text as slow from people";
    let slow = ["run", "policy.toml", "--set", query, "--set", "columns.slow.role=insensitive"];
    let client = clinic.command(&slow, &[("PGPASSWORD", PASSWORD)]).stdin(Stdio::null()).spawn().unwrap();
    wait_until(&clinic, "query like 'copy (%pg_sleep%'");
    clinic.server.kill();
    let output = client.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    // The server keeps the first records until there are enough of them to be sent.
    let doing = ["cannot run the query", "cannot read the records"];
    assert!(doing.iter().any(|doing| error.contains(doing)) && error.contains("run again"), "{error}");
    clinic.server.back();
    clinic.nothing_was_published();
}

fn start(clinic: &Clinic) -> Child {
    let run = ["run", "policy.toml"];
    clinic.command(&run, &[("PGPASSWORD", PASSWORD)]).stdin(Stdio::null()).spawn().unwrap()
}

fn send(signal: &str, client: &Child) {
    Command::new("kill").args([&format!("-{signal}"), &client.id().to_string()]).status().unwrap();
}

/// Waits until one of Ann's connections does this. The server itself looks, because the moment may be short.
fn wait_until(clinic: &Clinic, doing: &str) {
    let doing = doing.replace('\'', "''");
    clinic.server.sql(&format!(
        "set statement_timeout to '180s'; do $$ declare found bool; begin loop
           perform pg_stat_clear_snapshot();
           execute 'select count(*) > 0 from pg_stat_activity where usename = ''ann'' and state = ''active'' and {doing}' into found;
           exit when found;
           perform pg_sleep(0.001);
         end loop; end $$"
    ));
}

/// Waits until the server has seen that its client is gone.
fn nobody_is_left(clinic: &Clinic) {
    let end = Instant::now() + Duration::from_secs(180);
    while clinic.server.sql("select count(*) from pg_stat_activity where usename = 'ann'") != "0" {
        assert!(Instant::now() < end, "the server still serves a client that is gone");
        std::thread::sleep(Duration::from_millis(50));
    }
}
