//! Names become addresses here, and nowhere else: what is judged is what is connected to.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::target::refusal;
use crate::runtime::address::{ABOUT_MACHINES, describes_machines, not_public};

/// Gives a connection only addresses that it may have. There is no second look-up in which a name could lead
/// elsewhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    /// Hosts that may be anywhere but where machines are told about themselves: one that the configuration names, or the
    /// proxies'.
    pub(super) exempt: Vec<String>,
}

/// Why a name leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(super) enum NameFault {
    /// It has addresses, and none that may be reached.
    #[error("{0}")]
    Refused(String),
    /// It has none.
    #[error("{0} has no address")]
    NoAddress(String),
}

/// Whether a request failed because the guard refused the name: that is among the causes which the client gives.
pub(super) fn is_refusal(failure: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(failure);
    while let Some(cause) = next {
        if matches!(cause.downcast_ref::<NameFault>(), Some(NameFault::Refused(_))) {
            return true;
        }
        next = cause.source();
    }
    false
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let is_exempt = self.exempt.iter().any(|host| host == name.as_str());
        Box::pin(async move {
            let found = addresses(name.as_str()).await?;
            let allowed =
                if is_exempt { listed(name.as_str(), found) } else { public(name.as_str(), found) }?;
            let addresses = allowed.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// The addresses of a name, as the system says.
pub(super) async fn addresses(name: &str) -> std::io::Result<Vec<IpAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
}

/// Those on the public internet.
///
/// # Errors
/// No such address.
fn public(name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, NameFault> {
    let (allowed, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|ip| not_public(*ip).is_none());
    match (allowed.is_empty(), others.first()) {
        (true, Some(first)) => {
            let what = not_public(*first).unwrap_or_default();
            Err(NameFault::Refused(refusal(name, &format!("at {first}, {what}"))))
        }
        (true, None) => Err(NameFault::NoAddress(name.to_owned())),
        (false, _) => Ok(allowed),
    }
}

/// Those to which a name that is listed may lead.
///
/// # Errors
/// No such address.
fn listed(name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, NameFault> {
    let (others, allowed): (Vec<_>, Vec<_>) = found.into_iter().partition(|ip| describes_machines(*ip));
    match (allowed.is_empty(), others.first()) {
        (true, Some(first)) => {
            Err(NameFault::Refused(format!("{name} is at {first}, {ABOUT_MACHINES}; no name may lead there")))
        }
        (true, None) => Err(NameFault::NoAddress(name.to_owned())),
        (false, _) => Ok(allowed),
    }
}

/// Whether a proxy may be asked for a name with these addresses: it takes whichever it likes, so each is judged.
///
/// # Errors
/// A sentence: where the name may not lead.
pub(super) fn of_proxy(name: &str, found: &[IpAddr], is_listed: bool) -> Result<(), String> {
    // Who lists an address means that one.
    if is_listed && name.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    for address in found {
        let one = vec![*address];
        let judged = if is_listed { listed(name, one) } else { public(name, one) };
        judged.map_err(|fault| fault.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::runtime::network::Network;

    #[test]
    fn a_listed_name_leads_anywhere_but_to_what_answers_machines_about_themselves() {
        let ips = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
        let inner = ["127.0.0.1", "10.0.0.1", "fd12::1"];
        assert_eq!(listed("wiki", ips(&inner)).unwrap(), ips(&inner));
        for about in ["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"] {
            assert_eq!(listed("wiki", ips(&[about, "10.0.0.1"])).unwrap(), ips(&["10.0.0.1"]));
            let why = listed("wiki", ips(&[about])).unwrap_err().to_string();
            assert!(why.contains("about themselves; no name may lead there"), "{why}");
            assert!(public("wiki", ips(&[about])).is_err());
        }
        assert!(listed("wiki", Vec::new()).unwrap_err().to_string().contains("no address"));
    }

    #[test]
    fn behind_a_proxy_no_address_of_a_name_may_be_refused() {
        let asked = |name: &str, texts: &[&str], is_listed| {
            let found: Vec<IpAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            of_proxy(name, &found, is_listed)
        };
        let about = "169.254.169.254";
        for (texts, is_listed, is_allowed) in [
            (&["8.8.8.8"][..], false, true),
            (&["8.8.8.8", "10.0.0.1"], false, false),
            (&["8.8.8.8", about], false, false),
            (&["10.0.0.1"], true, true),
            (&[about], true, false),
            (&["10.0.0.1", about], true, false),
            (&[], false, true),
            (&[], true, true),
        ] {
            assert_eq!(asked("wiki", texts, is_listed).is_ok(), is_allowed, "{texts:?} {is_listed}");
        }
        assert!(asked(about, &[about], true).is_ok(), "the address itself is listed");
        assert!(asked(about, &[about], false).is_err());
    }

    #[test]
    fn a_name_with_a_private_address_is_reached_at_its_public_ones_alone() {
        let ips = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
        assert_eq!(public("a", ips(&["127.0.0.1", "8.8.8.8", "::1"])).unwrap(), ips(&["8.8.8.8"]));
        let why = public("rebind.example", ips(&["10.0.0.1"])).unwrap_err().to_string();
        assert!(why.contains("rebind.example is at 10.0.0.1, a private address"), "{why}");
        assert!(public("a", Vec::new()).unwrap_err().to_string().contains("no address"));
    }

    #[tokio::test]
    async fn the_guard_judges_what_the_system_says() {
        let guard = Guard::default();
        let why = guard.resolve("localhost".parse().unwrap()).await.err().unwrap().to_string();
        assert!(why.contains("loopback"), "{why}");
        let open = Guard { exempt: vec!["localhost".to_owned()] };
        assert!(open.resolve("localhost".parse().unwrap()).await.unwrap().all(|a| a.ip().is_loopback()));
    }

    /// A resolver that fails like this.
    struct Finds(fn() -> NameFault);

    impl Resolve for Finds {
        fn resolve(&self, _name: Name) -> Resolving {
            let found: Result<Addrs, Box<dyn Error + Send + Sync>> = Err((self.0)().into());
            Box::pin(async move { found })
        }
    }

    #[tokio::test]
    async fn a_refusal_is_known_among_the_causes_of_the_client_and_not_by_its_words() {
        let refused: fn() -> NameFault = || NameFault::Refused("it may not be reached".to_owned());
        let without: fn() -> NameFault = || NameFault::NoAddress("tools.fetch.allow_hosts".to_owned());
        for (fault, is_it) in [(refused, true), (without, false)] {
            let builder = reqwest::Client::builder().no_proxy().dns_resolver(Arc::new(Finds(fault)));
            let address = reqwest::Url::parse("http://name.example/").unwrap();
            let client = Network::default().equip(builder, &address).unwrap();
            let failure = client.get(address).send().await.unwrap_err();
            assert_eq!(is_refusal(&failure), is_it, "{failure:?}");
        }
    }
}
