//! What other systems answered, and what we answer in their place.

use std::collections::BTreeMap;
use std::path::PathBuf;

use keyroute_cli::verify::{check_file, systems};
use keyroute_tests::data;

/// The recorded files, by system.
fn recorded() -> BTreeMap<String, Vec<PathBuf>> {
    let listed = |folder: PathBuf| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")).path())
            .collect();
        paths.sort();
        paths
    };
    listed(data("vectors"))
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().map(|name| name.to_string_lossy().into());
            (name.unwrap_or_default(), listed(folder))
        })
        .collect()
}

#[test]
fn every_recorded_answer_is_ours() {
    for (system, files) in recorded() {
        for file in files {
            let report =
                check_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert_eq!(report.system, system);
            assert!(report.agrees(), "{}: {report:#?}", file.display());
            assert!(report.checks >= 100, "{}: {report:#?}", file.display());
        }
    }
}

#[test]
fn every_system_that_can_be_checked_has_recorded_answers() {
    let recorded = recorded();
    for system in systems() {
        let files = recorded.get(system).map_or(0, Vec::len);
        assert!(files > 0, "{system} has no file");
    }
    assert_eq!(recorded.len(), systems().count());
}
