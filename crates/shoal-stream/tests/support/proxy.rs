//! A wire between clients and a server, that can be cut: every connection breaks at once, whatever is on its way.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct Proxy {
    port: u16,
    wires: Arc<Mutex<Wires>>,
}

#[derive(Default)]
struct Wires {
    cut: bool,
    /// Whether what clients send gets lost, although they are connected.
    swallows: Arc<AtomicBool>,
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
                    carry(
                        client.try_clone().unwrap(),
                        server.try_clone().unwrap(),
                        Arc::clone(&wires.swallows),
                    );
                    carry(server, client, Arc::default());
                }
            }
        });
        Proxy { port, wires }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Nothing that clients send arrives any more, until the wire is cut and restored.
    pub(crate) fn swallow(&self) {
        self.wires.lock().unwrap().swallows.store(true, Ordering::SeqCst);
    }

    pub(crate) fn cut(&self) {
        let mut wires = self.wires.lock().unwrap();
        wires.cut = true;
        for wire in wires.open.drain(..) {
            let _ = wire.shutdown(Shutdown::Both);
        }
    }

    pub(crate) fn restore(&self) {
        let mut wires = self.wires.lock().unwrap();
        wires.cut = false;
        wires.swallows.store(false, Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, swallows: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 13];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if !swallows.load(Ordering::SeqCst) && to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
