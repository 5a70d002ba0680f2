//! How servers are reached: through which proxy, trusting whose certificates, and what went wrong on the way.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, NoProxy, Proxy, StatusCode, Url, redirect};

use crate::model::{FailureClass, ModelFailure};

use super::regular::open_regular;

/// Most bytes of a file of certificates; the system's own have a quarter of a megabyte.
const MOST_CERTIFICATES: u64 = 16 * 1024 * 1024;

/// What the configuration says of the network. Proxies and certificates that the usual variables name (`HTTPS_PROXY`,
/// `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`, `SSL_CERT_DIR`) hold without it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    /// The proxy of all calls but those to this machine and to the hosts of `NO_PROXY`; in the place of the variables'.
    pub proxy: Option<String>,
    /// A file of PEM certificates that are trusted like the system's own.
    pub ca_file: Option<PathBuf>,
}

impl Network {
    /// A client for one server. Redirects that lead to another server are not followed: they would carry the key
    /// along.
    ///
    /// # Errors
    /// A proxy or certificates that cannot be used, each with what to do.
    pub(super) fn client(&self, url: &Url, connect: Duration) -> Result<Client, ModelFailure> {
        let builder = Client::builder()
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(connect)
            .redirect(redirect::Policy::custom(same_server));
        self.equip(builder, url)
    }

    /// Makes a client that reaches the server of `url` as the configuration says.
    ///
    /// # Errors
    /// A proxy or certificates that cannot be used, each with what to do.
    pub(super) fn equip(&self, builder: ClientBuilder, url: &Url) -> Result<Client, ModelFailure> {
        // Only the first caller in the process wins; all of them install the same.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let builder = self.with_proxy(builder, url)?;
        let builder = self.with_certificates(builder, url)?;
        builder.build().map_err(|error| ModelFailure {
            next: "Install the system's certificates (often the package ca-certificates), or set \
                SSL_CERT_FILE or network.ca_file to a file with certificates; then try again."
                .to_owned(),
            ..ModelFailure::new(
                FailureClass::Protocol,
                format!("Secure connections cannot be set up: {}.", cause(&error)),
            )
        })
    }

    fn with_proxy(&self, builder: ClientBuilder, url: &Url) -> Result<ClientBuilder, ModelFailure> {
        // No proxy leads back to this machine.
        if is_loopback(url) {
            return Ok(builder.no_proxy());
        }
        let Some(address) = &self.proxy else { return Ok(builder) };
        match Proxy::all(address) {
            Ok(proxy) => Ok(builder.proxy(proxy.no_proxy(NoProxy::from_env()))),
            Err(_unreadable) => Err(ModelFailure {
                next: "Set network.proxy to an address like http://proxy.example:3128.".to_owned(),
                ..ModelFailure::new(FailureClass::Protocol, "The address of the proxy cannot be read.")
            }),
        }
    }

    fn with_certificates(&self, builder: ClientBuilder, url: &Url) -> Result<ClientBuilder, ModelFailure> {
        // Plain HTTP needs no certificates, and a machine without a store of them must still reach a local server.
        let proxy_is_secure = self.proxy.as_ref().is_some_and(|proxy| proxy.starts_with("https://"));
        if url.scheme() == "http" && (is_loopback(url) || !proxy_is_secure) {
            return Ok(builder.tls_certs_only([]));
        }
        let Some(path) = &self.ca_file else { return Ok(builder) };
        let certificates = read_certificates(path)
            .map_err(|error| error.to_string())
            .and_then(|pem| Certificate::from_pem_bundle(&pem).map_err(|error| cause(&error)))
            .and_then(|found| if found.is_empty() { Err("it contains none".to_owned()) } else { Ok(found) });
        match certificates {
            Ok(certificates) => Ok(builder.tls_certs_merge(certificates)),
            Err(why) => Err(ModelFailure {
                next: "Set network.ca_file to a file of PEM certificates.".to_owned(),
                ..ModelFailure::new(
                    FailureClass::Protocol,
                    format!("The certificates in {} cannot be used: {why}.", path.display()),
                )
            }),
        }
    }
}

fn read_certificates(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut pem = Vec::new();
    open_regular(path)?.0.take(MOST_CERTIFICATES).read_to_end(&mut pem)?;
    Ok(pem)
}

/// What to do about a server that cannot be reached; `base` is its address as it may be shown.
pub(super) fn way_out(error: &reqwest::Error, base: &str) -> String {
    let all = chain(error).join(" ").to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| all.contains(word));
    if says(&["invalid peer certificate"]) {
        "If you trust the certificate's authority, set network.ca_file or SSL_CERT_FILE to the authority's \
        file."
            .to_owned()
    } else if says(&["tunnel", "proxy", "socks"]) {
        format!(
            "Check the proxy (network.proxy, or the variables HTTPS_PROXY and ALL_PROXY); to reach {base} \
            without the proxy, add it to NO_PROXY."
        )
    } else if says(&["dns error", "failed to lookup"]) {
        format!(
            "Check the host in the base URL ({base}) and the network; if it needs a proxy, set HTTPS_PROXY or network.proxy."
        )
    } else if says(&["corrupt message", "handshake", "alert"]) {
        format!("Does the server speak TLS? If it does not, write http:// in the base URL ({base}).")
    } else {
        format!("Is the server running, and is the base URL ({base}) right? Then send the message again.")
    }
}

/// The innermost cause: the outer ones only say that something failed, and name the URL.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let innermost = chain(error).pop().unwrap_or_default();
    innermost.trim_end_matches('.').to_owned()
}

/// What an error says, from the outside in.
fn chain(error: &reqwest::Error) -> Vec<String> {
    let mut innermost: &dyn std::error::Error = error;
    let mut said = vec![innermost.to_string()];
    while let Some(inner) = innermost.source() {
        innermost = inner;
        said.push(innermost.to_string());
    }
    said
}

/// Followed: to the same server, by a redirect that keeps the request what it is.
fn same_server(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let origin = attempt.previous().first().map(Url::origin);
    let keeps_the_request =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    if keeps_the_request && origin == Some(attempt.url().origin()) && attempt.previous().len() <= 3 {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
