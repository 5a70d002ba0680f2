//! A proxy that leads every call to one server, whatever host was asked for, so that no name is ever looked up.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub(crate) fn start(target: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (heard, target) = (Arc::clone(&asked), target.to_owned());
        std::thread::spawn(move || {
            while let Ok((socket, _)) = listener.accept() {
                serve(socket, &target, &heard);
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked for, as in `CONNECT model.test:443`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut client: TcpStream, target: &str, asked: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap_or(0) > 0 {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let Some((line, rest)) = head.split_once("\r\n") else { return };
    let words: Vec<&str> = line.split(' ').collect();
    asked.lock().unwrap().push(words[..2].join(" "));
    let mut server = TcpStream::connect(target).unwrap();
    if words[0] == "CONNECT" {
        client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
    } else {
        // To a proxy the whole address is said, to a server the path alone.
        let path = words[1].splitn(4, '/').nth(3).unwrap();
        server.write_all(format!("{} /{path} HTTP/1.1\r\n{rest}", words[0]).as_bytes()).unwrap();
    }
    for (mut from, mut to) in [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)] {
        std::thread::spawn(move || {
            std::io::copy(&mut from, &mut to).unwrap_or_default();
            to.shutdown(Shutdown::Write).unwrap_or_default();
        });
    }
}
