//! The model asks the person: the answer is the call's result, and goes back to the model.

use serde_json::json;

use super::console::{Console, ENTER};
use super::home::Home;

#[tokio::test]
async fn answers_by_number_and_in_words_reach_the_model() {
    let home = Home::new();
    let script = json!([
        { "tool_calls": [
            { "name": "ask", "arguments": { "question": "Which colour?", "choices": ["red", "green"] } },
            { "name": "ask", "arguments": { "question": "How many?" } },
        ]},
        { "text": "Thank you." },
    ]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.until("the first question", |screen| screen.contains("Which colour?") && screen.contains("choose"))
        .await;
    app.answers("2").await;
    app.until("the second question", |screen| screen.contains("r answer") && !screen.contains("choose"))
        .await;
    app.answers("r").await;
    app.sees("answer: ").await;
    app.keys("seven").await;
    app.sees("seven").await;
    app.keys(ENTER).await;
    app.sees("Thank you.").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("tool_result", "content"), ["green", "seven"]);
    assert_eq!(home.texts("approval", "answer"), ["green", "seven"]);
}
