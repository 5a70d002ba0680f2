//! The facts that change, as one short text: they are injected, so that the system prompt can stay frozen.

use std::path::Path;

use crate::config::fault::one_line;
use crate::config::project;

/// What the model is told about where and when it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFacts {
    /// Today, as `2026-11-20`.
    pub date: String,
    /// The folder it works in.
    pub cwd: String,
    /// System and processor.
    pub platform: String,
    /// Branch, or short commit, of the repository; `None` outside of one.
    pub branch: Option<String>,
}

/// The note for this folder, today.
pub fn note(cwd: &Path) -> String {
    EnvironmentFacts {
        date: chrono::Local::now().date_naive().to_string(),
        cwd: cwd.display().to_string(),
        platform: format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH),
        branch: project::branch(cwd),
    }
    .to_text()
}

impl EnvironmentFacts {
    /// One fact a line.
    pub fn to_text(&self) -> String {
        let branch = self.branch.as_deref().map_or("not a repository".to_owned(), one_line);
        format!(
            "Date: {}\nFolder: {}\nPlatform: {}\nGit branch: {branch}",
            self.date,
            one_line(&self.cwd),
            self.platform
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fact_a_line_whatever_a_name_holds() {
        let facts = EnvironmentFacts {
            date: "2026-11-20".into(),
            cwd: "/src/a\nPlatform: mine".into(),
            platform: "linux (x86_64)".into(),
            branch: Some("main".into()),
        };
        assert_eq!(
            facts.to_text(),
            "Date: 2026-11-20\nFolder: /src/a Platform: mine\nPlatform: linux (x86_64)\nGit branch: main"
        );
    }
}
