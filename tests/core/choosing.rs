//! Another model is chosen: what is told of it, and that lessons stay with the model that taught them.

use countersign::agent::{Agent, Effect, Input, Intent, Live};
use countersign::ledger::{Lesson, Millis, ModelRef, Stop, Usage};
use countersign::model::{ModelEvent, ModelNews, ModelSpec};

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

#[test]
fn a_full_window_teaches_its_size_where_the_prompt_was_counted() {
    fn learned(input: u64) -> Vec<Lesson> {
        let mut agent = Agent::new(settings(128_000));
        let effects = agent.step(Millis(1), Input::Intent(Intent::Submit("Go.".into())));
        let call = effects.into_iter().find_map(|effect| match effect {
            Effect::CallModel(message, _) => Some(message),
            _ => None,
        });
        let message = call.unwrap();
        let usage = Usage { input, output: 100, ..Usage::default() };
        let said = [
            ModelEvent::Text("Half".into()),
            ModelEvent::Usage(usage),
            ModelEvent::Stop(Stop::ContextOverflow),
        ];
        for event in said {
            agent.step(Millis(2), Input::Model(message, ModelNews::Event(event)));
        }
        agent.step(Millis(3), Input::Model(message, ModelNews::Finished));
        agent.ledger().entries().iter().filter_map(|entry| Lesson::of(entry)).collect()
    }
    let window = |most| Lesson::Window { model: ModelRef::parse("near/model"), most };
    assert_eq!(learned(9_000), [window(9_100)]);
    assert_eq!(learned(0), []);
}
