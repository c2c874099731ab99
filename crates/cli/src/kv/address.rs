//! [`Shards`]: the shard that an address means.

use std::path::PathBuf;
use std::sync::Arc;

use keyroute::NodeId;
use keyroute_kv::{MemcachedShard, MemoryShard, RedbShard, RedisShard, Shard, ShardError};

/// The forms of an address, in words.
pub(super) const FORMS: &str = "redis://HOST[:PORT][/DB], memcached://HOST[:PORT], memory:NAME, redb:FILE within --dir, \
                                or none, which is a file of the node's name within --dir";

/// Opens shards.
#[derive(Debug)]
pub(super) struct Shards {
    /// Where the files of embedded shards are.
    pub(super) dir: Option<PathBuf>,
}

impl Shards {
    /// The shard at this address.
    pub(super) fn open(&self, id: &NodeId, address: &str) -> Result<Arc<dyn Shard>, ShardError> {
        if *id == *address && !address.contains("://") {
            return self.embedded(&file_of(id));
        }
        match address.split_once(':') {
            Some(("memory", _)) => Ok(Arc::new(MemoryShard::new())),
            Some(("redb", file)) => self.embedded(file),
            Some(("redis", _)) => Ok(Arc::new(RedisShard::open(address)?)),
            Some(("memcached", rest)) if let Some(server) = rest.strip_prefix("//") => {
                Ok(Arc::new(MemcachedShard::open(server)))
            }
            _ => Err(ShardError::new(format!(
                "the address {address:?} is none of: {FORMS}"
            ))),
        }
    }

    fn embedded(&self, file: &str) -> Result<Arc<dyn Shard>, ShardError> {
        let Some(dir) = &self.dir else {
            return Err(ShardError::new(
                "an embedded shard needs a folder: say --dir",
            ));
        };
        // Whoever reaches the port can name one; `….new` are files in the making.
        let is_name = !file.is_empty() && !file.starts_with('.') && !file.ends_with(".new");
        if !is_name || file.contains(['/', '\\', '\0']) {
            return Err(ShardError::new(format!(
                "{file:?} is no name of a file within --dir"
            )));
        }
        Ok(Arc::new(RedbShard::open(dir.join(file))?))
    }
}

/// The file of a node without an address. Bytes that may not stand in the name of a file are written as `%XX`, so that
/// two ids never have one.
fn file_of(id: &NodeId) -> String {
    let mut name = String::new();
    for byte in id.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name += &format!("%{byte:02X}"),
        }
    }
    name + ".redb"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> NodeId {
        NodeId::new(text).unwrap()
    }

    #[test]
    fn files_are_distinct_and_stay_within_their_folder() {
        for (given, file) in [
            ("a", "a.redb"),
            ("db-1_x.y", "db-1_x.y.redb"),
            ("..", "%2E..redb"),
            ("a/b", "a%2Fb.redb"),
            ("a%2Fb", "a%252Fb.redb"),
            ("é", "%C3%A9.redb"),
        ] {
            let found = file_of(&id(given));
            assert_eq!(found, file);
            assert!(!found.starts_with('.') && !found.contains('/'));
        }
    }

    #[test]
    fn addresses_that_mean_nothing_are_refused() {
        let dir = std::env::temp_dir().join(format!("keyroute-address-{}", std::process::id()));
        let shards = Shards {
            dir: Some(dir.clone()),
        };
        for address in [
            "10.0.0.1:6379",
            "http://10.0.0.1",
            "b",
            "",
            "redb:",
            "redb:../x",
            "redb:/x",
            "redb:.x",
            "redb:x.new",
        ] {
            assert!(shards.open(&id("a"), address).is_err(), "{address}");
        }
        assert!(shards.open(&id("a"), "memory:x").is_ok());
        assert!(Shards { dir: None }.open(&id("a"), "a").is_err());
        assert!(!dir.exists(), "an address that is refused makes nothing");
    }
}
