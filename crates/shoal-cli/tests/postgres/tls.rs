//! Encryption, and whose certificate is believed.

use std::process::Command;

use crate::clinic::Clinic;

#[test]
fn certificates_are_believed_as_sslmode_says() {
    let clinic = Clinic::of(20);
    let folder = clinic.server.folder().to_owned();
    let openssl = |args: &str| {
        let done = Command::new("openssl").args(args.split(' ')).current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{args}: {}", String::from_utf8_lossy(&done.stderr));
    };
    // An authority, one that nobody knows, and a server that the first vouches for as `localhost`.
    for name in ["ca", "stranger"] {
        openssl(&format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {name}.key -out {name}.pem -subj /CN={name} -days 2"
        ));
    }
    openssl(
        "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
    );
    clinic.server.file("names", "subjectAltName=DNS:localhost\n");
    openssl(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    );
    for name in ["server.key", "server.pem"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        clinic.server.file(&format!("data/{name}"), &text);
    }
    for setting in ["ssl_cert_file = 'server.pem'", "ssl_key_file = 'server.key'", "ssl = on"] {
        clinic.server.sql(&format!("alter system set {setting}"));
    }
    let rules = "local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
    clinic.server.file("data/pg_hba.conf", rules);
    clinic.server.reload();

    let run = |host: &str, parameters: &str| {
        let address = format!("postgres://ann@{host}:{}/postgres?{parameters}", clinic.server.port());
        clinic.write_policy(
            &format!("source = \"{address}\"\nquery = \"select p.* from people p, pg_stat_ssl s where s.pid = pg_backend_pid() and s.ssl\""),
            &format!("path = \"{address}\"\ntable = \"research.people_k3\""),
        );
        clinic.shoal(&["run", "policy.toml", "--force"])
    };
    let ca = format!("sslrootcert={}", folder.join("ca.pem").display());
    let stranger = format!("sslrootcert={}", folder.join("stranger.pem").display());
    // Only rows of an encrypted connection are there at all.
    for parameters in ["", "sslmode=prefer", "sslmode=require", &format!("sslmode=verify-ca&{ca}")] {
        run("127.0.0.1", parameters).ended_with(0);
        assert_eq!(clinic.server.sql("select count(*) from research.people_k3"), "20");
    }
    run("localhost", &format!("sslmode=verify-full&{ca}")).ended_with(0);
    clinic.server.sql("drop table research.people_k3");
    std::fs::remove_dir_all(clinic.project.path("research.people_k3.report")).unwrap();

    let error = run("127.0.0.1", &format!("sslmode=verify-full&{ca}")).ended_with(2).error();
    assert!(error.contains("certificate") && error.contains("name in its certificate"), "{error}");
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = run("localhost", &format!("sslmode={mode}&{stranger}")).ended_with(2).error();
        assert!(
            error.contains("invalid peer certificate: UnknownIssuer") || error.contains("BadSignature"),
            "{error}"
        );
        assert!(error.contains("sslrootcert"), "{error}");
    }
    let error = run("localhost", "sslmode=verify-full").ended_with(2).error();
    assert!(error.contains("no authority is named") && error.contains("root.crt"), "{error}");
    let error = run("localhost", "sslmode=disable").ended_with(2).error();
    assert!(error.contains("pg_hba.conf") || error.contains("no encryption"), "{error}");
    clinic.nothing_was_published();
}
