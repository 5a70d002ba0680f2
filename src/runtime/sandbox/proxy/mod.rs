//! The way of one confined command to the hosts that it may reach, and to no others.
//!
//! The command has a network of its own with nothing in it but itself. While it is being confined it listens there, and
//! hands the listening socket to us through a socket in a private folder. What it says to its own port is then heard here,
//! outside, where the name of the host decides. Nobody else can reach that port, so it needs no password.

mod connection;
mod gate;
mod head;

use std::io;
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tempfile::TempDir;
use tokio::io::Interest;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::tool::NamedHost;
use gate::Gate;

/// Where the command reaches it, on its own 127.0.0.1. Its network is its own, so no other program has the port.
pub(super) const PORT: u16 = 3128;
/// Most connections at once.
const MOST_CONNECTIONS: usize = 64;
/// How programs are told of it.
const VARIABLES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
const EXCEPT: [&str; 2] = ["no_proxy", "NO_PROXY"];
/// What the command reaches by itself: its own servers.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Serves one command until it is dropped.
#[derive(Debug)]
pub(in crate::runtime) struct Proxy {
    gate: Arc<Gate>,
    folder: TempDir,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Waits for a command that may reach these hosts.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn start(hosts: Vec<NamedHost>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("countersign-").tempdir()?;
        let listener = UnixListener::bind(socket(folder.path()))?;
        let gate = Arc::new(Gate { hosts, ..Gate::default() });
        let task = tokio::spawn(serve(listener, Arc::clone(&gate)));
        Ok(Self { gate, folder, task })
    }

    /// Where the command hands over its socket.
    pub(super) fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    /// What a program needs in its environment to find it.
    pub(in crate::runtime) fn variables(&self) -> Vec<(&'static str, String)> {
        let address = format!("http://127.0.0.1:{PORT}");
        // A server of this machine that the user named is reached through it, as others are.
        let is_named = |own: &str| self.gate.hosts.iter().any(|host| host.names(own));
        let own: Vec<&str> = OWN.into_iter().filter(|own| !is_named(own)).collect();
        let except = own.join(",").replace(['[', ']'], "");
        let through = VARIABLES.map(|name| (name, address.clone()));
        through.into_iter().chain(EXCEPT.map(|name| (name, except.clone()))).collect()
    }

    /// The hosts that it did not let through, as far as they are remembered.
    pub(super) fn blocked(&self) -> Vec<String> {
        let blocked = self.gate.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        blocked.iter().map(ToString::to_string).collect()
    }

    /// Why it did not reach hosts that it was let through to, a sentence each.
    pub(super) fn missed(&self) -> Vec<String> {
        self.gate.missed.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Where a command hands over its socket, in a folder that is private.
pub(super) fn socket(folder: &Path) -> PathBuf {
    folder.join("socket")
}

/// Takes the listening socket of one command, and then its connections. What is dropped with it is closed.
async fn serve(handed: UnixListener, gate: Arc<Gate>) {
    let listener = match take(handed).await {
        Ok(listener) => listener,
        Err(why) => return tracing::warn!("the network of a confined command was not handed over: {why}"),
    };
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let gate = Arc::clone(&gate);
                connections.spawn(async move {
                    connection::serve(stream, &gate).await;
                    drop(place);
                });
            }
            Err(why) => return tracing::warn!("a confined command cannot be heard any more: {why}"),
        }
        while connections.try_join_next().is_some() {}
    }
}

/// The socket that the first who connects hands over.
async fn take(handed: UnixListener) -> io::Result<tokio::net::TcpListener> {
    let (stream, _) = handed.accept().await?;
    drop(handed);
    let listener = loop {
        stream.readable().await?;
        match stream.try_io(Interest::READABLE, || receive(&stream)) {
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
            received => break received?,
        }
    };
    let listener = TcpListener::from(listener);
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

fn receive(stream: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::CMSG_CLOEXEC;
    recvmsg(stream.as_fd(), &mut [io::IoSliceMut::new(&mut byte)], &mut control, flags)?;
    let mut sockets = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    sockets.next().ok_or_else(|| io::Error::other("it sent no socket"))
}
