//! What a file that is no text is, by its first bytes.

use crate::wire::recognize;

/// Beginnings that say what follows, longest first where one begins another.
const KINDS: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a universal Mach-O program"),
    (b"PK\x03\x04", "a ZIP archive (also docx, xlsx, jar, odt, epub)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0asm", "a WebAssembly module"),
    (b"OggS", "Ogg audio or video"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"wOFF", "a WOFF font"),
    (b"wOF2", "a WOFF2 font"),
    (b"!<arch>\n", "a library archive (ar)"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
];

/// What bytes that are no text seem to be: `a PNG image of 640×480`, or `a binary file`.
pub(super) fn of(content: &[u8]) -> String {
    if let Ok(picture) = recognize(content) {
        let format = picture.media_type.trim_start_matches("image/").to_uppercase();
        return format!("a {format} image of {}×{}", picture.width, picture.height);
    }
    if content.get(257..262) == Some(b"ustar") {
        return "a tar archive".to_owned();
    }
    if content.get(4..8) == Some(b"ftyp") {
        return "MP4 or QuickTime video, or a HEIF image".to_owned();
    }
    let known = KINDS.iter().find(|(start, _)| content.starts_with(start));
    known.map_or("a binary file", |(_, kind)| kind).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_what_is_there() {
        assert_eq!(of(b"\x7fELF\x02\x01\0"), "an ELF program or library");
        assert_eq!(of(b"%PDF-1.7\n\0"), "a PDF document");
        assert_eq!(of(b"\0\x01\x02"), "a binary file");
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0"), "a PNG image");
        let mut tar = vec![0; 300];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(of(&tar), "a tar archive");
        assert_eq!(of(b""), "a binary file");
    }
}
