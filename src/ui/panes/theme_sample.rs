//! What a theme looks like, while one is chosen: words, code, a call that waits with its diff, and how things ended.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::text::diff::{self, DiffColours};
use crate::ui::text::{markdown, wrap};

use super::words::{flow, keys};
use super::{Screen, boxes};

/// An answer with code.
const ANSWER: &str = "\
`greet` is in **src/greet.rs**:

```rust
/// Says hello.
fn greet(name: &str) -> String {
    format!(\"Hello, {name}\")
}
```";

/// A change of it.
const DIFF: &str = "\
@@ -2,3 +2,3 @@
 fn greet(name: &str) -> String {
-    format!(\"Hello, {name}\")
+    format!(\"Good morning, {name}!\")
 }
";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let lines = lines(screen, area.width);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.render_widget(line, Rect::new(area.x, y, area.width, 1));
    }
}

fn lines(screen: &Screen<'_>, width: u16) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let total = usize::from(width);
    let mut lines = wrap("› Make the greeting friendlier.", total, theme.user);
    lines.push(Line::default());
    lines.extend(markdown::render(ANSWER, width, theme, screen.highlighter));
    lines.push(Line::default());
    let ends = [
        ("✓ done", theme.success),
        ("! a warning", theme.warning),
        ("✗ it failed", theme.error),
        ("quiet words", theme.dim),
    ];
    lines.push(Line::from(
        ends.into_iter()
            .flat_map(|(words, style)| [Span::styled(words, style), Span::raw("   ")])
            .collect::<Vec<_>>(),
    ));
    lines.push(Line::default());
    let inner = total.saturating_sub(4).max(1);
    let colours = DiffColours { theme, language: "rs", highlighter: screen.highlighter };
    let mut body = diff::render(DIFF, u16::try_from(inner).unwrap_or(u16::MAX), colours);
    let answers = [("y", "once"), ("s", "session"), ("n", "deny")];
    body.extend(flow(keys(&answers, theme.accent, theme.text), 3, inner));
    let title = vec![Span::styled("edit  src/greet.rs", theme.title)];
    let right = Span::styled("waits for you", theme.accent);
    lines.extend(boxes::boxed(title, right, body, total, theme.border_waiting));
    lines
}
