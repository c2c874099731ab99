//! Failures of other systems as tests: each module reads one file of `data/cases` and follows its
//! `check` list.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod p15_jump;
