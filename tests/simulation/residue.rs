//! The fourth law over random runs of the real loop: whatever lived, was lost or came in other pieces, a session at rest
//! looks as its entries alone say.

use countersign::agent::{Event, Live};
use countersign::view::{View, ViewSettings};

use crate::bounds::Bounds;
use crate::mutant::Mutant;
use crate::walk::Dice;
use crate::world::World;

/// Rests that the walks must have come to, and pieces that must have lived, or they prove little.
const RESTS: u64 = 5_000;
const LIVED: u64 = 15_000;

fn empty() -> View {
    View::new(ViewSettings {
        model: "p/one".into(),
        cwd: "/work".into(),
        window: 128_000,
        token_budget: Some(1_000),
        ..ViewSettings::unknown()
    })
}

/// Four screens of one session: with all that lived, with its entries alone, with some of what lived, with what grows
/// in single characters.
struct Screens {
    all: View,
    durable: View,
    some: View,
    pieces: View,
}

impl Screens {
    fn new() -> Self {
        Self { all: empty(), durable: empty(), some: empty(), pieces: empty() }
    }

    fn hear(&mut self, event: &Event, dice: &mut Dice) {
        self.all.fold(event);
        for piece in in_pieces(event) {
            self.pieces.fold(&piece);
        }
        let lives = matches!(event, Event::Live(_));
        if !lives {
            self.durable.fold(event);
        }
        if !lives || dice.throw().is_multiple_of(2) {
            self.some.fold(event);
        }
    }

    fn check(&mut self, at_rest: bool) -> Result<(), String> {
        if self.all != self.pieces {
            return Err(format!("pieces change the view:\n{:#?}\n{:#?}", self.all, self.pieces));
        }
        // Facts of the process are told live only; the record does not keep them.
        self.durable.session.clone_from(&self.all.session);
        self.some.session.clone_from(&self.all.session);
        if at_rest && self.all != self.durable {
            return Err(format!("what lived is left:\n{:#?}\n{:#?}", self.all, self.durable));
        }
        if at_rest && self.some != self.durable {
            return Err(format!("what was lost is missed:\n{:#?}\n{:#?}", self.some, self.durable));
        }
        Ok(())
    }
}

/// The same news, a character at a time where they are text that grows.
fn in_pieces(event: &Event) -> Vec<Event> {
    let (text, piece): (&str, &dyn Fn(String) -> Live) = match event {
        Event::Live(Live::Text { message, text }) => (text, &|text| Live::Text { message: *message, text }),
        Event::Live(Live::Thinking { message, text }) => {
            (text, &|text| Live::Thinking { message: *message, text })
        }
        Event::Live(Live::ToolOutput { call, chunk }) => {
            (chunk, &|chunk| Live::ToolOutput { call: *call, chunk })
        }
        Event::Live(_) | Event::Appended(_) => return vec![event.clone()],
    };
    text.chars().map(|c| Event::Live(piece(c.to_string()))).collect()
}

#[test]
fn what_lived_leaves_no_residue_wherever_the_loop_rests() {
    let (mut rests, mut lived) = (0, 0);
    for seed in 1..=120 {
        let goals = seed % 3 == 1;
        let window = if seed % 3 == 0 { Bounds::WIDE.window } else { Bounds::SMALL.window };
        let bounds = Bounds { goals, window, ..Bounds::WIDE };
        let (mut dice, mut chance) = (Dice::new(seed), Dice::new(seed + 1));
        let mut world = World::new(bounds, Mutant::None);
        world.heard = Some(Vec::new());
        let mut screens = Screens::new();
        for _ in 0..400 {
            let Some(input) = dice.pick(&world) else { break };
            world.deliver(input).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
            for event in world.heard.replace(Vec::new()).unwrap_or_default() {
                lived += u64::from(matches!(event, Event::Live(_)));
                screens.hear(&event, &mut chance);
            }
            let at_rest = world.agent.is_idle() && world.log.open.is_empty();
            rests += u64::from(at_rest);
            screens.check(at_rest).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        }
    }
    println!("{rests} rests, {lived} pieces of news that only lived");
    assert!(rests > RESTS && lived > LIVED, "{rests} rests, {lived} pieces are too few");
}
