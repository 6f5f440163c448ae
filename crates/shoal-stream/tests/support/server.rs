//! A real server as a process of its own, that can be killed and started again where it was.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use shoal_testkit::ReservedPort;

/// A server on a free port. It is gone when this is dropped.
pub(crate) struct Server {
    command: Command,
    port: ReservedPort,
    child: Option<Child>,
}

impl Server {
    /// Starts what `command` makes of a port.
    pub(crate) fn start(command: impl FnOnce(u16) -> Command) -> Server {
        let port = ReservedPort::new();
        let mut server = Server { command: command(port.number()), port, child: None };
        server.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        server.back();
        server
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.number()
    }

    /// Kills it.
    pub(crate) fn away(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it again.
    pub(crate) fn back(&mut self) {
        let end = Instant::now() + Duration::from_secs(180);
        loop {
            // It ends at once where the port is not free again yet.
            if self.child.as_mut().is_none_or(|child| child.try_wait().unwrap().is_some()) {
                self.child = Some(self.command.spawn().unwrap());
            }
            if self.answers() {
                return;
            }
            assert!(Instant::now() < end, "{:?} does not listen", self.command);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it listens.
    fn answers(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port.number())).is_ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.away();
    }
}

/// Where a server's program is: what the variable says, in the path, or in the folder that `scripts/brokers` fills.
pub(crate) fn program(name: &str, variable: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return path.into();
    }
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_default();
    let tools = cache.join("shoal/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([tools, "/usr/sbin".into()]);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    found.unwrap_or_else(|| panic!("there is no `{name}`: run  scripts/brokers  or set {variable}"))
}
