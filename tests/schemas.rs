//! The schemas of our tools: valid by the draft that they are compiled by, and by the newest, which models know.
#![allow(missing_docs, reason = "tests")]

use countersign::runtime::{echo_spec, tool_specs};

#[test]
fn every_schema_is_valid_by_both_drafts() {
    for tool in tool_specs().into_iter().chain([echo_spec()]) {
        assert!(jsonschema::draft7::meta::is_valid(&tool.schema), "{}", tool.name);
        assert!(jsonschema::draft202012::meta::is_valid(&tool.schema), "{}", tool.name);
        assert_eq!(tool.schema["type"], "object", "{}", tool.name);
    }
}
