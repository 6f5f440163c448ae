use shoal_core::policy::is_postgres;

use crate::error::PostgresError;

/// What an address can say beyond server, database and user, after a `?`. These are parameters of libpq, and mean the same.
const PARAMETERS: [&str; 14] = [
    "application_name",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "passfile",
    "port",
    "service",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];

/// Errors about an address that cannot be read do not repeat it: what was not understood may be a password.
const UNREAD: &str = "postgres://…";

/// Whether a text, such as that of a policy, has an address of a PostgreSQL server with a password in it. Rather once too often than once too
/// rarely: the answer decides whether the text may be shown.
pub(super) fn holds_postgres_password(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("postgres") {
        rest = &rest[at..];
        if let Some(address) = after_scheme(rest) {
            let end = address.find(|c: char| c.is_whitespace() || c == '"' || c == '\'');
            let address = &address[..end.unwrap_or(address.len())];
            let (before, parameters) = address.split_once('?').unwrap_or((address, ""));
            // A password may hold any character, an unescaped `/` or `@` included.
            let in_front = before.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
            if in_front || parameters.to_ascii_lowercase().contains("password=") {
                return true;
            }
        }
        rest = &rest["postgres".len()..];
    }
    false
}

/// The address of a database, as libpq writes it (`postgres://user@host:port/database?sslmode=…`), perhaps with a table behind a `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// What it says, by the names of libpq's parameters.
    pub(super) given: Vec<(String, String)>,
    /// The address as it was written, without the table.
    pub(super) database: String,
    /// The table that it names.
    pub(super) table: Option<String>,
}

impl Address {
    pub(crate) fn parse(location: &str) -> Result<Address, PostgresError> {
        if holds_postgres_password(location) {
            let why = "the address holds a password, which would be copied into audits and logs";
            return Err(PostgresError::new(UNREAD, why, PASSWORD_HINT));
        }
        let rest = after_scheme(location).ok_or_else(|| unread("it does not begin with postgres://"))?;
        let (rest, table) = match rest.split_once('#') {
            Some((rest, table)) => (rest, Some(decoded(table)?)),
            None => (rest, None),
        };
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let mut given = Vec::new();
        let mut add = |name: &str, value: &str| -> Result<(), PostgresError> {
            let value = decoded(value)?;
            // An empty part is one that is not given.
            if !value.is_empty() {
                given.push((name.to_owned(), value));
            }
            Ok(())
        };
        let (user, server) = authority.rsplit_once('@').unwrap_or(("", authority));
        add("user", user)?;
        let (host, port) = host_and_port(server)?;
        add("host", host)?;
        add("port", port)?;
        add("dbname", database)?;
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter
                .split_once('=')
                .ok_or_else(|| unread("behind the `?` belong parameters:  name=value&name=value"))?;
            if !PARAMETERS.contains(&name) {
                let known = PARAMETERS.join(", ");
                return Err(unread(&format!("the parameter `{name}` is not known; there are {known}")));
            }
            add(name, value)?;
        }
        let database = location.split('#').next().unwrap_or_default().to_owned();
        Ok(Address { given, database, table })
    }

    /// The address with the table, as reports and errors name it.
    pub(crate) fn with_table(&self, table: &str) -> String {
        format!("{}#{}", self.database, encoded(table))
    }
}

/// What to do instead of writing a password into an address.
pub(super) const PASSWORD_HINT: &str = "take it out, and give it in the environment (PGPASSWORD), in a password file (~/.pgpass with mode 0600, or PGPASSFILE) or in a service file (docs/postgresql.md)";

fn after_scheme(location: &str) -> Option<&str> {
    is_postgres(location).then(|| location.split_once("://")).flatten().map(|(_, rest)| rest)
}

/// `host`, `host:5432`, `[::1]:5432`, or a folder of sockets with its slashes written as `%2F`.
fn host_and_port(server: &str) -> Result<(&str, &str), PostgresError> {
    if server.contains(',') {
        return Err(unread("it names several servers, and the data are on one"));
    }
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or_else(|| unread("a `]` is missing"))?;
            (host, port.strip_prefix(':').unwrap_or(port))
        }
        None => server.split_once(':').unwrap_or((server, "")),
    };
    if !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(unread("the port is not a number"));
    }
    Ok((host, port))
}

fn unread(why: &str) -> PostgresError {
    let hint = "write  postgres://user@host:5432/database?sslmode=verify-full ; every part may be left out (docs/postgresql.md)";
    PostgresError::new(UNREAD, format!("the address is not understood: {why}"), hint)
}

/// `%2F` → `/`.
fn decoded(text: &str) -> Result<String, PostgresError> {
    let wrong = || unread("a `%` must be followed by two hexadecimal digits");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or_else(wrong)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| unread("a part of it is not UTF-8"))
}

/// The reverse for what would end the table's part of an address, or be taken for an escape.
fn encoded(table: &str) -> String {
    table.replace('%', "%25").replace(' ', "%20").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(address: &str) -> Vec<(String, String)> {
        Address::parse(address).unwrap().given
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn addresses_are_those_of_libpq() {
        assert_eq!(given("postgres://"), []);
        assert_eq!(given("postgresql:///people"), pairs(&[("dbname", "people")]));
        let whole = "postgres://ann@db.example:5433/people?sslmode=verify-full&sslrootcert=%2Fca.pem";
        let expected = pairs(&[
            ("user", "ann"),
            ("host", "db.example"),
            ("port", "5433"),
            ("dbname", "people"),
            ("sslmode", "verify-full"),
            ("sslrootcert", "/ca.pem"),
        ]);
        assert_eq!(given(whole), expected);
        assert_eq!(given("postgres://[::1]:5433"), pairs(&[("host", "::1"), ("port", "5433")]));
        assert_eq!(given("postgres://%2Frun%2Fpg/d"), pairs(&[("host", "/run/pg"), ("dbname", "d")]));
        let address = Address::parse("postgres://h/d?sslmode=disable#a%20b.c").unwrap();
        assert_eq!(
            (address.table.as_deref(), address.database.as_str()),
            (Some("a b.c"), "postgres://h/d?sslmode=disable")
        );
        assert_eq!(address.with_table("a b.c"), "postgres://h/d?sslmode=disable#a%20b.c");
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        let with_passwords = [
            "postgres://ann:s3cret@h/d",
            "postgres://:s3cret@h/d",
            "postgres://ann:s3/cret@h/d",
            "postgres://ann:s3@cret@h/d",
            "postgresql://h/d?password=s3cret",
            "postgresql://h/d?sslmode=disable&PASSWORD=s3cret",
        ];
        for address in with_passwords {
            let error = Address::parse(address).unwrap_err();
            assert!(error.to_string().contains("holds a password"), "{error}");
            assert!(!error.to_string().contains("s3"), "{error}");
            assert!(holds_postgres_password(&format!("[data]\nsource = \"{address}\"\nk = 3")));
        }
        for text in ["postgres://ann@h:5432/d", "source = \"postgres://h/d\" # a: b@c", "postgres", "x@y:z"] {
            assert!(!holds_postgres_password(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_repeated() {
        for address in
            ["postgres://h:s3cret/d", "postgres://h/d?s3cret", "postgres://[h", "postgres://h/%s3cret"]
        {
            let error = Address::parse(address).unwrap_err();
            assert!(error.to_string().starts_with("postgres://…: the address is not understood"), "{error}");
            assert!(!error.to_string().contains("s3"), "{error}");
        }
    }
}
