//! What a gateway says that a call cost: it knows the price of whoever answered in the end.

use serde_json::Value;

use crate::ledger::MicroDollars;

/// The cost in a usage, in whole micro-dollars, rounded up. `None` where none is told, or what is told is no amount.
pub(super) fn told(usage: &Value) -> Option<MicroDollars> {
    let amount = |path: &str| usage.pointer(path).and_then(Value::as_f64);
    let told = amount("/cost").or_else(|| amount("/cost/total_cost"))?;
    // With the user's own key at the vendor the gateway tells its fee, and beside it what the vendor takes.
    let by_own_key = usage.get("is_byok").and_then(Value::as_bool) == Some(true);
    let upstream = if by_own_key { amount("/cost_details/upstream_inference_cost") } else { None };
    let upstream = upstream.unwrap_or_default();
    let dollars = told + upstream;
    // A thousandth of the unit is what a decimal number may be off.
    let micros = (dollars * 1e6 - 1e-3).ceil().max(0.0);
    (told >= 0.0 && upstream >= 0.0 && micros <= MOST).then_some(MicroDollars(micros as u64))
}

/// No call costs a million dollars: such a number is a mistake, and would end every budget.
const MOST: f64 = 1e12;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cost_is_an_amount_of_dollars() {
        for (usage, micros) in [
            (json!({ "cost": 0.000669 }), Some(669)),
            (json!({ "cost": 0.00187875 }), Some(1_879)),
            (json!({ "cost": 0, "is_byok": false }), Some(0)),
            (
                json!({ "cost": 0.1, "is_byok": true, "cost_details": { "upstream_inference_cost": 0.2 } }),
                Some(300_000),
            ),
            (
                json!({ "cost": 0.2, "is_byok": false, "cost_details": { "upstream_inference_cost": 0.2 } }),
                Some(200_000),
            ),
            (json!({ "cost": { "input_tokens_cost": 0.001, "total_cost": 0.006 } }), Some(6_000)),
            (json!({ "prompt_tokens": 3 }), None),
            (json!({ "cost": null }), None),
            (json!({ "cost": "0.1" }), None),
            (json!({ "cost": -0.1 }), None),
            (json!({ "cost": 1e300 }), None),
            (
                json!({ "cost": 0.2, "is_byok": true, "cost_details": { "upstream_inference_cost": -0.2 } }),
                None,
            ),
        ] {
            assert_eq!(told(&usage), micros.map(MicroDollars), "{usage}");
        }
    }
}
