//! Where the server is and who asks it: what the address leaves open comes from a service file, then from the environment, then from what
//! libpq assumes. Programs of PostgreSQL and this one reach the same server from the same shell.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{passwords, services};
use crate::error::PostgresError;
use crate::postgres::address::Address;

/// Everything that a connection needs.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) host: String,
    pub(super) hostaddr: Option<String>,
    pub(super) port: u16,
    pub(super) database: String,
    pub(super) user: String,
    pub(super) password: Option<Password>,
    pub(super) ssl: SslMode,
    /// `system`, or a file of certificates.
    pub(super) root_certificates: Option<String>,
    /// The client's own certificate and its key.
    pub(super) certificate: Option<(PathBuf, PathBuf)>,
    pub(super) connect_timeout: Duration,
    pub(super) application_name: String,
    pub(super) options: Option<String>,
    /// Why a password file was not used.
    pub(super) ignored: Option<String>,
}

/// A password. It is never written anywhere, not even by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Password(pub(super) String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Whether the connection is encrypted, and whose certificate is believed, by the words of libpq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SslMode {
    Disable,
    /// Encrypted where the server can; against nobody who sits in between.
    Prefer,
    /// Encrypted, whoever answers.
    Require,
    /// The certificate comes from a trusted authority.
    VerifyCa,
    /// And it is that of the host.
    VerifyFull,
}

/// What is outside of the program: the environment and the home folder.
pub(super) struct Environment<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    pub(super) home: Option<PathBuf>,
}

impl Environment<'_> {
    pub(super) fn real() -> Environment<'static> {
        Environment { variable: &variable_of_process, home: std::env::home_dir() }
    }
}

fn variable_of_process(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The environment's names of parameters.
const VARIABLES: [(&str, &str); 15] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("application_name", "PGAPPNAME"),
    ("options", "PGOPTIONS"),
    ("service", "PGSERVICE"),
];

/// Where Debian's server listens without a network.
pub(super) const SOCKETS: &str = "/var/run/postgresql";

/// libpq waits for ever; a run in the night should end with an error instead.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

impl Settings {
    pub(super) fn of(address: &Address, environment: &Environment<'_>) -> Result<Settings, PostgresError> {
        let place = address.database.as_str();
        let mut parameters: HashMap<String, String> = address.given.iter().cloned().collect();
        let variable = |name: &str| {
            let found = VARIABLES.iter().find(|(parameter, _)| *parameter == name);
            found.and_then(|(_, variable)| (environment.variable)(variable))
        };
        if let Some(service) = parameters.get("service").cloned().or_else(|| variable("service")) {
            for (name, value) in services::find(place, &service, environment)? {
                parameters.entry(name).or_insert(value);
            }
        }
        for (name, _) in VARIABLES {
            if let Some(value) = variable(name) {
                parameters.entry(name.to_owned()).or_insert(value);
            }
        }
        let mut take = |name: &str| parameters.remove(name).filter(|value| !value.is_empty());
        let user = take("user")
            .or_else(|| (environment.variable)("USER"))
            .or_else(|| (environment.variable)("LOGNAME"));
        let user = user.ok_or_else(|| {
            let hint = "name the user: postgres://user@host/database, or PGUSER";
            PostgresError::new(place, "nobody is named who asks the server", hint)
        })?;
        let hostaddr = take("hostaddr");
        let host = take("host").or_else(|| hostaddr.clone()).unwrap_or_else(usual_host);
        let port = number(place, "port", take("port"), 5432)?;
        let database = take("dbname").unwrap_or_else(|| user.clone());
        let seconds: u64 = number(place, "connect_timeout", take("connect_timeout"), 0)?;
        let usual = |name: &str| {
            environment
                .home
                .as_ref()
                .map(|home| home.join(".postgresql").join(name))
                .filter(|file| file.exists())
        };
        let certificate = match (take("sslcert"), take("sslkey")) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => usual("postgresql.crt").zip(usual("postgresql.key")),
            _ => {
                let hint = "give both: sslcert=…&sslkey=…, or PGSSLCERT and PGSSLKEY";
                return Err(PostgresError::new(place, "one of sslcert and sslkey is missing", hint));
            }
        };
        let root = take("sslrootcert").or_else(|| usual("root.crt").map(|file| file.display().to_string()));
        let ssl = ssl_mode(place, take("sslmode").as_deref(), root.as_deref())?;
        let mut settings = Settings {
            host,
            hostaddr,
            port,
            database,
            user,
            password: take("password").map(Password),
            ssl,
            root_certificates: root,
            certificate,
            connect_timeout: if seconds == 0 { CONNECT_TIMEOUT } else { Duration::from_secs(seconds) },
            application_name: take("application_name").unwrap_or_else(|| "shoal".to_owned()),
            options: take("options"),
            ignored: None,
        };
        if settings.password.is_none() {
            let named = take("passfile").map(PathBuf::from);
            let file = named.or_else(|| environment.home.as_ref().map(|home| home.join(".pgpass")));
            if let Some(file) = file {
                settings.look_up_password(&file);
            }
        }
        Ok(settings)
    }

    /// Whether the server is asked through a socket in a folder, where no network is in between.
    pub(super) fn is_socket(&self) -> bool {
        self.host.starts_with('/') && self.hostaddr.is_none()
    }

    fn look_up_password(&mut self, file: &Path) {
        match passwords::find(file, self) {
            Ok(password) => self.password = password,
            Err(ignored) => self.ignored = Some(ignored),
        }
    }
}

fn usual_host() -> String {
    let host = if Path::new(SOCKETS).is_dir() { SOCKETS } else { "localhost" };
    host.to_owned()
}

fn number<N: std::str::FromStr>(
    place: &str,
    name: &str,
    given: Option<String>,
    usual: N,
) -> Result<N, PostgresError> {
    match given {
        None => Ok(usual),
        Some(text) => text.trim().parse().map_err(|_| {
            let why = format!("{name} is not a number that it can be: {text:?}");
            PostgresError::new(place, why, "correct it in the address, the service file or the environment")
        }),
    }
}

/// The mode that is meant, as libpq understands it.
fn ssl_mode(place: &str, given: Option<&str>, root: Option<&str>) -> Result<SslMode, PostgresError> {
    // Authorities that everybody trusts certify anybody: only the name in the certificate says that it is this server's.
    if root == Some("system") {
        return match given {
            None | Some("verify-full") => Ok(SslMode::VerifyFull),
            Some(weaker) => {
                let why =
                    format!("sslmode {weaker:?} is too weak for the certificates of sslrootcert=system");
                Err(PostgresError::new(place, why, "leave sslmode out, or give sslmode=verify-full"))
            }
        };
    }
    match given {
        // Whoever has put an authority's certificate there wants it to be used.
        Some("require") if root.is_some() => Ok(SslMode::VerifyCa),
        // "allow" is "prefer" the other way round: it asks for no encryption first. Encrypting where it is possible does no harm.
        None | Some("prefer" | "allow") => Ok(SslMode::Prefer),
        Some("disable") => Ok(SslMode::Disable),
        Some("require") => Ok(SslMode::Require),
        Some("verify-ca") => Ok(SslMode::VerifyCa),
        Some("verify-full") => Ok(SslMode::VerifyFull),
        Some(other) => {
            let hint = "there are disable, prefer, require, verify-ca and verify-full";
            Err(PostgresError::new(place, format!("sslmode {other:?} is not known"), hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str, variables: &[(&str, &str)]) -> Result<Settings, PostgresError> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let home = variable("HOME").map(PathBuf::from);
        Settings::of(&Address::parse(address).unwrap(), &Environment { variable: &variable, home })
    }

    #[test]
    fn the_address_comes_before_the_environment() {
        let variables =
            [("PGHOST", "elsewhere"), ("PGUSER", "bob"), ("PGPASSWORD", "s3cret"), ("PGPORT", "6000")];
        let found = settings("postgres://ann@here/people", &variables).unwrap();
        assert_eq!((found.host.as_str(), found.user.as_str(), found.port), ("here", "ann", 6000));
        assert_eq!((found.database.as_str(), found.ssl), ("people", SslMode::Prefer));
        assert_eq!(found.password, Some(Password("s3cret".to_owned())));
        assert!(!format!("{found:?}").contains("s3cret"), "{found:?}");
        let found = settings("postgres://", &[("USER", "eve")]).unwrap();
        assert_eq!((found.user.as_str(), found.database.as_str(), found.port), ("eve", "eve", 5432));
        assert!(settings("postgres://", &[]).is_err());
        assert!(settings("postgres://a@h?sslmode=often", &[]).unwrap_err().to_string().contains("often"));
        assert!(settings("postgres://a@h", &[("PGPORT", "none")]).is_err());
    }

    #[test]
    fn certificates_are_verified_as_libpq_does() {
        let mode =
            |address: &str, variables: &[(&str, &str)]| settings(address, variables).map(|found| found.ssl);
        assert_eq!(mode("postgres://a@h?sslmode=require", &[]).unwrap(), SslMode::Require);
        let own = "postgres://a@h?sslmode=require&sslrootcert=ca.pem";
        assert_eq!(mode(own, &[]).unwrap(), SslMode::VerifyCa);
        // Everybody's authorities say nothing about whose server it is.
        for address in
            ["postgres://a@h?sslrootcert=system", "postgres://a@h?sslrootcert=system&sslmode=verify-full"]
        {
            assert_eq!(mode(address, &[]).unwrap(), SslMode::VerifyFull);
        }
        assert_eq!(mode("postgres://a@h", &[("PGSSLROOTCERT", "system")]).unwrap(), SslMode::VerifyFull);
        for weaker in ["disable", "prefer", "require", "verify-ca"] {
            let error =
                mode(&format!("postgres://a@h?sslrootcert=system&sslmode={weaker}"), &[]).unwrap_err();
            assert!(error.to_string().contains(weaker), "{error}");
        }
    }

    #[test]
    fn a_service_comes_between_the_two() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services");
        std::fs::write(
            &file,
            "# ours\n[other]\nhost=no\n[clinic]\nhost = db.example\nuser=bob\npassword=s3cret\n",
        )
        .unwrap();
        let variables = [("PGSERVICEFILE", file.to_str().unwrap()), ("PGUSER", "eve"), ("PGDATABASE", "d")];
        let found = settings("postgres://?service=clinic&sslmode=disable", &variables).unwrap();
        assert_eq!(
            (found.host.as_str(), found.user.as_str(), found.database.as_str()),
            ("db.example", "bob", "d")
        );
        assert_eq!(found.password, Some(Password("s3cret".to_owned())));
        let error = settings("postgres://?service=nowhere", &variables).unwrap_err();
        assert!(error.to_string().contains("`nowhere`") && error.to_string().contains("services"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn a_password_file_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".pgpass");
        std::fs::write(&file, "# comment\nother:*:*:*:no\nh:5432:a\\:b:ann:s3\\\\cr\\:et\n*:*:*:*:any\n")
            .unwrap();
        let variables = [("HOME", home.path().to_str().unwrap())];
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let found = settings("postgres://ann@h/a%3Ab", &variables).unwrap();
        assert_eq!(found.password, Some(Password("s3\\cr:et".to_owned())));
        assert_eq!(
            settings("postgres://bob@h/x", &variables).unwrap().password,
            Some(Password("any".to_owned()))
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let found = settings("postgres://ann@h/a%3Ab", &variables).unwrap();
        assert_eq!(found.password, None);
        assert!(found.ignored.unwrap().contains("chmod 600"));
    }
}
