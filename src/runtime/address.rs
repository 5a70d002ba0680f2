//! Which addresses are the public internet, and what the others are.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is when it is not on the public internet, as in `a private address`; `None` when it is.
///
/// An IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4, Teredo) is judged as well: whoever
/// translates it connects to that one.
pub(in crate::runtime) fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "an address without a host",
        (127, ..) => "a loopback address",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "a private address",
        (169, 254, _) => "a link-local address",
        (100, 64..=127, _) => "an address of a provider's inner network (CGNAT)",
        (192, 0, 0) => "a reserved address",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "an address for documentation",
        (192, 88, 99) => "an address of 6to4 relays",
        (198, 18 | 19, _) => "an address for benchmarks",
        (224..=239, ..) => "a multicast address",
        (240..=255, ..) => "a reserved address",
        _ => return None,
    })
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    if address.is_unspecified() {
        return Some("an address without a host");
    }
    if address.is_loopback() {
        return Some("a loopback address");
    }
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inner = |high: u16, low: u16| {
        let [[w, x], [y, z]] = [high.to_be_bytes(), low.to_be_bytes()];
        not_public_v4(Ipv4Addr::new(w, x, y, z))
    };
    match (a, b, c, d, e, f) {
        // Mapped, and the older compatible form.
        (0, 0, 0, 0, 0, 0xffff | 0) => inner(g, h),
        (0, 0, 0, 0, 0xffff, 0) => inner(g, h),
        // NAT64: the well-known prefix, and the one for local use.
        (0x64, 0xff9b, 0, 0, 0, 0) => inner(g, h),
        (0x64, 0xff9b, 1, ..) => Some("an address of a local translation (NAT64)"),
        // 6to4 carries it behind its prefix, Teredo turned round at its end.
        (0x2002, ..) => inner(b, c),
        (0x2001, 0, ..) => inner(!g, !h),
        (0x2001, 0x0db8, ..) | (0x3fff, 0..=0x0fff, ..) => Some("an address for documentation"),
        (0x2001, 0x0002, 0, ..) => Some("an address for benchmarks"),
        (0x100, 0, 0, 0, ..) => Some("an address that is discarded"),
        (0xfc00..=0xfdff, ..) => Some("a private address (unique local)"),
        (0xfe80..=0xfebf, ..) => Some("a link-local address"),
        (0xfec0..=0xfeff, ..) => Some("a private address (site-local)"),
        (0xff00..=0xffff, ..) => Some("a multicast address"),
        // All that is given out so far lies in 2000::/3.
        (0x2000..=0x3fff, ..) => None,
        _ => Some("a reserved address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_ones() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "192.169.0.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
        ] {
            assert_eq!(not_public(text.parse().unwrap()), None, "{text}");
        }
    }

    #[test]
    fn all_others_are_told_apart() {
        for (text, what) in [
            ("0.0.0.0", "without a host"),
            ("0.1.2.3", "without a host"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("10.1.2.3", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("169.254.169.254", "link-local"),
            ("100.64.0.1", "CGNAT"),
            ("100.127.255.255", "CGNAT"),
            ("192.0.0.170", "reserved"),
            ("198.18.0.1", "benchmarks"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.250", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "without a host"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:10.0.0.1", "private"),
            ("::7f00:1", "loopback"),
            ("::ffff:0:127.0.0.1", "loopback"),
            ("64:ff9b::7f00:1", "loopback"),
            ("64:ff9b::a9fe:a9fe", "link-local"),
            ("64:ff9b:1::1", "NAT64"),
            ("2002:7f00:1::", "loopback"),
            ("2001:0:0:0:0:0:80ff:fffe", "loopback"),
            ("2001:db8::1", "documentation"),
            ("100::1", "discarded"),
            ("fc00::1", "unique local"),
            ("fd12:3456::1", "unique local"),
            ("fe80::1", "link-local"),
            ("febf::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("4000::1", "reserved"),
        ] {
            let found = not_public(text.parse().unwrap()).unwrap_or("public");
            assert!(found.contains(what), "{text}: {found}");
        }
    }
}
