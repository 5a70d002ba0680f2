//! Other people's formats, bytes only.
