//! The figures for Prometheus, over HTTP.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

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

/// Serves `GET /metrics` until the process ends. Gives back where: port 0 chooses one.
pub(crate) fn serve(address: SocketAddr, figures: Shared) -> Result<SocketAddr, StreamError> {
    let fail = |error| StreamError::Metrics { address, error };
    let listener = TcpListener::bind(address).map_err(fail)?;
    let bound = listener.local_addr().map_err(fail)?;
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // Whoever asks badly or goes away gets nothing; the stream does not care.
            let _ = answer(connection, &figures);
        }
    });
    Ok(bound)
}

fn answer(mut connection: TcpStream, figures: &Shared) -> std::io::Result<()> {
    connection.set_read_timeout(Some(Duration::from_secs(2)))?;
    connection.set_write_timeout(Some(Duration::from_secs(2)))?;
    let mut lines = BufReader::new(connection.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The rest of the request is read, so that closing the connection does not reset it.
    for line in lines.take(100) {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/metrics" => ("200 OK", figures.get().to_prometheus()),
        _ => ("404 Not Found", "the figures are at /metrics\n".to_owned()),
    };
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read;

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
}
