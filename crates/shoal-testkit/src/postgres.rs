//! A PostgreSQL server of its own for a test: in a temporary folder, on a free port, gone at the end.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::ReservedPort;

/// A running server. It is shut down, and its folder is deleted, when this is dropped.
///
/// The superuser `postgres` needs no password through the socket in [`folder`](PostgresServer::folder); everybody else needs one,
/// everywhere.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    port: ReservedPort,
    programs: PathBuf,
    child: Option<Child>,
}

/// How long a server may take to answer.
const START_TIMEOUT: Duration = Duration::from_secs(180);

impl PostgresServer {
    /// Makes a cluster and starts its server.
    ///
    /// # Panics
    /// Where PostgreSQL is not installed: `scripts/databases` does it.
    pub fn start() -> PostgresServer {
        let folder = tempfile::Builder::new().prefix("shoal-postgres-").tempdir().unwrap();
        let mut server =
            PostgresServer { folder, port: ReservedPort::new(), programs: programs(), child: None };
        // A server refuses to run as root, and its own user must reach the folder.
        fs::set_permissions(server.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        server.give_away(server.folder.path());
        let data = server.folder.path().join("data");
        let mut initdb = server.program("initdb");
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--no-instructions"]);
        // The method asks for a password, which is not used: `trust` below is for this user and the socket only.
        let password = server.file("superuser", "not used\n");
        initdb.arg(format!("--pwfile={}", password.display())).arg("-D").arg(&data);
        succeeded(&mut initdb);
        let rules = "local all postgres trust\nlocal all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n";
        server.file("data/pg_hba.conf", rules);
        server.back();
        server
    }

    /// The folder of the cluster, `data`, and of the socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The port, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// A file in the folder that the server can read and nobody else.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        self.give_away(&path);
        path
    }

    /// Makes a file or folder one of the server's user.
    pub fn give_away(&self, path: &Path) {
        if let Some((uid, gid)) = user_of_server() {
            chown(path, Some(uid), Some(gid)).unwrap();
        }
    }

    /// What the superuser's statements in the database `postgres` print, without alignment and headers.
    ///
    /// # Panics
    /// Where the server refuses one of them.
    pub fn sql(&self, statements: &str) -> String {
        let mut psql = self.program("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres"]);
        psql.arg("-h").arg(self.folder.path()).args(["-p", &self.port().to_string(), "-c", statements]);
        let output = succeeded(&mut psql);
        let printed = String::from_utf8(output.stdout).unwrap();
        // Blanks and tabs at the end may be values.
        printed.strip_suffix('\n').map(str::to_owned).unwrap_or(printed)
    }

    /// Kills all of it, as a machine does that loses its power.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Its processes end when they see that it is gone.
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it again after [`kill`](PostgresServer::kill).
    pub fn back(&mut self) {
        let end = Instant::now() + START_TIMEOUT;
        // The processes of a killed server may take a moment to end, and until then another one refuses to start.
        while !self.is_ready() {
            assert!(Instant::now() < end, "the server does not start: {}", self.log());
            let ended = self.child.as_mut().is_none_or(|child| child.try_wait().unwrap().is_some());
            if ended {
                self.child = Some(self.spawn());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Takes new settings from its files without a restart.
    pub fn reload(&self) {
        self.sql("select pg_reload_conf()");
    }

    /// What the server has written to its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn spawn(&self) -> Child {
        let log =
            fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let mut postgres = self.program("postgres");
        postgres.arg("-D").arg(self.folder.path().join("data"));
        postgres.arg("-k").arg(self.folder.path()).args(["-p", &self.port().to_string()]);
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "max_wal_size=256MB"]);
        postgres.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        postgres.spawn().unwrap()
    }

    fn is_ready(&self) -> bool {
        let mut ready = self.program("pg_isready");
        ready.arg("-q").arg("-h").arg(self.folder.path()).args(["-p", &self.port().to_string()]);
        self.child.is_some() && ready.status().unwrap().success()
    }

    /// A program of the server, run by its user.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        let of_postgres = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG"));
        for (name, _) in of_postgres {
            command.env_remove(name);
        }
        if let Some((uid, gid)) = user_of_server() {
            command.uid(uid).gid(gid);
        }
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // At once, but so that it frees what it shares with its processes.
        let _ = Command::new("kill").args(["-QUIT", &child.id().to_string()]).status();
        let _ = child.wait();
    }
}

/// Where the programs of the server are: what the variable says, or where Debian puts them.
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("SHOAL_POSTGRES") {
        return folder.into();
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").is_file());
    folders.sort();
    folders.pop().expect(
        "there is no PostgreSQL: run  scripts/databases  or set SHOAL_POSTGRES to the folder of its programs",
    )
}

/// The user `postgres`, where we are root, as whom no server runs.
fn user_of_server() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    // The owner of a process is the owner of its folder.
    if fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let user = users.lines().find_map(|line| line.strip_prefix("postgres:"))?.to_owned();
    let mut numbers = user.split(':').skip(1);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
