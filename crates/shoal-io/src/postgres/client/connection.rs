//! A connection to a server, used by one thread that can be cancelled while it waits.

use std::error::Error as _;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shoal_core::Progress;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode as TlsMode;
use tokio_postgres::{Client, Config, Error};

use super::settings::{Environment, Settings, SslMode};
use super::sqlstate::hint_of;
use super::tls;
use crate::error::PostgresError;
use crate::postgres::address::Address;

/// How long the server may be waited for before somebody is asked whether the work is still wanted.
const TICK: Duration = Duration::from_millis(50);

/// What is done first, as errors say it.
const CONNECT: &str = "connect";

/// An open connection. Dropped, it is closed, and the server undoes what was not committed.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    runtime: Runtime,
    /// What errors name.
    pub(super) place: String,
    /// Why the connection ended, if it did: whoever waits for an answer only learns that it has.
    ended: Arc<Mutex<Option<Error>>>,
    /// Why a password file was not used.
    ignored: Option<String>,
}

impl Connection {
    pub(super) fn open(address: &Address, progress: &dyn Progress) -> Result<Connection, PostgresError> {
        Connection::open_with(address, &Settings::of(address, &Environment::real())?, progress)
    }

    fn open_with(
        address: &Address,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Connection, PostgresError> {
        let place = address.database.clone();
        let started = Builder::new_current_thread().enable_all().build();
        let runtime = started.map_err(|error| {
            PostgresError::new(
                &place,
                format!("no connection can be opened: {error}"),
                "try again when the machine does less",
            )
        })?;
        let connector = tls::connector(&place, settings)?;
        let config = config(&place, settings)?;
        // All of it, the search for the host's name and the exchange of passwords included.
        let limit = settings.connect_timeout;
        let connecting = async { tokio::time::timeout(limit, config.connect(connector)).await };
        let (client, connection) = match wait(&runtime, connecting, progress) {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => return Err(explain(&place, CONNECT, &error, settings.ignored.as_deref())),
            Err(_) => {
                // A name that is still being looked for is not waited for.
                runtime.shutdown_background();
                let why = format!("cannot {CONNECT}: no answer within {} seconds", limit.as_secs());
                let hint = "check the host and the network (pg_isready -h HOST -p PORT), or wait longer: connect_timeout=… in the address, PGCONNECT_TIMEOUT";
                return Err(PostgresError::new(&place, why, hint));
            }
        };
        let ended = Arc::new(Mutex::new(None));
        let tell = ended.clone();
        runtime.spawn(async move {
            if let Err(error) = connection.await {
                *tell.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        Ok(Connection { client, runtime, place, ended, ignored: settings.ignored.clone() })
    }

    /// Waits for the server. `doing` is what it was asked for, for errors.
    pub(super) fn ask<T>(
        &self,
        doing: &str,
        answer: impl Future<Output = Result<T, Error>>,
        progress: &dyn Progress,
    ) -> Result<T, PostgresError> {
        wait(&self.runtime, answer, progress).map_err(|error| self.blame(doing, &error))
    }

    /// Statements that give nothing back.
    pub(super) fn execute(
        &self,
        doing: &str,
        statements: &str,
        progress: &dyn Progress,
    ) -> Result<(), PostgresError> {
        self.ask(doing, self.client.batch_execute(statements), progress)
    }

    /// The one value, a text, that a query gives.
    pub(super) fn text(
        &self,
        doing: &str,
        query: &str,
        parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)],
        progress: &dyn Progress,
    ) -> Result<Option<String>, PostgresError> {
        let row = self.ask(doing, self.client.query_one(query, parameters), progress)?;
        Ok(row.get(0))
    }

    /// The error of the server as a person should see it.
    pub(super) fn blame(&self, doing: &str, error: &Error) -> PostgresError {
        if error.is_closed() || error.as_db_error().is_none() {
            // The server's last word, such as that it is shut down, reached the connection and not who waits for an answer.
            let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(why) = ended.as_ref() {
                return explain(&self.place, doing, why, self.ignored.as_deref());
            }
        }
        explain(&self.place, doing, error, self.ignored.as_deref())
    }
}

/// Waits in steps, between which the work can be cancelled.
fn wait<F: Future>(runtime: &Runtime, answer: F, progress: &dyn Progress) -> F::Output {
    let mut answer = pin!(answer);
    loop {
        let step = runtime.block_on(async { tokio::time::timeout(TICK, answer.as_mut()).await });
        match step {
            Ok(answer) => return answer,
            // Outside of the runtime, since it may unwind.
            Err(_) => progress.check(),
        }
    }
}

fn config(place: &str, settings: &Settings) -> Result<Config, PostgresError> {
    let mut config = Config::new();
    config.host(&settings.host).port(settings.port).user(&settings.user).dbname(&settings.database);
    config.application_name(&settings.application_name).connect_timeout(settings.connect_timeout);
    config.ssl_mode(match settings.ssl {
        // There is no TLS in a socket of this machine; libpq does not ask for it either.
        _ if settings.is_socket() => TlsMode::Disable,
        SslMode::Disable => TlsMode::Disable,
        SslMode::Prefer => TlsMode::Prefer,
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => TlsMode::Require,
    });
    if let Some(address) = &settings.hostaddr {
        let address = address.parse().map_err(|_| {
            let why = format!("hostaddr {address:?} is not the number of a host");
            PostgresError::new(place, why, "write it like 192.0.2.7, or name the host in `host`")
        })?;
        config.hostaddr(address);
    }
    if let Some(password) = &settings.password {
        config.password(&password.0);
    }
    if let Some(options) = &settings.options {
        config.options(options);
    }
    Ok(config)
}

/// Classes of errors whose messages name objects of the database, rights and resources, and no values: connections, features, transactions, passwords, names of databases and
/// schemas, deadlocks, syntax and access, resources, limits, states of objects, operators, the system.
const NO_VALUES: [&str; 13] = ["08", "0A", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58"];

fn explain(place: &str, doing: &str, error: &Error, ignored: Option<&str>) -> PostgresError {
    if let Some(said) = error.as_db_error() {
        let code = said.code().code();
        // Most classes may name values of the data, those of functions and extensions as well. Quoted so, they are left out of what logs keep.
        let message = match NO_VALUES.iter().any(|class| code.starts_with(class)) {
            true => said.message().to_owned(),
            false => format!("`{}`", said.message().replace('`', "'")),
        };
        let mut why = format!("cannot {doing}: PostgreSQL says: {message}");
        if let Some(ignored) = ignored.filter(|_| code.starts_with("28")) {
            why.push_str(&format!("; {ignored}"));
        }
        return PostgresError::new(place, why, hint_of(code));
    }
    let mut why = format!("cannot {doing}: {error}");
    let mut cause = error.source();
    while let Some(below) = cause {
        why.push_str(&format!(": {below}"));
        cause = below.source();
    }
    if let Some(ignored) = ignored.filter(|_| why.contains("password")) {
        why.push_str(&format!("; {ignored}"));
    }
    let is_io = |kind: io::ErrorKind| {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        cause.is_some_and(|cause| cause.kind() == kind)
    };
    let hint = if why.contains("password missing") || why.contains("invalid configuration") {
        crate::postgres::address::PASSWORD_HINT
    } else if why.contains("server does not support TLS") {
        "the server does not encrypt: let it (ssl = on), or, where nobody is in between, write sslmode=disable"
    } else if why.contains("certificate") {
        "name the certificate of the authority that signed the server's (sslrootcert=/path/ca.pem), and the host by the name in its certificate"
    } else if is_io(io::ErrorKind::ConnectionRefused) || is_io(io::ErrorKind::NotFound) {
        "nobody listens there: check host and port, and that the server runs (pg_isready -h HOST -p PORT)"
    } else if doing == CONNECT {
        "check the host's name and the network (pg_isready -h HOST -p PORT)"
    } else {
        "the connection was lost, and the server has undone what was not committed; look into its log, then run again"
    };
    PostgresError::new(place, why, hint)
}
