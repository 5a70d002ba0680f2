//! An authority for certificates that nobody knows, and a server that shows one of them.

use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::http::bytes::read_request;

pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
        Self { issuer: Issuer::new(params, key), folder }
    }

    /// The file with its own certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// A server with a certificate for `name`; each connection gets one of the answers. Gives its address.
    pub(crate) fn serve(&self, name: &str, answers: Vec<Vec<u8>>) -> String {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            )
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for answer in answers {
                let (socket, _) = listener.accept().unwrap();
                let mut stream =
                    StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket);
                // A client that does not trust the certificate leaves here.
                if !read_request(&mut stream).is_empty() {
                    stream.write_all(&answer).unwrap_or_default();
                    stream.conn.send_close_notify();
                    stream.flush().unwrap_or_default();
                }
            }
        });
        address
    }
}
