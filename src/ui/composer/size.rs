//! How large the message is that would be sent.

use super::Composer;

impl Composer {
    /// Bytes of the message that it holds, pastes unfolded; none while it holds nothing or a command.
    pub fn message_bytes(&self) -> usize {
        let lines = self.area.lines();
        if self.is_blank() || lines.first().is_some_and(|line| line.starts_with(['/', '!'])) {
            return 0;
        }
        let typed: usize = lines.iter().map(|line| line.len() + 1).sum();
        typed + self.pastes.iter().map(|paste| paste.text.len()).sum::<usize>()
    }
}
