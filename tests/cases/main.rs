//! Failures of other systems as tests: each module reads one file of `data/cases` and follows its
//! `check` list.

mod p15_jump;
