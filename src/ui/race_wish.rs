//! A race, as front ends ask for it.

/// What a person wants of a race.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RaceWish {
    /// What is to be done, each in lanes of its own.
    pub prompts: Vec<String>,
    /// The models, each in lanes of its own; none: that of the session.
    pub models: Vec<String>,
    /// The seeds, each in lanes of its own; none: no seed is sent.
    pub seeds: Vec<u64>,
    /// How many lanes there are, where that is more than tasks, models and seeds take.
    pub lanes: Option<u64>,
    /// The command whose exit code says whether the task is done.
    pub check: Option<String>,
}

/// How `/race` is used.
const RACE: &str = "/race takes a task, as in /race Make the parser accept empty input | check: cargo test parser | lanes: 3 | models: \
    PROVIDER/MODEL, PROVIDER/MODEL | seeds: 1, 2, 3";

impl RaceWish {
    /// Reads what stands behind `/race`: the task, then parts with a name, between bars.
    ///
    /// # Errors
    /// How it is used.
    pub fn read(words: &str) -> Result<Self, String> {
        let mut wish = Self::default();
        // A bar at the beginning has no task before it.
        let padded = format!(" {words} ");
        for part in padded.split(" | ").map(str::trim).filter(|part| !part.is_empty()) {
            if part == "|" || part.starts_with("| ") {
                return Err(RACE.to_owned());
            }
            let named = part.split_once(':').map(|(name, rest)| (name.trim(), rest.trim()));
            match named {
                Some(("check", command)) if !command.is_empty() => wish.check = Some(command.to_owned()),
                Some(("lanes", number)) => {
                    wish.lanes = Some(number.parse().map_err(|_other| RACE.to_owned())?);
                }
                Some(("models", names)) => {
                    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                    wish.models.extend(names.map(str::to_owned));
                }
                Some(("seeds", seeds)) => {
                    let seeds = seeds.split(',').map(str::trim).filter(|seed| !seed.is_empty());
                    for seed in seeds {
                        wish.seeds.push(seed.parse().map_err(|_other| RACE.to_owned())?);
                    }
                }
                _ => wish.prompts.push(part.to_owned()),
            }
        }
        if wish.prompts.is_empty() { Err(RACE.to_owned()) } else { Ok(wish) }
    }

    /// The line that asks for it.
    pub fn line(&self) -> String {
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        let list =
            |name: &str, all: &[String]| (!all.is_empty()).then(|| format!("{name}: {}", all.join(", ")));
        let mut parts = self.prompts.clone();
        parts.extend(self.check.as_ref().map(|check| format!("check: {check}")));
        parts.extend(self.lanes.map(|lanes| format!("lanes: {lanes}")));
        parts.extend(list("models", &self.models));
        parts.extend(list("seeds", &seeds));
        format!("/race {}", parts.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_asks_for_the_same() {
        let line = "/race Fix it: now | or so | check: cargo test | lanes: 4 | models: a/b, c | seeds: 1, 2";
        let wish = RaceWish::read(line.strip_prefix("/race ").unwrap()).unwrap();
        assert_eq!(wish.line(), line);
    }

    #[test]
    fn the_task_comes_first_and_the_rest_has_names() {
        let wish = RaceWish::read("Fix it: now | check: cargo test | lanes: 4 | models: a/b, c").unwrap();
        assert_eq!(wish.prompts, ["Fix it: now"]);
        assert_eq!((wish.check.as_deref(), wish.lanes), (Some("cargo test"), Some(4)));
        assert_eq!(wish.models, ["a/b", "c"]);
        assert_eq!(RaceWish::read("Fix it | seeds: 1, 2").unwrap().seeds, [1, 2]);
        let two = RaceWish::read("one | two").unwrap();
        assert_eq!(two.prompts, ["one", "two"]);
        assert_eq!(RaceWish::read("Fix a || b | lanes: 2").unwrap().prompts, ["Fix a || b"]);
        for wrong in ["| check: true | lanes: 2", "|", "| | x", "x | | | y", "|  | lanes: 2"] {
            assert_eq!(RaceWish::read(wrong), Err(RACE.to_owned()), "{wrong}");
        }
        for wrong in ["", "check: x", "Fix it | lanes: many", "Fix it | seeds: 1, x"] {
            assert_eq!(RaceWish::read(wrong), Err(RACE.to_owned()), "{wrong}");
        }
    }
}
