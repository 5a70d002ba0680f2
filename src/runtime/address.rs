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

/// What answers machines about themselves: with their settings, and with keys.
pub(in crate::runtime) const ABOUT_MACHINES: &str = "an address that answers machines about themselves";

/// Whether a provider's machines are told about themselves there. Some of these addresses are private ones, and one is
/// public. No name leads to one of them.
pub(in crate::runtime) fn describes_machines(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(
            address.octets(),
            // Nearly all of them; Azure; Alibaba; Oracle.
            [169, 254, 169 | 170, _] | [168, 63, 129, 16] | [100, 100, 100, 200] | [192, 0, 0, 192]
        ),
        IpAddr::V6(address) => match carried(address) {
            Some(inner) => describes_machines(IpAddr::V4(inner)),
            None => matches!(
                address.segments(),
                // Amazon, of which several answer; Google; Scaleway.
                [0xfd00, 0x0ec2, ..]
                    | [0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254]
                    | [0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x0042]
            ),
        },
    }
}

/// The IPv4 address inside an IPv6 one.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inner = |high: u16, low: u16| {
        let [[w, x], [y, z]] = [high.to_be_bytes(), low.to_be_bytes()];
        Some(Ipv4Addr::new(w, x, y, z))
    };
    match (a, b, c, d, e, f) {
        // Mapped, and the older compatible form.
        (0, 0, 0, 0, 0, 0xffff | 0) | (0, 0, 0, 0, 0xffff, 0) => inner(g, h),
        // NAT64: the well-known prefix.
        (0x64, 0xff9b, 0, 0, 0, 0) => inner(g, h),
        // 6to4 carries it behind its prefix, Teredo turned round at its end.
        (0x2002, ..) => inner(b, c),
        (0x2001, 0, ..) => inner(!g, !h),
        _ => None,
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
        _ if describes_machines(IpAddr::V4(address)) => ABOUT_MACHINES,
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
    if let Some(inner) = carried(address) {
        return not_public_v4(inner);
    }
    if describes_machines(IpAddr::V6(address)) {
        return Some(ABOUT_MACHINES);
    }
    let [a, b, c, d, ..] = address.segments();
    match (a, b, c, d) {
        // NAT64 for local use.
        (0x64, 0xff9b, 1, _) => Some("an address of a local translation (NAT64)"),
        (0x2001, 0x0db8, ..) | (0x3fff, 0..=0x0fff, ..) => Some("an address for documentation"),
        (0x2001, 0x0002, 0, _) => Some("an address for benchmarks"),
        (0x100, 0, 0, 0) => Some("an address that is discarded"),
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
            "168.63.129.15",
            "168.63.129.17",
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
            ("168.63.129.16", "about themselves"),
            ("::ffff:168.63.129.16", "about themselves"),
            ("fd00:ec2::254", "about themselves"),
            ("fd20:ce::254", "about themselves"),
            ("4000::1", "reserved"),
        ] {
            let found = not_public(text.parse().unwrap()).unwrap_or("public");
            assert!(found.contains(what), "{text}: {found}");
        }
    }

    #[test]
    fn what_answers_machines_about_themselves_is_known_in_every_form() {
        for (text, is_such) in [
            ("169.254.169.254", true),
            ("169.254.170.2", true),
            ("169.254.1.1", false),
            ("168.63.129.16", true),
            ("168.63.129.17", false),
            ("100.100.100.200", true),
            ("100.100.100.201", false),
            ("::ffff:169.254.169.254", true),
            ("64:ff9b::a83f:8110", true),
            ("fd00:ec2::254", true),
            ("fd00:ec2::23", true),
            ("fd20:ce::254", true),
            ("fd20:ce::253", false),
            ("fd00::254", false),
            ("fe80::1", false),
            ("8.8.8.8", false),
        ] {
            assert_eq!(describes_machines(text.parse().unwrap()), is_such, "{text}");
        }
    }
}
