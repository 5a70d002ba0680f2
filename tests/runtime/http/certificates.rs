//! Secure connections: whose certificates are trusted, and what is said when one is not.

use countersign::model::FailureClass;
use countersign::runtime::Network;
use countersign::wire::Protocol;

use crate::http::authority::Authority;
use crate::http::bytes::{ByteServer, answer, whole};
use crate::http::{failure, in_a_child, is_a_child, model, model_through, said_by};
use crate::model_server::{ModelServer, Reply};
use crate::support::history::user;

fn trusting(authority: &Authority) -> Network {
    Network { ca_file: Some(authority.file()), ..Network::default() }
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_when_the_configuration_names_it() {
    let (ours, other) = (Authority::new(), Authority::new());
    let address = ours.serve("127.0.0.1", vec![whole("Hello."), Vec::new()]);
    let base = format!("https://{address}");
    assert_eq!(said_by(&model_through(&base, trusting(&ours))).await, Ok("Hello.".to_owned()));
    let refused = said_by(&model_through(&base, trusting(&other))).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::Transient, "{refused:?}");
    assert!(refused.message.contains(&base) && refused.message.contains("certificate"), "{refused:?}");
    assert!(
        refused.next.contains("network.ca_file") && refused.next.contains("SSL_CERT_FILE"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_trusted() {
    let ours = Authority::new();
    let address = ours.serve("model.test", vec![Vec::new()]);
    let refused = said_by(&model_through(&format!("https://{address}"), trusting(&ours))).await.unwrap_err();
    assert!(refused.message.contains("certificate not valid for name"), "{refused:?}");
}

#[tokio::test]
async fn an_authority_that_a_variable_names_is_trusted() {
    let name = "certificates::an_authority_that_a_variable_names_is_trusted";
    if is_a_child() {
        let base = std::env::var("COUNTERSIGN_TEST_BASE").unwrap();
        return assert_eq!(said_by(&model(Protocol::Anthropic, &base)).await, Ok("Hello.".to_owned()));
    }
    let ours = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    // A folder of certificates has them under their hashes, as the usual tools lay them out.
    std::fs::copy(ours.file(), folder.path().join("0a1b2c3d.0")).unwrap();
    let (file, folder) = (ours.file().display().to_string(), folder.path().display().to_string());
    for (variable, value) in [("SSL_CERT_FILE", &file), ("SSL_CERT_DIR", &folder)] {
        let address = ours.serve("127.0.0.1", vec![whole("Hello.")]);
        let base = format!("https://{address}");
        in_a_child(name, &[(variable, value), ("COUNTERSIGN_TEST_BASE", &base)]);
    }
}

#[tokio::test]
async fn a_file_without_certificates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "none here").unwrap();
    for (file, why) in [("empty.pem", "it contains none"), ("missing.pem", "No such file")] {
        let network = Network { ca_file: Some(folder.path().join(file)), ..Network::default() };
        let refused = said_by(&model_through("https://127.0.0.1:9", network)).await.unwrap_err();
        assert!(refused.message.contains(file) && refused.message.contains(why), "{refused:?}");
        assert!(refused.next.contains("network.ca_file"), "{refused:?}");
    }
}

/// What answers in plain HTTP, or in anything else that is not TLS.
#[tokio::test]
async fn a_server_without_tls_is_told_apart() {
    let ours = Authority::new();
    let bad_request = answer("400 Bad Request", &[("content-type", "text/plain")], b"You spoke TLS to me.");
    for garbage in [bad_request, b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()] {
        let server = ByteServer::start(vec![garbage]);
        let base = format!("https://{}", server.address());
        let refused = said_by(&model_through(&base, trusting(&ours))).await.unwrap_err();
        assert_eq!(refused.class, FailureClass::Transient);
        assert!(refused.message.contains(&base) && refused.next.contains("http://"), "{refused:?}");
    }
}

/// The certificate store is found by the environment, so a process of its own has none.
#[tokio::test]
async fn without_certificates_only_secure_servers_are_out_of_reach() {
    if !is_a_child() {
        let nowhere = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wire/no-such-folder");
        let name = "certificates::without_certificates_only_secure_servers_are_out_of_reach";
        return in_a_child(name, &[("SSL_CERT_FILE", nowhere), ("SSL_CERT_DIR", nowhere)]);
    }
    let server = ModelServer::start(vec![Reply::text("Hello.")]);
    assert_eq!(said_by(&model(Protocol::Anthropic, &server.base_url())).await, Ok("Hello.".to_owned()));
    let failure = failure(&model(Protocol::Anthropic, "https://127.0.0.1:9"), vec![user("Hi")]).await;
    assert_eq!(failure.class, FailureClass::Protocol, "{failure:?}");
    assert!(failure.next.contains("certificates"), "{failure:?}");
}
