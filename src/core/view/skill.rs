//! A skill that the user calls by its name: `/pdf what to do`.

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSkill {
    /// Its name: small letters, digits and `-`.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// Its file, as a message names it (`@…`).
    pub mention: String,
}

impl NamedSkill {
    /// The message that calls it: its file goes with it, and what is to be done follows.
    pub fn message(&self, words: &str) -> String {
        format!("Follow the skill {}, {}.\n\n{words}", self.name, self.mention).trim_end().to_owned()
    }

    /// The message that a text is, if it calls one of these.
    pub fn called(skills: &[Self], text: &str) -> Option<String> {
        let text = text.trim();
        let (name, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let name = name.strip_prefix('/')?;
        skills.iter().find(|skill| skill.name == name).map(|skill| skill.message(words.trim()))
    }

    /// What was typed for a message, if it is exactly what calling one of these says.
    pub fn typed(skills: &[Self], message: &str) -> Option<String> {
        skills.iter().find_map(|skill| {
            let words = message.strip_prefix(&skill.message(""))?.trim();
            (skill.message(words) == message)
                .then(|| format!("/{} {words}", skill.name).trim_end().to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_called_by_its_whole_name() {
        let skills = [NamedSkill {
            name: "pdf".to_owned(),
            description: "Reads PDFs".to_owned(),
            mention: "@.agents/skills/pdf/SKILL.md".to_owned(),
        }];
        let called = |text: &str| NamedSkill::called(&skills, text);
        let message = "Follow the skill pdf, @.agents/skills/pdf/SKILL.md.";
        assert_eq!(called("/pdf"), Some(message.to_owned()));
        assert_eq!(called(" /pdf  read a.pdf "), Some(format!("{message}\n\nread a.pdf")));
        let typed = |text: &str| NamedSkill::typed(&skills, text);
        assert_eq!(typed(&called(" /pdf  read a.pdf ").unwrap()).as_deref(), Some("/pdf read a.pdf"));
        assert_eq!(typed(message).as_deref(), Some("/pdf"));
        assert_eq!(typed("Follow the skill pdf."), None);
        for text in ["pdf", "/pdfs", "/pd", "//pdf", "see /pdf"] {
            assert_eq!(called(text), None, "{text}");
        }
    }
}
