//! `read` of pictures: whole ones are shown, hostile ones refused, texts that look like them read.

use countersign::ledger::{Image, Outcome};
use countersign::wire::base64;
use image::ImageFormat;
use serde_json::json;

use super::pictures::{gif, png, quarters};
use super::{Fixture, assert_has};

#[tokio::test]
async fn a_picture_of_each_format_is_shown() {
    let fixture = Fixture::new();
    for (format, media_type, says) in [
        (ImageFormat::Png, "image/png", "(PNG image of 8×6, "),
        (ImageFormat::Jpeg, "image/jpeg", "(JPEG image of 8×6, "),
        (ImageFormat::Gif, "image/gif", "(GIF image of 8×6, "),
        (ImageFormat::WebP, "image/webp", "(WEBP image of 8×6, "),
    ] {
        let bytes = quarters(8, 6, format);
        // What it is called says nothing.
        fixture.put("shot.txt", &bytes);
        let report = fixture.run("read", json!({ "path": "./shot.txt", "offset": 3 })).await;
        assert_eq!((report.outcome, report.cut_chars), (Outcome::Ok, 0));
        assert_has(&report.content, &["`shot.txt` is an image.\n", says]);
        let image = Image {
            name: "./shot.txt".into(),
            media_type: media_type.into(),
            data: base64(&bytes).into(),
            size: Some((8, 6)),
        };
        assert_eq!(report.images, [image]);
    }
}

#[tokio::test]
async fn what_a_provider_would_refuse_is_not_shown() {
    let fixture = Fixture::new();
    let whole = quarters(64, 48, ImageFormat::Png);
    fixture.put("cut.png", &whole[..whole.len() - 20]);
    let mut torn = whole.clone();
    let middle = torn.len() / 2;
    torn[middle..middle + 8].copy_from_slice(b"\0\0\0\0junk");
    fixture.put("torn.png", &torn);
    fixture.put("head.gif", gif(300, 200));
    fixture.put("bomb.png", png(7_000, 7_000));
    fixture.put("wide.png", png(8_001, 1));
    fixture.put("liar.png", png(3, 5));
    let padding = vec![0; usize::try_from(Image::MOST_BYTES).unwrap()];
    fixture.put("large.png", [whole.clone(), padding].concat());
    fixture.put("none.png", b"\0\x01\x02");
    for (path, says) in [
        ("cut.png", "cannot be sent: it is damaged or cut short; use `shell`"),
        ("torn.png", "is an image that cannot be decoded; use `shell`"),
        ("head.gif", "is an image that cannot be decoded; use `shell`"),
        ("bomb.png", "has more than 40 million pixels; scale it down"),
        ("wide.png", "has 8001×1 pixels; at most 8000 per side are allowed; scale it down"),
        ("liar.png", "is an image that cannot be decoded"),
        ("large.png", "is larger than 3.9 MB; scale it down"),
        ("none.png", "is not text: a binary file"),
    ] {
        let report = fixture.run("read", json!({ "path": path })).await;
        assert_eq!((report.outcome, report.images), (Outcome::Failed, vec![]), "{path}");
        assert_has(&report.content, &[path, says]);
    }
}

#[tokio::test]
async fn a_text_that_begins_like_a_picture_is_a_text() {
    let fixture = Fixture::new();
    fixture.put("notes", "GIF89a is what a GIF begins with.\n");
    let report = fixture.run("read", json!({ "path": "notes" })).await;
    assert_eq!((report.outcome, report.images), (Outcome::Ok, vec![]));
    assert_has(&report.content, &["    1\tGIF89a is what"]);
}

#[tokio::test]
async fn a_picture_that_is_changed_while_it_is_decided_about_is_not_shown() {
    let fixture = Fixture::new();
    fixture.put("shot.png", quarters(8, 6, ImageFormat::Png));
    std::fs::create_dir(fixture.path("other")).unwrap();
    fixture.put("other/secret.png", quarters(8, 6, ImageFormat::Png));
    fixture.prepare("read", json!({ "path": "shot.png" })).await;
    std::fs::remove_file(fixture.path("shot.png")).unwrap();
    std::os::unix::fs::symlink("other/secret.png", fixture.path("shot.png")).unwrap();
    let report = fixture.run("read", json!({ "path": "shot.png" })).await;
    assert_eq!((report.outcome, report.images), (Outcome::Failed, vec![]));
    assert_has(&report.content, &["`shot.png` has just become a symlink", "check it again"]);
}
