//! Another model is chosen: what is told of it, and that lessons stay with the model that taught them.

use std::sync::Arc;

use countersign::agent::{Agent, Effect, Input, Intent, Live, Settings};
use countersign::ledger::{Body, Change, Entry, Millis, ModelRef, ProviderLimit, Stop, Usage, recover};
use countersign::model::{Effort, ModelEvent, ModelNews, ModelSpec, ToolCalls};
use countersign::policy::Mode;

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
    fn learned(input: u64) -> Vec<ProviderLimit> {
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
        agent.ledger().entries().iter().filter_map(|entry| ProviderLimit::of(entry)).collect()
    }
    let window = |most| ProviderLimit::Window { model: ModelRef::parse("near/model"), most };
    assert_eq!(learned(9_000), [window(9_100)]);
    assert_eq!(learned(0), []);
}

#[test]
fn a_session_that_goes_on_with_another_choice_says_so() {
    let chosen = |entries: &[Arc<Entry>]| {
        let told = entries.iter().filter_map(|entry| match &entry.body {
            Body::Change(Change::Model { model, previous }) => Some(format!("{previous} -> {model}")),
            Body::Change(Change::Effort { effort }) => Some(format!("{effort:?}")),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    let with = |name: &str, effort: Option<Effort>| {
        let model = ModelSpec { window: 128_000, ..ModelSpec::unknown(ModelRef::parse(name)) };
        Settings { model, effort, ..settings(128_000) }
    };
    let resume = |agent: &Agent, settings: Settings| {
        let recovered = recover(agent.ledger().entries().to_vec(), Millis(9_999)).unwrap();
        Agent::resume(settings, recovered, Millis(9_999)).0
    };
    let mut agent = Agent::new(with("near/model", Some(Effort::Low)));
    play(&mut agent, &mut Server::new(128_000, true), Intent::Submit("Hello.".into()));
    assert_eq!(chosen(agent.ledger().entries()), Vec::<String>::new());
    agent.step(Millis(5_000), Input::Intent(Intent::SetEffort(Some(Effort::High))));
    let before = chosen(agent.ledger().entries());
    assert_eq!(before, ["Some(High)"]);
    for (name, effort, told) in [
        ("near/model", Some(Effort::High), &[][..]),
        ("near/model", None, &["None"]),
        ("near/model", Some(Effort::Low), &["Some(Low)"]),
        ("other/model", Some(Effort::High), &["near/model -> other/model"]),
        ("other/model", None, &["near/model -> other/model", "None"]),
    ] {
        let again = resume(&agent, with(name, effort));
        assert_eq!(chosen(again.ledger().entries())[before.len()..], *told, "{name} {effort:?}");
        // It was told: the next process has nothing to add.
        assert_eq!(
            chosen(resume(&again, with(name, effort)).ledger().entries()).len(),
            before.len() + told.len()
        );
    }
}

#[test]
fn a_model_whose_server_takes_no_tools_is_told_once_and_remembered() {
    let spec = |name: &str| ModelSpec::unknown(ModelRef::parse(name));
    let mut agent = Agent::new(Settings::new(spec("near/model")));
    let told = |effects: Vec<Effect>| {
        let answering = effects.into_iter().filter_map(|effect| match effect {
            Effect::Emit(Live::Answering { model, tool_calls, .. }) => Some((model.to_string(), tool_calls)),
            _ => None,
        });
        answering.collect::<Vec<_>>()
    };
    let effects = agent.step(Millis(1), Input::Intent(Intent::Submit("go".into())));
    let asked = effects.iter().find_map(|e| if let Effect::CallModel(id, _) = e { Some(*id) } else { None });
    let refused = agent.step(Millis(2), Input::Model(asked.unwrap(), ModelNews::ToolsRefused));
    assert_eq!(told(refused), [("near/model".to_owned(), ToolCalls::InText)]);
    agent.step(Millis(3), Input::Intent(Intent::Abort));
    let mut choose =
        |name: &str| told(agent.step(Millis(4), Input::Intent(Intent::SetModel(Box::new(spec(name))))));
    assert_eq!(choose("other/model"), [("other/model".to_owned(), ToolCalls::Native)]);
    assert_eq!(choose("near/model"), [("near/model".to_owned(), ToolCalls::InText)]);
}

#[test]
fn the_mode_of_an_agent_file_is_the_loosest_that_can_be_chosen() {
    let mut restricted = Settings { loosest_mode: Some(Mode::Ask), ..settings(128_000) };
    restricted.policy.mode = Mode::Ask;
    let mut agent = Agent::new(restricted);
    let mut choose = |mode| agent.step(Millis(1), Input::Intent(Intent::SetMode(mode)));
    for mode in [Mode::Edit, Mode::Auto, Mode::Unrestricted] {
        let told = choose(mode);
        let refused = |e: &Effect| matches!(e, Effect::Emit(Live::Refused(why)) if why.contains("none looser than ask"));
        let is_changed = |e: &Effect| matches!(e, Effect::Emit(Live::ModeChanged(_)));
        assert!(told.iter().any(refused) && !told.iter().any(is_changed), "{told:?}");
    }
    for mode in [Mode::Plan, Mode::Ask] {
        let told = choose(mode);
        let is_told =
            |effect: &Effect| matches!(effect, Effect::Emit(Live::ModeChanged(now)) if *now == mode);
        assert!(told.iter().any(is_told), "{told:?}");
    }
}
