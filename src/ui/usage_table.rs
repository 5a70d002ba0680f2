//! What sessions have spent, as a table: its rows, and how they are laid out in a width.

use super::text::{fit, width};

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum UsageBy {
    /// A model
    Model,
    /// The folder of a session
    Project,
    /// A tool: its calls, without tokens
    Tool,
    /// A day, in local time
    Day,
}

impl UsageBy {
    /// In one word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Self::as_str`].
    pub fn parse(word: &str) -> Option<Self> {
        <Self as strum::VariantArray>::VARIANTS.iter().copied().find(|by| by.as_str() == word)
    }
}

/// Columns that are left out where there is no room for all, the first one first.
const LEAVE_OUT: [&str; 6] = ["cached", "input", "output", "answers", "errors", "retries"];
/// Columns that stand on a row of their own where they are left out: what went wrong cost something, too.
const BELOW: [&str; 2] = ["retries", "errors"];
/// Cells that a name keeps.
const LEAST_NAME: usize = 12;

/// A table whose first column has names, and whose last row is the sum.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageTable {
    /// What stands over the columns.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// What the numbers include, and what they leave out.
    pub remarks: Vec<String>,
}

impl UsageTable {
    /// Its lines in so many cells: columns that matter less are left out first, then names are cut.
    pub fn lines(&self, most: usize) -> Vec<String> {
        self.laid(most).concat()
    }

    /// The same, for each row its lines, that of the heads first.
    pub fn laid(&self, most: usize) -> Vec<Vec<String>> {
        let mut columns: Vec<usize> = (0..self.heads.len()).collect();
        let mut left_out = LEAVE_OUT.iter();
        while self.cells(&columns, LEAST_NAME) > most
            && let Some(name) = left_out.next()
        {
            columns.retain(|column| self.heads.get(*column).is_none_or(|head| head != name));
        }
        let names = self.widest(0);
        let over = self.cells(&columns, names).saturating_sub(most);
        let names = names.saturating_sub(over).max(LEAST_NAME.min(names));
        let all = std::iter::once(&self.heads).chain(&self.rows);
        let mut laid: Vec<Vec<String>> =
            all.map(|row| vec![fit(&self.line(row, &columns, names), most)]).collect();
        for (lines, row) in laid.iter_mut().skip(1).zip(&self.rows) {
            lines.extend(self.below(row, &columns).map(|line| fit(&line, most)));
        }
        laid
    }

    /// What went wrong, where its columns are left out, if something did.
    fn below(&self, row: &[String], columns: &[usize]) -> Option<String> {
        let told = self.heads.iter().zip(row).enumerate().filter(|(at, (head, cell))| {
            BELOW.contains(&head.as_str()) && !columns.contains(at) && !matches!(cell.as_str(), "" | "0")
        });
        let told: Vec<String> = told.map(|(_, (head, cell))| format!("{head} {cell}")).collect();
        (!told.is_empty()).then(|| format!("  {}", told.join(", ")))
    }

    fn line(&self, row: &[String], columns: &[usize], names: usize) -> String {
        let cell = |column: &usize| row.get(*column).map(String::as_str).unwrap_or_default();
        let mut line = String::new();
        for column in columns {
            // Names stand at the left of their column, numbers at the right.
            if *column == 0 {
                let name = fit(cell(column), names);
                line += &format!("{name}{}", " ".repeat(names.saturating_sub(width(&name))));
            } else {
                let space = " ".repeat(self.widest(*column).saturating_sub(width(cell(column))));
                line += &format!("  {space}{}", cell(column));
            }
        }
        line
    }

    fn cells(&self, columns: &[usize], names: usize) -> usize {
        columns.iter().map(|column| if *column == 0 { names } else { 2 + self.widest(*column) }).sum()
    }

    fn widest(&self, column: usize) -> usize {
        let all = std::iter::once(&self.heads).chain(&self.rows);
        all.filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_no_room_the_name_and_the_cost_stay() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let table = UsageTable {
            heads: words("model answers input output cached cost retries errors"),
            rows: vec![
                words("anthropic/claude-sonnet-5-5 12 123456 2345 0 $1.25 0 1"),
                words("total 12 1 2 3 $1.25 0 1"),
            ],
            remarks: Vec::new(),
        };
        let wide = table.lines(usize::MAX);
        assert_eq!(
            wide[1],
            "anthropic/claude-sonnet-5-5       12  123456    2345       0  $1.25        0       1"
        );
        for most in [20, 38, 60, 78] {
            let lines = table.lines(most);
            assert!(lines.iter().all(|line| width(line) <= most), "{most}: {lines:#?}");
            assert!(lines[1].contains("$1.25") && lines[0].contains("cost"), "{most}: {lines:#?}");
        }
        // What retries and errors cost is told at any width.
        assert!(table.lines(78)[0].ends_with("cost  retries  errors"), "{:#?}", table.lines(78));
        let narrow = table.lines(30);
        assert!(narrow[1].starts_with("anthropic/c") && narrow[2] == "  errors 1", "{narrow:#?}");
        assert_eq!(UsageBy::parse("day"), Some(UsageBy::Day));
        assert_eq!(UsageBy::parse("moon"), None);
    }
}
