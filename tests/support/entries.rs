//! Any entry that can be written, for properties of the session file.

#![allow(unreachable_pub, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::ledger::*;
use proptest::{collection::vec, option, prelude::*};
use serde_json::Value;

use crate::facts::{attached, facts, message_of, number, restored, started};

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("\u{0}\u{1b}[31m\u{7f}\u{2028}\u{feff}\u{10ffff}\r\n\t\"\\".to_owned()),
        "[a-z \n]{0,40}",
    ]
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("JSON has no such number", |f| f.is_finite().then(|| Value::from(f))),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

pub fn arguments() -> impl Strategy<Value = Arguments> {
    let members = vec((text(), value()), 0..4);
    prop_oneof![
        members.prop_map(|pairs| Arguments::Object(pairs.into_iter().collect())),
        text().prop_map(Arguments::Unusable),
    ]
}

pub fn model() -> impl Strategy<Value = ModelRef> {
    text().prop_map(|text| ModelRef::parse(&text))
}

pub fn call() -> impl Strategy<Value = ToolUse> {
    (number(), text(), text(), arguments()).prop_map(|(id, wire_id, name, arguments)| ToolUse {
        id: CallId(id),
        wire_id,
        name,
        arguments,
    })
}

pub fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(|text| Block::Text(text.into())),
        (text(), option::of(value())).prop_map(|(text, replay)| Block::Thinking(Thinking { text, replay })),
        call().prop_map(Block::ToolUse),
        (text(), text(), text(), value()).prop_map(|(kind, name, id, value)| Block::Hosted(Hosted {
            kind,
            name,
            id,
            value
        })),
    ]
}

pub fn usage() -> impl Strategy<Value = Usage> {
    let cost = prop_oneof![0..(1_u64 << 51), Just(u64::MAX), 0..2_000_000_u64];
    (any::<[u64; 5]>(), option::of(cost), any::<bool>()).prop_map(|(counts, cost, estimated)| Usage {
        input: counts[0],
        output: counts[1],
        cache_read: counts[2],
        cache_write: counts[3],
        reasoning: counts[4],
        cost: cost.map(MicroDollars),
        estimated,
    })
}

pub fn decider() -> impl Strategy<Value = Decider> {
    prop::sample::select(vec![Decider::Policy, Decider::User, Decider::Hook, Decider::Nobody])
}

fn reach() -> impl Strategy<Value = Reach> {
    prop_oneof![Just(Reach::NothingStarted), Just(Reach::NothingCut), Just(Reach::CutShort)]
}

pub fn outcome() -> impl Strategy<Value = Outcome> {
    let path = prop_oneof![Just(AbortPath::A), Just(AbortPath::B), Just(AbortPath::C)];
    let by = prop::sample::select(CutBy::ALL);
    prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        Just(Outcome::Invalid),
        Just(Outcome::UnknownTool),
        decider().prop_map(Outcome::Denied),
        Just(Outcome::TimedOut),
        (path, option::of(any::<u64>()), by, option::of(reach()))
            .prop_map(|(path, ran_ms, by, within)| { Outcome::Aborted(Abort { path, ran_ms, by, within }) }),
        any::<bool>().prop_map(|started| Outcome::Lost { started }),
    ]
}

pub fn said() -> impl Strategy<Value = Body> {
    (model(), vec(block(), 0..5), text(), usage(), any::<bool>()).prop_map(
        |(model, blocks, stop, usage, interrupted)| {
            let stop = Stop::parse(&stop);
            Body::Assistant(Arc::new(AssistantMessage {
                id: EntryId(0),
                model,
                blocks,
                stop,
                usage,
                interrupted,
            }))
        },
    )
}

pub fn ended() -> impl Strategy<Value = Body> {
    let reason = proptest::sample::select(Ending::ALL.to_vec());
    let not_ok = vec((number().prop_map(CallId), text()), 0..3);
    (reason, any::<[u32; 2]>(), usage(), any::<u64>(), text(), not_ok, text()).prop_map(
        |(reason, [turns, tool_calls], usage, wall_ms, text, not_ok, next_safe_action)| {
            Body::TurnEnded(TurnEnded {
                reason,
                turns,
                tool_calls,
                hosted_tools: turns / 2,
                usage,
                wall_ms,
                text: text.into(),
                not_ok,
                next_safe_action,
                cut_by: reason.interrupted().then_some(CutBy::SessionEnd),
            })
        },
    )
}

pub fn image() -> impl Strategy<Value = Image> {
    (text(), text(), text(), option::of(any::<(u32, u32)>()))
        .prop_map(|(name, media_type, data, size)| Image { name, media_type, data: data.into(), size })
}

fn preview() -> impl Strategy<Value = Preview> {
    prop_oneof![
        Just(Preview::None),
        text().prop_map(Preview::Command),
        text().prop_map(Preview::Diff),
        text().prop_map(Preview::Recipient),
    ]
}

fn sandboxings() -> impl Strategy<Value = Sandboxing> {
    prop_oneof![Just(Sandboxing::Without), Just(Sandboxing::OnWish), Just(Sandboxing::Within)]
}

fn requests() -> impl Strategy<Value = ApprovalRequest> {
    let effects = [proptest::collection::vec(text(), 0..3), proptest::collection::vec(text(), 0..3)];
    let optional = [option::of(text()), option::of(text()), option::of(text())];
    let call = (number(), text(), value());
    (call, [text(), text()], effects, preview(), any::<[bool; 3]>(), optional, sandboxings()).prop_map(
        |((call, name, arguments), [why, risk], [effects, gaps], preview, flags, optional, sandboxing)| {
            let ([is_partial, is_usual, replaces], [warning, rule, leads_to]) = (flags, optional);
            ApprovalRequest {
                call: CallId(call),
                name,
                arguments,
                why,
                risk,
                effects,
                preview,
                warning,
                rule,
                sandboxing,
                leads_to,
                is_partial,
                is_usual,
                replaces,
                gaps,
            }
        },
    )
}

pub fn approvals() -> impl Strategy<Value = Body> {
    let id = || number().prop_map(CallId);
    let scope = prop_oneof![Just(Scope::Once), Just(Scope::Session), Just(Scope::Project)];
    prop_oneof![
        requests().prop_map(Body::ApprovalRequested),
        (
            id(),
            any::<bool>(),
            scope,
            decider(),
            text(),
            [option::of(text()), option::of(text())],
            option::of((text(), text()))
        )
            .prop_map(|(call, allow, scope, by, reason, [answer, rule], receipt)| {
                let allow = allow && by != Decider::Nobody;
                let sandboxed = allow && receipt.is_some() && answer.is_none();
                let (digest, cwd) = receipt.filter(|(digest, _)| !digest.is_empty()).unwrap_or_default();
                Body::ApprovalDecided(Decision {
                    call,
                    allow,
                    scope,
                    by,
                    reason,
                    answer,
                    rule,
                    sandboxed,
                    key: cwd.chars().take(3).collect(),
                    digest,
                    cwd,
                })
            }),
        results(),
    ]
}

fn results() -> impl Strategy<Value = Body> {
    let id = number().prop_map(CallId);
    let written = option::of(text());
    (id, text(), outcome(), text(), written, any::<[u64; 2]>(), facts(), vec(image(), 0..3)).prop_map(
        |(call, name, outcome, content, written, [duration_ms, cut_chars], facts, images)| {
            Body::ToolResult(Arc::new(ToolResult {
                call,
                name,
                outcome,
                content,
                written,
                duration_ms,
                cut_chars,
                facts,
                images,
            }))
        },
    )
}

pub fn goals() -> impl Strategy<Value = Body> {
    let method = prop_oneof![text().prop_map(Validation::Command), Just(Validation::Question)];
    let goal =
        (text(), text(), vec((limit(), any::<u64>()), 0..3), any::<u32>(), text(), vec(text(), 0..3), method)
            .prop_map(
                |(objective, done_condition, budget, checkpoints, current_plan, progress_log, method)| {
                    let budget: BTreeMap<Limit, u64> = budget.into_iter().collect();
                    Body::Goal(Goal {
                        objective,
                        done_condition,
                        budget: budget.into_iter().collect(),
                        checkpoints,
                        current_plan,
                        stop_rules: progress_log.clone(),
                        progress_log,
                        validation_method: method,
                    })
                },
            );
    let by = proptest::sample::select(Answerer::ALL.to_vec());
    let asked =
        (text(), option::of(text()), by).prop_map(|(question, answer, by)| Asked { question, answer, by });
    let checkpoint = (any::<u32>(), vec(asked, 0..7))
        .prop_map(|(number, questions)| Body::Checkpoint(Checkpoint { number, questions }));
    let flags = (option::of(any::<bool>()), option::of(any::<bool>()));
    let progress = (any::<u32>(), flags, option::of(text()), text(), text()).prop_map(
        |(checkpoint, (objective_valid, done), blocked, plan, progress)| {
            Body::Progress(Progress { checkpoint, objective_valid, done, blocked, plan, progress })
        },
    );
    prop_oneof![goal, checkpoint, progress, text().prop_map(|text| Body::Handoff { text })]
}

fn delegations() -> impl Strategy<Value = Body> {
    let id = || number().prop_map(CallId);
    let state = proptest::sample::select(TaskState::ALL.to_vec());
    prop_oneof![
        (id(), text(), text()).prop_map(|(call, agent, task)| Body::DelegationRequested(DelegationRequest {
            call,
            agent,
            task
        })),
        (id(), text(), text(), any::<bool>(), option::of(text()), state).prop_map(
            |(call, agent, content, is_error, task_id, state)| {
                Body::DelegationAnswered(DelegationResponse {
                    call,
                    agent,
                    content,
                    is_error,
                    task_id,
                    state,
                })
            }
        ),
    ]
}

fn message() -> impl Strategy<Value = UserMessage> {
    (text(), vec(image(), 0..3), vec(attached(), 0..3)).prop_map(message_of)
}

pub fn body() -> impl Strategy<Value = Body> {
    let injector = proptest::sample::select(Injector::ALL.to_vec());
    let transition = proptest::sample::select(Transition::ALL.to_vec());
    prop_oneof![
        started(model()),
        message().prop_map(|said| Body::User(Arc::new(said))),
        said(),
        call().prop_map(Body::ToolCall),
        call().prop_map(Body::Validation),
        call().prop_map(Body::Command),
        goals(),
        approvals(),
        (injector, message()).prop_map(|(by, UserMessage { content: text, images, files, pastes })| {
            Body::Injected(Injected { by, text, images, files, pastes })
        }),
        (number(), text()).prop_map(|(n, reason)| Body::Tombstone(Tombstone { target: EntryId(n), reason })),
        (any::<u32>(), transition).prop_map(|(turn, reason)| Body::Transition { turn, reason }),
        (limit(), any::<u64>()).prop_map(|(limit, to)| Body::Change(Change::Budget { limit, to })),
        any::<u64>().prop_map(|up_to| Body::Change(Change::PriceAccepted { up_to })),
        (model(), model()).prop_map(|(model, previous)| Body::Change(Change::Model { model, previous })),
        proptest::option::of(proptest::sample::select(Effort::ALL))
            .prop_map(|effort| Body::Change(Change::Effort { effort })),
        call().prop_map(Body::CallEdited),
        restored(),
        number().prop_map(|call| Body::Change(Change::GrantRevoked { call: CallId(call) })),
        (number(), text())
            .prop_map(|(n, id)| Body::Change(Change::BackgroundStopped { id, call: CallId(n) })),
        (number(), text())
            .prop_map(|(n, branch)| Body::Change(Change::Rewound { message: EntryId(n), branch })),
        text().prop_map(|name| Body::Change(Change::Renamed { name })),
        crate::facts::opened(),
        delegations(),
        notes(),
        learned(),
        (text(), text()).prop_map(|(message, next)| Body::Error { message, next }),
        ended(),
    ]
}

fn limit() -> impl Strategy<Value = Limit> {
    proptest::sample::select(Limit::ALL)
}

fn notes() -> impl Strategy<Value = Body> {
    let about = prop_oneof![
        Just(About::Session),
        number().prop_map(|id| About::Entry(EntryId(id))),
        number().prop_map(|id| About::Call(CallId(id))),
        Just(About::Unknown("b1".to_owned())),
    ];
    let status = crate::facts::background();
    let kind = prop_oneof![
        Just(NoteKind::Plain),
        any::<u64>().prop_map(|attempt| NoteKind::Retried { attempt }),
        Just(NoteKind::TypedInto),
        Just(NoteKind::SandboxRefused),
        text().prop_map(|task_id| NoteKind::TaskAccepted { task_id }),
        proptest::option::of(text()).prop_map(|said| NoteKind::ChangedByHook {
            arguments: said.map(|said| serde_json::json!({ "command": said }))
        }),
        status.prop_map(NoteKind::BackgroundEnded),
        any::<bool>().prop_map(|again| NoteKind::SummaryAsked { again }),
        Just(NoteKind::SummaryStopped),
        text().prop_map(|of| NoteKind::Unknown {
            name: "of_a_later_version".to_owned(),
            members: [("of".to_owned(), of.into())].into_iter().collect(),
        }),
    ];
    (about, kind, text()).prop_map(|(about, kind, text)| Body::Note(Note::new(about, kind, text)))
}

fn learned() -> impl Strategy<Value = Body> {
    let lesson = prop_oneof![
        Just(ProviderLimit::ReasoningRefused),
        (model(), 1..=u64::MAX).prop_map(|(model, most)| ProviderLimit::OutputLimit { model, most }),
        (model(), 1..=u64::MAX).prop_map(|(model, most)| ProviderLimit::Window { model, most }),
    ];
    (number(), lesson)
        .prop_map(|(about, lesson)| Body::ProviderLimit(LearnedLimit { about: EntryId(about), lesson }))
}

pub fn entry() -> impl Strategy<Value = Entry> {
    (number(), any::<u64>(), body()).prop_map(|(id, at, mut body)| {
        if let Body::Assistant(message) = &mut body {
            Arc::make_mut(message).id = EntryId(id);
        }
        Entry { id: EntryId(id), at: Millis(at), body }
    })
}
