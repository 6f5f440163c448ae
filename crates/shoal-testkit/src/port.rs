//! A port for a server that a test starts.

use std::fs;
use std::net::{TcpListener, UdpSocket};

/// A port on 127.0.0.1 that no other test has, in this process or another, until this is dropped.
///
/// A free port that the system picks is somebody else's a moment later: of another test that asks before the server listens, or of
/// the end of any connection, since the system takes both from the same range. A test would then talk to the server of another one.
/// So it is taken from below that range, and locked by the same number of UDP, which no server of a test uses.
#[derive(Debug)]
pub struct ReservedPort {
    number: u16,
    _lock: UdpSocket,
}

/// How many ports below those that the system hands out are tried.
const TRIED: u16 = 8000;

impl ReservedPort {
    /// Reserves one.
    ///
    /// # Panics
    /// Where no port is free.
    #[expect(clippy::new_without_default, reason = "a default value would not be expected to take something")]
    pub fn new() -> ReservedPort {
        let first = first_handed_out().saturating_sub(TRIED).max(1024);
        // Processes begin at different places, so that they seldom ask for the same ones.
        let start = std::process::id() as u16 % TRIED;
        let candidates = (start..TRIED).chain(0..start).map(|offset| first + offset);
        candidates.into_iter().find_map(ReservedPort::of).expect("a port is free")
    }

    /// Reserves this one, where it is free.
    fn of(number: u16) -> Option<ReservedPort> {
        let lock = UdpSocket::bind(("127.0.0.1", number)).ok()?;
        // Other programs ask for no lock.
        TcpListener::bind(("127.0.0.1", number)).ok()?;
        Some(ReservedPort { number, _lock: lock })
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.number
    }
}

/// The first port that the system hands out by itself.
fn first_handed_out() -> u16 {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(32_768)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_reserved_once() {
        let ports: Vec<ReservedPort> = (0..50).map(|_| ReservedPort::new()).collect();
        let numbers: std::collections::BTreeSet<u16> = ports.iter().map(ReservedPort::number).collect();
        assert_eq!(numbers.len(), 50);
        assert!(numbers.iter().all(|number| *number < first_handed_out()));
        assert!(ports.iter().all(|port| ReservedPort::of(port.number()).is_none()));
        drop(ports);
        assert!(numbers.into_iter().any(|number| ReservedPort::of(number).is_some()));
    }
}
