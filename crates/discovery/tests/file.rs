//! A file that is watched while others write it, in the ways in which files are written.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use keyroute_discovery::{Damping, FileFormat, MAX_FILE_LEN, WatchedFile};
use tempfile::TempDir;
use tokio::time::sleep;

mod support;
use support::Fed;

/// A folder with a file in it, and a cluster that this feeds.
struct World {
    folder: TempDir,
    fed: Fed,
}

impl World {
    /// A folder with what this makes in it, and a cluster that watches this file in it.
    fn begin(name: &str, make: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let file = WatchedFile::new(folder.path().join(name)).unwrap();
        let fed = Fed::by(file, Damping::default());
        Self { folder, fed }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn ids(&self) -> String {
        self.fed.ids().into_iter().collect()
    }
}

fn toml(ids: &str) -> String {
    let tables = ids
        .chars()
        .map(|id| format!("[[nodes]]\nid = \"{id}\"\naddress = \"{id}:80\"\n"));
    tables.collect()
}

fn json(ids: &str) -> String {
    let tables = ids
        .chars()
        .map(|id| format!("{{\"id\":\"{id}\",\"address\":\"{id}:80\"}}"));
    format!("[{}]", tables.collect::<Vec<_>>().join(","))
}

async fn seconds(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_written_in_place_is_read_again() {
    let world = World::begin("fleet.toml", |folder| {
        fs::write(folder.join("fleet.toml"), toml("ab")).unwrap();
    });
    seconds(3).await;
    assert_eq!(world.ids(), "ab");
    fs::write(world.path("fleet.toml"), toml("abc")).unwrap();
    seconds(3).await;
    assert_eq!(world.ids(), "abc");
    assert_eq!(world.fed.epoch(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_file_replaced_by_a_rename_is_read_again_though_size_and_time_are_the_same() {
    let world = World::begin("fleet.json", |folder| {
        fs::write(folder.join("fleet.json"), json("ab")).unwrap();
    });
    seconds(3).await;
    let stamp = fs::metadata(world.path("fleet.json"))
        .unwrap()
        .modified()
        .unwrap();
    let new = world.path("new");
    fs::write(&new, json("ac")).unwrap();
    fs::File::options()
        .write(true)
        .open(&new)
        .unwrap()
        .set_modified(stamp)
        .unwrap();
    fs::rename(&new, world.path("fleet.json")).unwrap();
    seconds(3).await;
    assert_eq!(world.ids(), "abc");
    seconds(10).await;
    assert_eq!(world.ids(), "ac");
}

/// What Kubernetes does with a ConfigMap: the file is a link into a folder that is a link, and that one is swapped.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn links_that_are_swapped_are_followed() {
    use std::os::unix::fs::symlink;
    let world = World::begin("fleet.json", |folder| {
        for (version, ids) in [("v1", "ab"), ("v2", "abc")] {
            fs::create_dir(folder.join(version)).unwrap();
            fs::write(folder.join(version).join("fleet.json"), json(ids)).unwrap();
        }
        symlink("v1", folder.join("data")).unwrap();
        symlink("data/fleet.json", folder.join("fleet.json")).unwrap();
    });
    seconds(3).await;
    assert_eq!(world.ids(), "ab");
    symlink("v2", world.path("next")).unwrap();
    fs::rename(world.path("next"), world.path("data")).unwrap();
    fs::remove_dir_all(world.path("v1")).unwrap();
    seconds(3).await;
    assert_eq!(world.ids(), "abc");
}

#[tokio::test(start_paused = true)]
async fn a_half_that_reads_like_a_whole_is_not_taken_for_one() {
    let world = World::begin("fleet.toml", |folder| {
        fs::write(folder.join("fleet.toml"), toml("abcd")).unwrap();
    });
    seconds(3).await;
    // Written anew, a table at a time, slower than looks are apart.
    let mut file = fs::File::create(world.path("fleet.toml")).unwrap();
    for id in ["a", "b", "c", "d", "e"] {
        file.write_all(toml(id).as_bytes()).unwrap();
        sleep(Duration::from_millis(70)).await;
    }
    drop(file);
    seconds(3).await;
    assert_eq!(world.ids(), "abcde");
    assert_eq!(world.fed.reported("is absent"), 0);
    assert_eq!(world.fed.epoch(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_gone_or_no_list_is_reported_and_the_members_stay() {
    let world = World::begin("fleet.json", |folder| {
        fs::write(folder.join("fleet.json"), json("abc")).unwrap();
    });
    seconds(3).await;
    fs::remove_file(world.path("fleet.json")).unwrap();
    seconds(3600).await;
    assert_eq!(world.ids(), "abc");
    assert_eq!(world.fed.reported("cannot be seen"), 1);

    fs::write(world.path("fleet.json"), &json("abc")[..30]).unwrap();
    seconds(3600).await;
    assert_eq!(world.ids(), "abc");
    assert_eq!(world.fed.reported("cannot be seen"), 2);

    fs::write(world.path("fleet.json"), "[]").unwrap();
    seconds(3600).await;
    assert_eq!(world.ids(), "abc");
    assert_eq!(world.fed.reported("lists nobody"), 1);

    fs::write(world.path("fleet.json"), json("bd")).unwrap();
    seconds(3).await;
    assert_eq!(world.ids(), "abcd");
    seconds(10).await;
    assert_eq!(world.ids(), "bd");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_comes_later_is_read_then() {
    let world = World::begin("fleet.json", |_| ());
    seconds(60).await;
    assert_eq!(
        (world.fed.reported("cannot be seen"), world.fed.epoch()),
        (1, 0)
    );
    fs::write(world.path("fleet.json"), json("a")).unwrap();
    seconds(3).await;
    assert_eq!(world.ids(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_too_long_is_refused() {
    let world = World::begin("fleet.json", |folder| {
        let file = fs::File::create(folder.join("fleet.json")).unwrap();
        file.set_len(MAX_FILE_LEN + 1).unwrap();
    });
    seconds(3).await;
    assert_eq!(world.fed.reported("is over 16777216 bytes"), 1);
}

#[test]
fn an_ending_that_says_no_format_is_refused() {
    for name in ["fleet", "fleet.yaml", "fleet.JSON", ".json"] {
        let error = WatchedFile::new(name).unwrap_err().to_string();
        assert!(
            error.contains("ends neither in .json nor in .toml"),
            "{error}"
        );
    }
    drop(WatchedFile::with_format("fleet", FileFormat::Toml));
}
