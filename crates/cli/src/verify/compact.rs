//! The compact form of recorded answers: a JSON line that says how the system was set up, and a line a
//! case. `docs/interop.md` specifies it.

use serde_json::{Map, Value, json};

use super::report::Unusable;

/// What a file in this form begins with.
pub(crate) const MAGIC: &str = "keyroute recorded answers, form 1";

/// The same answers in the plain form.
pub(crate) fn expand(text: &str) -> Result<Value, Unusable> {
    let mut lines = text.lines();
    if lines.next() != Some(MAGIC) {
        return Err(Unusable(format!("line 1 is not {MAGIC:?}")));
    }
    let header = lines.next().unwrap_or_default();
    let mut header: Map<String, Value> = serde_json::from_str(header)
        .map_err(|error| Unusable(format!("line 2 is not a JSON object: {error}")))?;
    let names: Vec<Value> = match header.get("nodes") {
        Some(Value::Array(nodes)) => nodes.iter().map(name).collect(),
        _ => Vec::new(),
    };
    let (mut cases, mut hex) = (Vec::new(), Vec::new());
    for (number, line) in (3..).zip(lines) {
        let at = |problem: Unusable| problem.at(format!("line {number}"));
        let (key, answer) = line
            .split_once('\t')
            .ok_or_else(|| at(Unusable::new("not a key, a tab and an answer")))?;
        let answer = answer_of(answer, &names).map_err(at)?;
        match key.strip_prefix("\\x") {
            Some(digits) => hex.push(json!([digits, answer])),
            None => {
                let key: String = serde_json::from_str(&format!("\"{key}\""))
                    .map_err(|error| at(Unusable(format!("the key {key:?}: {error}"))))?;
                cases.push(json!([key, answer]));
            }
        }
    }
    header.insert("cases".into(), cases.into());
    if !hex.is_empty() {
        header.insert("cases_hex".into(), hex.into());
    }
    Ok(header.into())
}

/// The name of a node, which is a text or an object that holds it.
fn name(node: &Value) -> Value {
    match node {
        Value::Object(fields) => fields.get("name").cloned().unwrap_or_default(),
        name => name.clone(),
    }
}

/// JSON, or `@` and the place of a node.
fn answer_of(text: &str, names: &[Value]) -> Result<Value, Unusable> {
    let Some(place) = text.strip_prefix('@') else {
        return serde_json::from_str(text)
            .map_err(|error| Unusable(format!("the answer {text:?}: {error}")));
    };
    let node = place.parse().ok().and_then(|place: usize| names.get(place));
    node.cloned()
        .ok_or_else(|| Unusable(format!("the answer {text:?}: there is no such node")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::expand;

    const HEAD: &str = "keyroute recorded answers, form 1\n";

    #[test]
    fn every_kind_of_case_is_read() {
        let file = format!(
            "{HEAD}{}\n{}",
            r#"{"system":"s","nodes":["a",{"name":"b","weight":2}]}"#,
            "k\\t\\u00e4\t@1\n\\xff00\t@0\n1\t7\nn\tnull\n\t\"\"\nmany\t[\"a\",\"b\"]\n"
        );
        let expected = json!({
            "system": "s",
            "nodes": ["a", {"name": "b", "weight": 2}],
            "cases": [["k\tä", "b"], ["1", 7], ["n", null], ["", ""], ["many", ["a", "b"]]],
            "cases_hex": [["ff00", "a"]],
        });
        assert_eq!(expand(&file), Ok(expected));
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        for (rest, problem) in [
            ("", "line 2 is not a JSON object"),
            ("[]\n", "line 2 is not a JSON object"),
            ("{}\nkey", "line 3: not a key, a tab and an answer"),
            ("{}\na\t1\nb\tx", "line 4: the answer \"x\""),
            (
                "{}\na\t@0",
                "line 3: the answer \"@0\": there is no such node",
            ),
            ("{}\n\"\t1", "line 3: the key"),
            ("{}\n\\q\t1", "line 3: the key"),
        ] {
            let error = expand(&format!("{HEAD}{rest}")).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{rest:?}: {error}");
        }
        let error = expand("form 1").unwrap_err().to_string();
        assert!(error.starts_with("line 1 is not"), "{error}");
    }
}
