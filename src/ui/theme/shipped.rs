//! The theme files that come with the program.

/// Where a dark theme takes what it leaves out.
pub(super) const DARK: &str = include_str!("../../../themes/countersign-dark.toml");
/// Where a light theme takes what it leaves out.
pub(super) const LIGHT: &str = include_str!("../../../themes/countersign-light.toml");

/// The theme files that come with the program, by name.
pub(super) const BUILTIN: &[(&str, &str)] = &[
    ("countersign-dark", DARK),
    ("countersign-light", LIGHT),
    ("ember", include_str!("../../../themes/ember.toml")),
    ("paper", include_str!("../../../themes/paper.toml")),
    ("contrast-dark", include_str!("../../../themes/contrast-dark.toml")),
    ("contrast-light", include_str!("../../../themes/contrast-light.toml")),
    ("sixteen", include_str!("../../../themes/sixteen.toml")),
];
