//! Which servers a command sends to, where its words leave no doubt. It is for people to read: nothing is decided by it.

use super::super::page::page;
use super::super::shell::{Command, Reading, Word, is_of_system};
use super::arguments::Takes::Words;
use super::arguments::{ReadOnlyProgram, Taken};

/// Programs whose operands are addresses, with the options that do not lead elsewhere. No proxy, no file of
/// settings, no other address for a name, and no redirect, after which the same body goes to a server that is
/// not in the words.
const SENDERS: &[ReadOnlyProgram] = &[
    ReadOnlyProgram {
        name: "curl",
        takes: Words,
        options: "-fsSgGiIkvNO -XdFHoAemubcwT: --silent --show-error --fail --fail-with-body --insecure --include \
            --head --verbose --get --no-buffer --remote-name --compressed --globoff --data= --data-raw= --data-binary= \
            --data-urlencode= --data-ascii= --json= --form= --header= --request= --output= --user-agent= --max-time= \
            --connect-timeout= --retry= --user= --cookie= --cookie-jar= --referer= --upload-file= --write-out=",
    },
    ReadOnlyProgram {
        name: "wget",
        takes: Words,
        options: "-qcSv -OTtPU: --quiet --continue --verbose --server-response --output-document= --timeout= --tries= \
            --directory-prefix= --user-agent= --header= --method= --post-data= --post-file= --body-data= --body-file= \
            --max-redirect=",
    },
];

/// The servers that a command asks, each once: `example.com, b.example:8443`. `None`: the text does not tell all
/// of them. A proxy of the environment, or one in `~/.curlrc`, is not thought of: the words are all that is known.
pub(in crate::policy) fn receivers(command: &Command, reading: &Reading) -> Option<String> {
    // A variable can name a proxy.
    if command.is_wrapper || !command.environment.is_empty() || !reading.assigned.is_empty() {
        return None;
    }
    let name = command.name().filter(|name| is_of_system(name))?;
    let program = name.rsplit('/').next().unwrap_or_default();
    let sender = SENDERS.iter().find(|sender| sender.name == program)?;
    let taken = sender.take(command.arguments())?;
    if program == "wget" && !follows_nothing(command, &taken) {
        return None;
    }
    let mut servers: Vec<String> = Vec::new();
    for operand in taken.operands {
        let written = operand.literal()?;
        let whole = if written.contains("://") { written } else { format!("http://{written}") };
        let server = page(&whole).ok()?.server;
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    (!servers.is_empty()).then(|| servers.join(", "))
}

/// wget follows redirects by itself.
fn follows_nothing(command: &Command, taken: &Taken<'_>) -> bool {
    let words = command.arguments().iter().map(Word::with_holes);
    let mut said = words.filter(|word| word.starts_with("--max-redirect"));
    taken.options.iter().any(|option| option == "--max-redirect")
        && said.all(|word| word == "--max-redirect=0")
}
