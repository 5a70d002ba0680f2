//! `sessions otlp`: a session as traces, printed or sent to a collector.

use tokio::runtime::Builder;

use super::args::OtlpArgs;
use super::place::{SessionPlace, lines, read, remark};
use crate::cli::outcome::say;
use crate::config;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::peers::template;
use crate::runtime::{Collector, NotSent};
use crate::session::exporting::came_along;
use crate::ui::text::counted;
use crate::wire::otlp::{Contents, requests, traces};
use crate::wire::{Secret, record};

/// Prints or sends the spans of one session, without the keys of this environment.
pub(super) fn run(place: &SessionPlace, args: &OtlpArgs) -> Result<Exit, Fault> {
    let path = place.locate(&args.pick)?;
    let (_, file) = read(place, &path)?;
    let keys = || place.environment.keys().into_iter().map(str::to_owned).collect();
    let contents = args.contents.then(|| Contents::of(&file.entries, keys()));
    let imported_to = file.came_to();
    if let Some(told) = came_along(imported_to) {
        remark(&told);
    }
    let mut traces = traces(&file.entries, imported_to, contents);
    let spans = traces.ended();
    let bodies: Vec<String> = requests(traces.session(), &spans)
        .iter()
        .map(|body| place.without_keys(record::line(body)))
        .collect();
    if bodies.is_empty() {
        remark("this session has no runs yet");
    }
    let Some(address) = &args.to else { return say(&lines(bodies)) };
    let collector = collector(place, address, &args.header)?;
    if collector.is_exposed() {
        remark(&format!("{} is reached without encryption", collector.shown()));
    }
    send(&collector, bodies, spans.len())
}

fn send(collector: &Collector, bodies: Vec<String>, spans: usize) -> Result<Exit, Fault> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let (count, mut refused) = (bodies.len(), 0);
    for (sent, body) in bodies.into_iter().enumerate() {
        match runtime.block_on(collector.send(body)) {
            Ok(None) => {}
            Ok(Some(said)) => {
                refused += said.spans;
                let why = if said.why.is_empty() { "it does not say why" } else { &said.why };
                remark(&format!("the collector refused {}: {why}", counted(said.spans, "span")));
            }
            Err(NotSent { what, next }) if sent > 0 => {
                return Err(Fault::failed(
                    format!("{what}, after {sent} of {}", counted(count as u64, "request")),
                    next,
                ));
            }
            Err(NotSent { what, next }) => return Err(Fault::failed(what, next)),
        }
    }
    let were = if spans == 1 { "was" } else { "were" };
    let (spans, requests) = (counted(spans as u64, "span"), counted(count as u64, "request"));
    say(&format!("{spans} {were} sent to {} ({requests})\n", collector.shown()))?;
    Ok(if refused > 0 { Exit::Failed } else { Exit::Completed })
}

fn collector(place: &SessionPlace, address: &str, headers: &[String]) -> Result<Collector, Fault> {
    let network = config::load(&place.cwd, &place.environment, &[])?.network;
    let headers = headers.iter().map(|header| read_header(place, header)).collect::<Result<Vec<_>, _>>()?;
    Collector::new(address, &headers, &network).map_err(|why| Fault::usage(why.what, why.next))
}

/// A header as it was typed. A variable in it is put in here, so that the list of processes does not show its value.
fn read_header(place: &SessionPlace, header: &str) -> Result<(String, Secret), Fault> {
    let wrong =
        || Fault::usage("a --header is not NAME: VALUE", "write it as in 'authorization: Bearer ${TOKEN}'");
    let (name, value) = header.split_once(':').ok_or_else(wrong)?;
    template::pieces(value).map_err(|_repeats_nothing| wrong())?;
    let value = template::filled(value, |variable| place.environment.text(variable)).map_err(|variable| {
        Fault::usage(
            format!("the variable {variable} is not set"),
            format!("set {variable}, or leave the --header out"),
        )
    })?;
    Ok((name.trim().to_owned(), Secret::new(value)))
}
