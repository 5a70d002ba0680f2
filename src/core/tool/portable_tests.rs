//! Schemas of servers as providers take them, and arguments as servers do.

use super::*;

fn shown(own: Value) -> Value {
    portable(&own).unwrap().schema
}

fn restored(own: &Value, arguments: Value) -> Value {
    let Value::Object(mut arguments) = arguments else { panic!("an object") };
    restore(own, &mut arguments);
    Value::Object(arguments)
}

#[test]
fn combinations_at_the_root_become_properties() {
    let id = json!({ "properties": { "id": { "type": "string" } }, "required": ["id"] });
    let name = json!({ "properties": { "name": { "type": "string" }, "id": { "type": "integer" } }, "required": ["name"] });
    for member in ["anyOf", "oneOf"] {
        let own =
            json!({ "type": "object", "properties": { "x": {} }, "required": ["x"], member: [id, name] });
        let both = json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] });
        let properties = json!({ "x": {}, "id": both, "name": { "type": "string" } });
        assert_eq!(shown(own), json!({ "type": "object", "properties": properties, "required": ["x"] }));
    }
    let own = json!({ "allOf": [id, { "$ref": "#/$defs/n" }], "$defs": { "n": { "properties": { "n": {} }, "required": ["n"] } } });
    let all = shown(own);
    assert_eq!((&all["required"], all.get("allOf")), (&json!(["id", "n"]), None));
    let refused = shown(
        json!({ "type": "object", "not": {}, "enum": [{}], "$schema": "http://json-schema.org/draft-07/schema#" }),
    );
    assert_eq!(refused, json!({ "type": "object", "properties": {} }));
}

#[test]
fn arrays_have_items_and_older_drafts_are_read() {
    let own = json!({ "type": "object", "properties": {
        "a": { "type": "array" }, "b": { "type": ["array", "null"], "items": true },
        "c": { "type": "array", "items": [{ "type": "string" }] }, "d": true, "e": false,
        "f": { "minimum": 0, "exclusiveMinimum": true, "exclusiveMaximum": false },
        "g": { "items": { "type": "array" } },
    }, "additionalProperties": false });
    let expected = json!({ "type": "object", "properties": {
        "a": { "type": "array", "items": {} }, "b": { "type": ["array", "null"], "items": {} },
        "c": { "type": "array", "items": { "anyOf": [{ "type": "string" }] } }, "d": {}, "e": { "not": {} },
        "f": { "exclusiveMinimum": 0 },
        "g": { "items": { "type": "array", "items": {} } },
    }, "additionalProperties": false });
    assert_eq!(shown(own), expected);
}

#[test]
fn names_that_no_provider_takes_are_changed_and_changed_back() {
    let long = "x".repeat(70);
    let own = json!({ "type": "object", "required": ["$filter", "_filter"], "properties": {
        "$filter": { "type": "string" }, "_filter": {}, "odd name": { "type": "array", "items": { "$ref": "#/$defs/o" } },
        "": {}, long.clone(): {},
    }, "anyOf": [{ "properties": { "$top": {} } }], "$defs": { "o": { "properties": { "@id": {} } } } });
    let made = portable(&own).unwrap();
    assert!(made.is_renamed);
    let names: BTreeSet<&str> =
        made.schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert!(names.iter().all(|name| is_fit(name)), "{names:?}");
    assert_eq!(made.schema["required"], json!(["_filter_2", "_filter"]));
    assert_eq!(made.schema["$defs"]["o"]["properties"], json!({ "_id": {} }));
    let written = json!({ "_filter_2": "a", "_filter": 1, "odd_name": [{ "_id": 1 }], "_": 2, "x".repeat(60): 3, "_top": 4 });
    let meant =
        json!({ "$filter": "a", "_filter": 1, "odd name": [{ "@id": 1 }], "": 2, long: 3, "$top": 4 });
    assert_eq!(restored(&own, written), meant);
    assert_eq!(restored(&own, meant.clone()), meant);
}

#[test]
fn what_is_fine_stays_as_it_is() {
    let own = json!({ "type": "object", "properties": { "path": { "type": "string", "pattern": "^a" } }, "required": ["path"] });
    assert_eq!(portable(&own), Ok(Portable { schema: own, is_renamed: false }));
    let points = json!({ "properties": { "$a": {}, "b": { "$ref": "#/properties/$a" } } });
    assert!(portable(&points).unwrap_err().contains("refers to a property"));
    assert!(portable(&json!(true)).is_err());
}

#[test]
fn a_schema_that_doubles_itself_is_followed_only_so_far() {
    let mut own = json!({ "properties": { "$a": {} } });
    for _ in 0..40 {
        own = json!({ "allOf": [own, own] });
        if own.to_string().len() > 60_000 {
            break;
        }
    }
    let defs: Map<String, Value> = (0..40)
        .map(|n| {
            let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
            (format!("d{n}"), json!({ "allOf": [next, next] }))
        })
        .collect();
    let looped = json!({ "properties": { "$a": {} }, "allOf": [{ "$ref": "#/$defs/d0" }, { "$ref": "#" }], "$defs": defs });
    for own in [own, looped] {
        portable(&own).unwrap();
        restored(&own, json!({ "_a": {} }));
    }
}

/// This many properties that are named with one letter of another alphabet.
fn foreign(names: u32) -> Map<String, Value> {
    (0..names).filter_map(|n| char::from_u32(0x4e00 + n)).map(|c| (c.to_string(), json!({}))).collect()
}

#[test]
fn many_names_that_no_provider_takes_cost_no_more_than_their_number() {
    let made = renames(&foreign(20_000));
    assert_eq!((made["\u{4e00}"].as_str(), made["\u{4e02}"].as_str()), ("_", "__3"));
    assert_eq!(made.values().collect::<BTreeSet<_>>().len(), 20_000);
    // The numbers of others are left out, as they always were.
    let own =
        json!({ "__2": {}, "__4": {}, "$": {}, "%": {}, "&": {}, "a$": {}, "a%": {}, "a__2": {}, "a&": {} });
    let names: Vec<(String, String)> = renames(own.as_object().unwrap()).into_iter().collect();
    let expected = [("$", "_"), ("%", "__3"), ("&", "__5"), ("a$", "a_"), ("a%", "a__3"), ("a&", "a__4")];
    assert_eq!(names, expected.map(|(own, shown)| (own.to_owned(), shown.to_owned())));
}

#[test]
fn a_schema_with_too_many_of_them_is_left_out() {
    let own = |first: u32, second: u32| json!({ "properties": foreign(first), "$defs": { "x": { "properties": foreign(second) } } });
    assert!(portable(&own(250, 250)).unwrap().is_renamed);
    for own in [own(6_500, 0), own(250, 251)] {
        assert!(portable(&own).unwrap_err().contains("more property names that no provider accepts than"));
    }
    // A name with four digits behind it would be too long itself.
    let long = "x".repeat(60);
    let mut taken: Map<String, Value> = (2..1000).map(|n| (format!("{long}_{n}"), json!({}))).collect();
    taken.insert(long.clone(), json!({}));
    taken.insert(format!("{long}$$$$$"), json!({}));
    assert!(portable(&json!({ "properties": taken })).is_err());
}

#[test]
fn arguments_with_many_objects_get_their_names_back_in_a_bounded_time() {
    let fit: Map<String, Value> = (0..5_000).map(|n| (format!("p{n}"), json!({}))).collect();
    let mut properties = fit;
    properties.insert("$id".to_owned(), json!({}));
    let own = json!({ "properties": { "all": { "items": { "properties": properties } } } });
    let written = json!({ "all": vec![json!({ "_id": 1 }); 5_000] });
    assert_eq!(restored(&own, written), json!({ "all": vec![json!({ "$id": 1 }); 5_000] }));
    // More members than properties: found from the other side.
    let own = json!({ "properties": { "@a": { "properties": { "@b": {} } } } });
    let written = json!({ "x": 1, "y": 2, "_a": { "z": 3, "_b": 4 } });
    assert_eq!(restored(&own, written), json!({ "x": 1, "y": 2, "@a": { "z": 3, "@b": 4 } }));
}

#[test]
fn what_many_branches_refer_to_is_merged_once() {
    let names: Vec<String> = (0..6_000).map(|n| format!("n{n}")).collect();
    let branch = json!({ "$ref": "#/$defs/a" });
    let own = json!({ "allOf": vec![branch; 1_500], "$defs": { "a": { "required": names, "properties": { "a": {} } } } });
    let made = shown(own);
    assert_eq!((&made["required"], &made["properties"]), (&json!(names), &json!({ "a": {} })));
}
