//! How servers are reached: hosts that are not there, redirects, proxies.

use countersign::model::FailureClass;
use countersign::runtime::Network;
use countersign::wire::Protocol;

use crate::http::authority::Authority;
use crate::http::bytes::{ByteServer, answer, whole};
use crate::http::proxies::Proxy;
use crate::http::{ALL, KEY, failure, in_a_child, is_a_child, model, model_through, said_by};
use crate::model_server::{ModelServer, Reply};
use crate::support::history::user;

#[tokio::test]
async fn an_unreachable_server_is_named_with_what_to_do() {
    // A port that was free a moment ago refuses connections.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base = format!("http://127.0.0.1:{port}");
    for protocol in ALL {
        let failure = failure(&model(protocol, &base), vec![user("Hi")]).await;
        assert_eq!(failure.class, FailureClass::Transient);
        assert!(failure.message.contains(&base) && failure.message.contains("refused"), "{failure:?}");
        assert!(failure.next.contains("running") && failure.next.contains("base URL"), "{failure:?}");
    }
    for base in ["not a url", "localhost:8080", "file:///etc/passwd", ""] {
        let failure = failure(&model(Protocol::OpenAiChat, base), vec![user("Hi")]).await;
        assert_eq!(failure.class, FailureClass::BadRequest, "{failure:?}");
        assert!(failure.next.contains("base URL"), "{failure:?}");
    }
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    for protocol in ALL {
        let other = ModelServer::start(vec![Reply::text("stolen")]);
        let moved = Reply::raw(307, "text/plain", "")
            .header("location", &format!("{}/v1/messages", other.base_url()));
        let server = ModelServer::start(vec![moved]);
        let failure = failure(&model(protocol, &server.base_url()), vec![user("Hi")]).await;
        assert_eq!(failure.class, FailureClass::Protocol);
        assert!(
            failure.message.contains(&other.base_url()) && failure.next.contains("base URL"),
            "{failure:?}"
        );
        assert_eq!(other.requests().len(), 0);
    }
}

/// The key stays with the server that it is for, and a call stays a call: a redirect may at most change the path.
#[tokio::test]
async fn only_a_redirect_within_the_server_that_keeps_the_request_is_followed() {
    let moved = |status: &str, to: &str| answer(status, &[("location", to)], b"");
    let server = ByteServer::start(vec![moved("308 Permanent Redirect", "/elsewhere"), whole("Here.")]);
    assert_eq!(said_by(&model(Protocol::Anthropic, &server.base_url())).await, Ok("Here.".to_owned()));
    let asked = server.asked();
    assert!(
        asked[1].starts_with("POST /elsewhere ") && asked[1].contains(KEY) && asked[1].contains("messages")
    );
    // These would make another request of it, or speak to another server: a port is another, and so is TLS.
    for (status, to) in [
        ("301 Moved Permanently", "/elsewhere"),
        ("302 Found", "/login?next=models"),
        ("307 Temporary Redirect", "https://127.0.0.1:9/v1/messages"),
        ("307 Temporary Redirect", "http://127.0.0.1:9/v1/messages"),
    ] {
        let server = ByteServer::start(vec![moved(status, to)]);
        let refused = said_by(&model(Protocol::Anthropic, &server.base_url())).await.unwrap_err();
        assert_eq!((refused.class, server.asked().len()), (FailureClass::Protocol, 1), "{refused:?}");
        let shown = to.split('?').next().unwrap();
        assert!(
            refused.message.contains(&format!("to {shown})")) && refused.next.contains("base URL"),
            "{refused:?}"
        );
    }
    let circle = ByteServer::start(vec![moved("307 Temporary Redirect", "/round"); 9]);
    let refused = said_by(&model(Protocol::Anthropic, &circle.base_url())).await.unwrap_err();
    assert_eq!((refused.class, circle.asked().len()), (FailureClass::Protocol, 4), "{refused:?}");
}

/// A part of a name has at most 63 letters, so this one is refused before anybody is asked for it.
#[tokio::test]
async fn a_host_that_is_not_found_is_named() {
    let base = format!("http://{}.invalid", "no-such-host".repeat(8));
    let refused = said_by(&model(Protocol::OpenAiChat, &base)).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::Transient, "{refused:?}");
    assert!(refused.message.contains(&base), "{refused:?}");
    assert!(refused.next.contains("host in the base URL") && refused.next.contains("proxy"), "{refused:?}");
}

#[tokio::test]
async fn the_proxy_of_the_configuration_is_used_but_for_this_machine() {
    let server = ModelServer::start(vec![Reply::text("One."), Reply::text("Two.")]);
    let proxy = Proxy::start(server.base_url().trim_start_matches("http://"));
    let network = || Network { proxy: Some(proxy.url()), ..Network::default() };
    let far = model_through("http://model.test", network());
    assert_eq!(said_by(&far).await, Ok("One.".to_owned()));
    assert_eq!(proxy.asked(), ["POST http://model.test/v1/messages"]);
    let near = model_through(&server.base_url(), network());
    assert_eq!(said_by(&near).await, Ok("Two.".to_owned()));
    assert_eq!(proxy.asked().len(), 1, "this machine is reached without it");
}

#[tokio::test]
async fn a_proxy_is_a_tunnel_to_a_secure_server() {
    let ours = Authority::new();
    let proxy = Proxy::start(&ours.serve("model.test", vec![whole("Hello.")]));
    let network = Network { proxy: Some(proxy.url()), ca_file: Some(ours.file()) };
    assert_eq!(said_by(&model_through("https://model.test", network)).await, Ok("Hello.".to_owned()));
    // It sees where to, and nothing of the call.
    assert_eq!(proxy.asked(), ["CONNECT model.test:443"]);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_as_what_it_is() {
    let ours = Authority::new();
    let network = |proxy: String| Network { proxy: Some(proxy), ca_file: Some(ours.file()) };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = format!("http://127.0.0.1:{port}");
    let forbids = ByteServer::start(vec![answer("403 Forbidden", &[], b"")]);
    let asks = ByteServer::start(vec![answer("407 Proxy Authentication Required", &[], b"")]);
    for proxy in [gone, forbids.base_url(), asks.base_url()] {
        let refused =
            said_by(&model_through("https://model.test", network(proxy.clone()))).await.unwrap_err();
        assert_eq!(refused.class, FailureClass::Transient, "{refused:?}");
        assert!(
            refused.next.contains("network.proxy") && refused.next.contains("HTTPS_PROXY"),
            "{refused:?}"
        );
    }
    let asks = ByteServer::start(vec![answer("407 Proxy Authentication Required", &[], b"")]);
    let refused = said_by(&model_through("http://model.test", network(asks.base_url()))).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::BadRequest, "{refused:?}");
    assert!(refused.next.contains("HTTPS_PROXY"), "{refused:?}");
}

/// The variables are read once in a process. What they say of a server that is not this machine is tried with
/// `0.0.0.0`: it leads here, and is not known to.
#[tokio::test]
async fn the_proxies_of_the_variables_are_used() {
    let name = "network::the_proxies_of_the_variables_are_used";
    if is_a_child() {
        let base = std::env::var("COUNTERSIGN_TEST_BASE").unwrap();
        return assert_eq!(said_by(&model(Protocol::Anthropic, &base)).await, Ok("Hello.".to_owned()));
    }
    let server = ModelServer::start((0..6).map(|_| Reply::text("Hello.")).collect());
    let port = server.base_url().rsplit(':').next().unwrap().to_owned();
    let (near, here) = (server.base_url(), format!("http://0.0.0.0:{port}"));
    let proxy = Proxy::start(server.base_url().trim_start_matches("http://"));
    let url = proxy.url();
    let far = "http://model.test";
    let child = |base: &str, variables: &[(&str, &str)]| {
        let before = proxy.asked().len();
        in_a_child(name, &[variables, &[("COUNTERSIGN_TEST_BASE", base)]].concat());
        proxy.asked().len() - before
    };
    assert_eq!(child(far, &[("HTTP_PROXY", &url)]), 1);
    assert_eq!(child(far, &[("ALL_PROXY", &url)]), 1);
    assert_eq!(child(&here, &[("http_proxy", &url)]), 1);
    assert_eq!(child(&here, &[("HTTP_PROXY", &url), ("NO_PROXY", "example.test,0.0.0.0")]), 0);
    assert_eq!(child(&near, &[("HTTP_PROXY", &url), ("ALL_PROXY", &url)]), 0, "never to this machine");
    assert_eq!(child(&near, &[("HTTPS_PROXY", &url)]), 0);
}
