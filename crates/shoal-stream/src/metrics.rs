//! The figures for Prometheus, over HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Figures, StreamError};

/// Figures that another thread serves.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Figures>>);

impl Shared {
    pub(crate) fn set(&self, figures: Figures) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = figures;
    }

    fn get(&self) -> Figures {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Most bytes of a request. Prometheus sends a few hundred.
const MOST_BYTES: usize = 8 << 10;
/// How long a client may take for its request, altogether, and then for its answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most clients at a time. Whoever comes beyond that is turned away at once.
const MOST_CLIENTS: usize = 16;

/// Serves `GET /metrics` until the process ends. Gives back where: port 0 chooses one.
///
/// Clients are strangers. Each has a thread of its own, so that one that is slow holds up nobody else; there are few of
/// them, they have little time and little room, and none of them can hold up the stream, which only leaves its figures.
pub(crate) fn serve(address: SocketAddr, figures: Shared) -> Result<SocketAddr, StreamError> {
    let fail = |error| StreamError::Metrics { address, error };
    let listener = TcpListener::bind(address).map_err(fail)?;
    let bound = listener.local_addr().map_err(fail)?;
    let clients = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(connection) = connection else {
                // Out of file handles, mostly: asking again at once would only burn time.
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            let client = Client::new(&clients);
            if clients.load(Ordering::Relaxed) > MOST_CLIENTS {
                continue;
            }
            let figures = figures.clone();
            // Whoever asks badly or goes away gets nothing; the stream does not care.
            let started = thread::Builder::new().name("metrics".to_owned()).spawn(move || {
                let _client = client;
                let _ = answer(connection, &figures);
            });
            drop(started);
        }
    });
    Ok(bound)
}

/// A client, counted while it is there.
struct Client(Arc<AtomicUsize>);

impl Client {
    fn new(clients: &Arc<AtomicUsize>) -> Client {
        clients.fetch_add(1, Ordering::Relaxed);
        Client(Arc::clone(clients))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn answer(mut connection: TcpStream, figures: &Shared) -> std::io::Result<()> {
    connection.set_write_timeout(Some(PATIENCE))?;
    let (status, body) = match read_request(&mut connection)? {
        None => ("431 Request Header Fields Too Large", "the request is too long\n".to_owned()),
        Some(request) => match request.split(' ').nth(1) {
            Some("/metrics") => ("200 OK", figures.get().to_prometheus()),
            _ => ("404 Not Found", "the figures are at /metrics\n".to_owned()),
        },
    };
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The first line of a request, once all of its head has come: closing a connection with bytes unread would reset it. None
/// where it is too long; an error where it takes too long, however the bytes drip.
fn read_request(connection: &mut TcpStream) -> std::io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let mut head = Vec::with_capacity(1024);
    let mut chunk = [0; 1024];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && !head.windows(2).any(|two| two == b"\n\n") {
        if head.len() >= MOST_BYTES {
            return Ok(None);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        connection.set_read_timeout(Some(left))?;
        match connection.read(&mut chunk)? {
            0 => break,
            length => head.extend_from_slice(&chunk[..length]),
        }
    }
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(line).trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(address: SocketAddr, path: &str) -> String {
        let mut connection = TcpStream::connect(address).unwrap();
        write!(connection, "GET {path} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn figures_are_served_as_they_stand() {
        let shared = Shared::default();
        let address = serve("127.0.0.1:0".parse().unwrap(), shared.clone()).unwrap();
        shared.set(Figures { tuples_now: 12, ..Figures::default() });
        assert!(get(address, "/metrics").contains("\nshoal_tuples_total 12\n"));
        shared.set(Figures { tuples_now: 13, ..Figures::default() });
        assert!(get(address, "/metrics").contains("\nshoal_tuples_total 13\n"));
        assert!(get(address, "/").starts_with("HTTP/1.1 404"));
        assert!(serve(address, shared).is_err());
    }

    #[test]
    fn clients_that_drip_hold_up_nobody() {
        let shared = Shared::default();
        let address = serve("127.0.0.1:0".parse().unwrap(), shared.clone()).unwrap();
        // Fewer than may come at a time, each with a request that never ends.
        let mut slow: Vec<TcpStream> =
            (0..MOST_CLIENTS - 4).map(|_| TcpStream::connect(address).unwrap()).collect();
        slow.iter_mut().for_each(|client| client.write_all(b"GET /metrics").unwrap());
        assert!(get(address, "/metrics").starts_with("HTTP/1.1 200"));
        // They are given up, although a byte comes now and then.
        let dripping = thread::spawn(move || {
            let gone = |client: &mut TcpStream| {
                client.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
                matches!(client.read(&mut [0; 16]), Ok(0))
            };
            for _ in 0..1000 {
                slow.retain_mut(|client| client.write_all(b"x").is_ok() && !gone(client));
                if slow.is_empty() {
                    return true;
                }
                thread::sleep(Duration::from_millis(10));
            }
            false
        });
        assert!(dripping.join().unwrap(), "a client that drips is never given up");
        assert!(get(address, "/metrics").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn a_request_without_an_end_is_cut_off() {
        let address = serve("127.0.0.1:0".parse().unwrap(), Shared::default()).unwrap();
        let mut client = TcpStream::connect(address).unwrap();
        let mut sent = 0;
        // As much as is taken: far more than a request may have, and far less than what is offered.
        while sent < 3 << 30 && client.write_all(&[b'x'; 1 << 16]).is_ok() {
            sent += 1 << 16;
        }
        assert!(sent < 64 << 20, "{sent} bytes were taken");
        assert!(get(address, "/metrics").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn too_many_clients_are_turned_away_and_the_next_is_served_when_they_are_gone() {
        let address = serve("127.0.0.1:0".parse().unwrap(), Shared::default()).unwrap();
        let idle: Vec<TcpStream> =
            (0..4 * MOST_CLIENTS).map(|_| TcpStream::connect(address).unwrap()).collect();
        drop(idle);
        let served = (0..1000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            let mut client = TcpStream::connect(address).unwrap();
            let mut text = String::new();
            client.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").is_ok()
                && client.read_to_string(&mut text).is_ok()
                && text.starts_with("HTTP/1.1 200")
        });
        assert!(served);
    }
}
