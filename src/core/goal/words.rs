//! What goal mode says: to the model at the start and at each checkpoint, to the person when it stops.

use crate::ledger::{Checkpoint, Goal, Progress, Validation};

/// How what the model is told of a goal begins.
const BRIEF: &str = "This is a goal: work toward it alone, until its done condition holds.";

/// Whether a model is told of a goal with this, beside the user's words. For models of our own, which have to tell it from these.
pub fn is_brief(text: &str) -> bool {
    text.starts_with(BRIEF)
}

/// The user's message: the objective in their words, and what they add to it.
pub fn wish(goal: &Goal, added: &str) -> String {
    match added.trim() {
        "" => goal.objective.clone(),
        added => format!("{}\n\n{added}", goal.objective),
    }
}

/// What the model is told of the goal beside the user's words: its parts, and how its end is found.
pub fn brief(goal: &Goal) -> String {
    let mut lines = vec![
        BRIEF.to_owned(),
        format!("Done condition: {}", goal.done_condition),
        match &goal.validation_method {
            Validation::Command(command) => {
                format!("Validation: `{command}` is run at each checkpoint; exit code 0 is the proof.")
            }
            Validation::Question => "Validation: you are asked at each checkpoint.".to_owned(),
        },
        format!("Checkpoints: every {} turns, and whenever you stop calling tools.", goal.checkpoints),
    ];
    lines.extend(Some(&goal.current_plan).filter(|p| !p.is_empty()).map(|plan| format!("Plan:\n{plan}")));
    let log = &goal.progress_log;
    lines.extend((!log.is_empty()).then(|| format!("Progress so far:\n{}", bullets(log))));
    lines.push(format!("Stop rules:\n{}", bullets(&goal.stop_rules)));
    lines.push("If only the user can say how to go on, answer with a line `blocked: WHY`.".to_owned());
    lines.join("\n")
}

/// What the model reads at a checkpoint.
pub fn ask(goal: &Goal, checkpoint: &Checkpoint) -> String {
    let mut lines = vec![format!("Checkpoint {} of the goal: {}", checkpoint.number, goal.objective)];
    lines.extend((1..).zip(&checkpoint.questions).map(|(number, asked)| {
        let answer = asked.answer.as_deref().unwrap_or("you answer this");
        format!("{number}. {} {answer} ({})", asked.question, asked.by.as_str())
    }));
    lines.push(format!("The done condition: {}", goal.done_condition));
    lines.push(
        "Answer in lines of this form, then go on with the next tool call unless the goal is done or blocked:"
            .to_owned(),
    );
    lines.push("objective: yes or no".to_owned());
    lines.push("progress: what was achieved, with the evidence".to_owned());
    lines.extend((goal.validation_method == Validation::Question).then(|| "done: yes or no".to_owned()));
    lines.push("blocked: no, or what only the user can resolve".to_owned());
    lines.push("plan: the next steps".to_owned());
    lines.join("\n")
}

/// The note for whoever takes over when a goal stops before its end.
pub fn handoff(goal: &Goal, stopped: &str, progress: &[Progress], evidence: &str, next: &str) -> String {
    let last = progress.last();
    let plan = last.map(|p| p.plan.as_str()).filter(|plan| !plan.is_empty()).unwrap_or(&goal.current_plan);
    let mut log = goal.progress_log.clone();
    log.extend(progress.iter().filter(|p| !p.progress.is_empty()).map(|p| p.progress.clone()));
    let mut lines = vec![
        format!("Goal: {}", goal.objective),
        format!("Done when: {}", goal.done_condition),
        format!("Stopped: {stopped}"),
    ];
    let blocked = last.and_then(|p| p.blocked.as_deref());
    lines.extend(blocked.map(|why| format!("Blocked: {why}")));
    lines.extend((!log.is_empty()).then(|| format!("Progress:\n{}", bullets(&log))));
    lines.extend((!evidence.is_empty()).then(|| format!("Last evidence: {evidence}")));
    lines.extend((!plan.is_empty()).then(|| format!("Plan: {plan}")));
    lines.push(format!("Next: {next}"));
    lines.join("\n")
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::read;

    #[test]
    fn the_model_is_told_every_part_that_it_can_act_on() {
        let goal = read(
            "Read both files\ndone: Were both read?\ncheckpoints: 3\nplan: list the files\n\
             progress: the first is read\nstop: when a file is missing",
        )
        .unwrap();
        let told = brief(&goal);
        for part in [
            "Done condition: Were both read?",
            "you are asked at each checkpoint",
            "every 3 turns",
            "Plan:\nlist the files",
            "Progress so far:\n- the first is read",
            "\n- when a file is missing",
            "\n- a budget is used up",
        ] {
            assert!(told.contains(part), "{part} in {told}");
        }
        let proved = brief(&read("Read both files\ncheck: make test").unwrap());
        assert!(proved.contains("`make test` is run at each checkpoint"), "{proved}");
    }
}
