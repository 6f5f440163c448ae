//! Who asks, and how the server knows; and that a password is seen nowhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::clinic::{Clinic, PASSWORD};

#[test]
fn a_password_comes_from_where_psql_takes_it() {
    let clinic = Clinic::of(50);
    let port = clinic.server.port().to_string();
    let run = ["run", "policy.toml", "--force"];

    // None at all.
    let error = clinic.shoal_with(&run, &[]).ended_with(2).error();
    assert!(error.contains("password missing") && error.contains("PGPASSWORD"), "{error}");
    clinic.nothing_was_published();

    // A password file, which others must not read.
    clinic.project.write("home/.pgpass", format!("127.0.0.1:{port}:postgres:ann:{PASSWORD}\n"));
    let mode = |mode| {
        fs::set_permissions(clinic.project.path("home/.pgpass"), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o644);
    let error = clinic.shoal_with(&run, &[]).ended_with(2).error();
    assert!(error.contains("can be read by others") && error.contains("chmod 600"), "{error}");
    mode(0o600);
    clinic.shoal_with(&run, &[]).ended_with(0);
    fs::rename(clinic.project.path("home/.pgpass"), clinic.project.path("elsewhere")).unwrap();
    let elsewhere = clinic.project.path("elsewhere");
    clinic.shoal_with(&run, &[("PGPASSFILE", elsewhere.to_str().unwrap())]).ended_with(0);

    // A service file, and then the environment for all of it.
    let service =
        format!("[clinic]\nhost=127.0.0.1\nport={port}\nuser=ann\ndbname=postgres\npassword={PASSWORD}\n");
    clinic.project.write("home/.pg_service.conf", service);
    let whole = |address: &str| {
        clinic.write_policy(
            &format!("source = \"{address}\"\nquery = \"select * from people\""),
            &format!("path = \"{address}\"\ntable = \"research.people_k3\""),
        );
    };
    whole("postgres://?service=clinic");
    clinic.shoal_with(&run, &[]).ended_with(0);
    whole("postgres://");
    clinic.shoal_with(&run, &[("PGSERVICE", "clinic")]).ended_with(0);
    fs::remove_file(clinic.project.path("home/.pg_service.conf")).unwrap();
    let folder = clinic.server.folder().to_str().unwrap().to_owned();
    let variables = [
        ("PGHOST", folder.as_str()),
        ("PGPORT", &port),
        ("PGUSER", "ann"),
        ("PGDATABASE", "postgres"),
        ("PGPASSWORD", PASSWORD),
    ];
    clinic.shoal_with(&run, &variables).ended_with(0);
    let error = clinic.shoal_with(&run, &[("PGSERVICE", "clinic")]).ended_with(2).error();
    assert!(error.contains("the service `clinic` is not defined"), "{error}");

    // Of all that was written only the files that hold a password by intention do.
    for (path, bytes) in clinic.project.everything() {
        let holds = String::from_utf8_lossy(&bytes).contains(PASSWORD);
        assert_eq!(holds, path.ends_with("elsewhere"), "{}", path.display());
    }
}

#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let clinic = Clinic::of(10);
    let address = clinic.address();
    let secret = address.replace("ann@", &format!("ann:{PASSWORD}@"));
    clinic.write_policy("source = \"people.csv\"", "path = \"out.csv\"");
    let refused = |args: &[&str]| {
        for more in [&[][..], &["--json"]] {
            let output = clinic.shoal(&[args, more].concat());
            assert_eq!(output.code, 2, "{args:?}: {output:?}");
            let said = output.stdout + &output.stderr;
            assert!(said.contains("password") && said.contains("PGPASSWORD"), "{said}");
        }
    };
    let set = format!("data.source={secret}");
    refused(&["run", "policy.toml", "--set", &set, "--set", "data.query=select 1"]);
    refused(&["run", "policy.toml", "-o", &format!("{secret}#t")]);
    refused(&["verify", &secret, "--policy", "policy.toml"]);
    refused(&["measure", &secret, "out.csv", "--policy", "policy.toml"]);
    refused(&["init", &secret, "--table", "people", "-o", "p.toml"]);
    // Not even where something else in the policy is wrong, and its line is shown.
    clinic.write_policy(
        &format!("source = \"{secret}\"\nqueri = \"select * from people\""),
        &format!("path = \"{secret}\"\ntable = \"t\""),
    );
    refused(&["run", "policy.toml"]);
    refused(&["check", "policy.toml"]);
    let written = clinic.project.everything();
    assert_eq!(written.values().filter(|bytes| String::from_utf8_lossy(bytes).contains(PASSWORD)).count(), 1);
}
