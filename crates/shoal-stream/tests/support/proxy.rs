//! A wire between clients and a server, that can be cut: every connection breaks at once, whatever is on its way.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) struct Proxy {
    port: u16,
    wires: Arc<Mutex<Wires>>,
}

#[derive(Default)]
struct Wires {
    cut: bool,
    open: Vec<TcpStream>,
}

impl Proxy {
    /// Listens on a free port and connects to what listens on `server`.
    pub(crate) fn start(listener: TcpListener, server: u16) -> Proxy {
        let port = listener.local_addr().unwrap().port();
        let wires = Arc::new(Mutex::new(Wires::default()));
        let shared = Arc::clone(&wires);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut wires = shared.lock().unwrap();
                // Dropped where it is cut.
                if !wires.cut
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", server))
                {
                    wires.open.extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                    carry(client.try_clone().unwrap(), server.try_clone().unwrap());
                    carry(server, client);
                }
            }
        });
        Proxy { port, wires }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn cut(&self) {
        let mut wires = self.wires.lock().unwrap();
        wires.cut = true;
        for wire in wires.open.drain(..) {
            let _ = wire.shutdown(Shutdown::Both);
        }
    }

    pub(crate) fn restore(&self) {
        self.wires.lock().unwrap().cut = false;
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}
