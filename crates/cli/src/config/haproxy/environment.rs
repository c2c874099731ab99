//! The environment that a configuration is read in: the process's, and what `global` changes of it.

use std::collections::BTreeMap;

/// Variables by name.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// Where variables that the file does not set come from.
    outside: fn(&str) -> Option<String>,
    /// What the file sets; `None` is what it takes away.
    changed: BTreeMap<String, Option<String>>,
    /// Whether `resetenv` has shut out the others.
    shut: bool,
}

impl Environment {
    /// The environment of this process.
    pub(super) fn of_process() -> Self {
        Self::new(|name| std::env::var(name).ok())
    }

    pub(super) fn new(outside: fn(&str) -> Option<String>) -> Self {
        Self {
            outside,
            changed: BTreeMap::new(),
            shut: false,
        }
    }

    /// The value of a variable, if it is set.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        match self.changed.get(name) {
            Some(value) => value.clone(),
            None if self.shut => None,
            None => (self.outside)(name),
        }
    }

    /// Does what a line of `global` says, if it is about the environment.
    ///
    /// # Errors
    ///
    /// What is missing in the line.
    pub(super) fn change(&mut self, words: &[String]) -> Result<(), String> {
        let Some((directive, arguments)) = words.split_first() else {
            return Ok(());
        };
        match (directive.as_str(), arguments) {
            ("setenv", [name, value, ..]) => self.set(name, Some(value)),
            ("presetenv", [name, _, ..]) if self.get(name).is_some() => {}
            ("presetenv", [name, value, ..]) => self.set(name, Some(value)),
            ("setenv" | "presetenv", _) => {
                return Err(format!("{directive} takes a name and a value"));
            }
            ("unsetenv", names) => names.iter().for_each(|name| self.set(name, None)),
            ("resetenv", names) => {
                let kept = names.iter().map(|name| (name.clone(), self.get(name)));
                self.changed = kept.collect();
                self.shut = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: Option<&String>) {
        self.changed.insert(name.into(), value.cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn what_the_file_says_of_variables_counts() {
        let mut environment =
            Environment::new(|name| (name != "NONE").then(|| format!("outer {name}")));
        let mut say = |line: &str, expected: &str| {
            let words: Vec<String> = line.split(' ').map(Into::into).collect();
            environment.change(&words).unwrap();
            let values = ["A", "B", "NONE"].map(|name| environment.get(name).unwrap_or("-".into()));
            assert_eq!(values.join(","), expected, "{line}");
        };
        say("nbthread 4", "outer A,outer B,-");
        say("setenv A 1", "1,outer B,-");
        say("presetenv A 2", "1,outer B,-");
        say("presetenv NONE 3", "1,outer B,3");
        say("unsetenv NONE B", "1,-,-");
        say("setenv B 4", "1,4,-");
        say("resetenv A", "1,-,-");
        assert!(environment.change(&["setenv".into(), "A".into()]).is_err());
    }
}
