//! A network of the command's own: loopback, and one port on it that others hear.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, send, sendmsg, socket_with,
};

use super::super::proxy::PORT;

/// Sets loopback up and gives the socket that listens on it to whoever listens at `proxy`. For a process in a new network
/// namespace, before it gives up its powers.
pub(super) fn hand_over(proxy: &Path) -> Result<(), String> {
    let failed = |why: io::Error| format!("a network of its own cannot be set up: {why}");
    set_loopback_up().map_err(failed)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).map_err(failed)?;
    let to = UnixStream::connect(proxy).map_err(failed)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err(failed(io::Error::other("no room for a socket")));
    }
    sendmsg(&to, &[IoSlice::new(b"s")], &mut control, SendFlags::NOSIGNAL)
        .map(|_| ())
        .map_err(|why| failed(why.into()))
}

/// A new network has loopback, and it is down.
fn set_loopback_up() -> io::Result<()> {
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&kernel, &up(), SendFlags::empty())?;
    let mut answer = [0_u8; 256];
    let (_, length) = recv(&kernel, &mut answer, RecvFlags::empty())?;
    // A header of 16 bytes, then the error, negated; 0 is none.
    let code = answer.get(16..20).filter(|_| length >= 20).and_then(|four| four.try_into().ok());
    match code.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::other("the kernel's answer is too short")),
    }
}

/// RTM_NEWLINK for the first interface, which is loopback: IFF_UP is to be set.
fn up() -> [u8; 32] {
    const RTM_NEWLINK: u16 = 16;
    /// NLM_F_REQUEST and NLM_F_ACK.
    const FLAGS: u16 = 1 | 4;
    const LOOPBACK: i32 = 1;
    const IFF_UP: u32 = 1;
    let mut message = [0; 32];
    let parts: [(usize, &[u8]); 6] = [
        (0, &32_u32.to_ne_bytes()),
        (4, &RTM_NEWLINK.to_ne_bytes()),
        (6, &FLAGS.to_ne_bytes()),
        (20, &LOOPBACK.to_ne_bytes()),
        (24, &IFF_UP.to_ne_bytes()),
        (28, &IFF_UP.to_ne_bytes()),
    ];
    for (at, part) in parts {
        if let Some(place) = message.get_mut(at..at + part.len()) {
            place.copy_from_slice(part);
        }
    }
    message
}
