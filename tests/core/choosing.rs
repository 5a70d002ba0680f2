//! Another model is chosen: what is told of it, and that lessons stay with the model that taught them.

use countersign::agent::{Agent, Effect, Input, Intent, Live};
use countersign::ledger::{Millis, ModelRef};
use countersign::model::ModelSpec;

use crate::compaction::{Server, play, settings};

#[test]
fn what_is_learned_of_one_model_is_not_taken_for_another() {
    let mut agent = Agent::new(settings(128_000));
    let mut server = Server::new(9_000, true);
    for question in 0..4 {
        play(
            &mut agent,
            &mut server,
            Intent::Submit(format!("Question {question}. {}", "words ".repeat(2_000)).into()),
        );
    }
    let windows = |effects: Vec<Effect>| {
        let told = effects.into_iter().filter_map(|effect| match effect {
            Effect::Emit(Live::Answering { model, window, waits, .. }) => {
                Some((model.to_string(), window, waits))
            }
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    let spec = |name: &str| ModelSpec { window: 128_000, ..ModelSpec::unknown(ModelRef::parse(name)) };
    let choose = |agent: &mut Agent, name: &str| {
        windows(agent.step(Millis(9_000), Input::Intent(Intent::SetModel(Box::new(spec(name))))))
    };
    assert_eq!(choose(&mut agent, "other/model"), [("other/model".to_owned(), 128_000, false)]);
    assert_eq!(choose(&mut agent, "near/model"), [("near/model".to_owned(), 9_000, false)]);
    // In the midst of a run the choice waits for the next turn, and says so.
    agent.step(Millis(9_001), Input::Intent(Intent::Submit("One more.".into())));
    assert_eq!(choose(&mut agent, "other/model"), [("other/model".to_owned(), 128_000, true)]);
}
