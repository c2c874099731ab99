//! What stands under a prefix: raw keys and values to a [`Sighting`].

use std::collections::BTreeMap;

use keyroute_core::NodeId;

use crate::{Peer, Sighting, SkipReason, Skipped};

/// What stands under a prefix, by what follows the prefix. Each entry is read once, when it comes.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    read: BTreeMap<Vec<u8>, Result<Peer, SkipReason>>,
}

impl Entries {
    /// This stands there now.
    pub(crate) fn put(&mut self, name: &[u8], value: &[u8]) {
        let peer = match str::from_utf8(name) {
            Ok(id) => Peer::from_json(id, value),
            Err(_) => Err(SkipReason::KeyNotText),
        };
        self.read.insert(name.to_vec(), peer);
    }

    /// Nothing stands there any more.
    pub(crate) fn delete(&mut self, name: &[u8]) {
        self.read.remove(name);
    }

    pub(crate) fn sighting(&self) -> Sighting {
        let peers = self.read.values().filter_map(|peer| peer.as_ref().ok());
        let skipped = self.read.iter().filter_map(|(name, peer)| {
            let key = String::from_utf8_lossy(name).into_owned();
            Some(Skipped {
                id: str::from_utf8(name)
                    .ok()
                    .and_then(|id| NodeId::new(id).ok()),
                key,
                reason: peer.as_ref().err()?.clone(),
            })
        });
        Sighting::of(peers.cloned()).with_skipped(skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::Entries;
    use crate::{MAX_ENTRY_LEN, RouteError, SkipReason};

    #[test]
    fn each_wrong_entry_is_skipped_by_its_own_reason() {
        let mut entries = Entries::default();
        entries.put(
            b"a",
            br#"{"address":"1","id":"a","weight":0,"zone":"z","since":2020}"#,
        );
        entries.put(b"eu/b", br#"{"address":"2"}"#);
        entries.put(b"c", b"not json");
        entries.put(b"d", br#"{"address":"4","weight":4294967296}"#);
        entries.put(b"e", br#"{"address":"5","weight":"1"}"#);
        entries.put(b"f", br#"{"address":"6","id":"a"}"#);
        entries.put(b"g", br#"{"address":"7","zone":""}"#);
        entries.put(b"h", br#"{"address":""}"#);
        entries.put(b"", br#"{"address":"8"}"#);
        entries.put(b"\xff", br#"{"address":"9"}"#);
        entries.put(b"i", &vec![b' '; MAX_ENTRY_LEN + 1]);
        entries.put(&[b'j'; 4097], br#"{"address":"10"}"#);

        let seen = entries.sighting();
        let ids: Vec<&str> = seen.members().iter().map(|it| it.id().as_str()).collect();
        assert_eq!(ids, ["a", "eu/b"]);
        assert_eq!(seen.members().get("a").unwrap().weight(), 0);
        let of = |key: &str| {
            let found = seen.skipped().iter().find(|it| it.key == key);
            &found.unwrap().reason
        };
        assert!(matches!(of("c"), SkipReason::Syntax { .. }));
        let given = |text: &str| SkipReason::Weight { given: text.into() };
        assert_eq!(*of("d"), given("4294967296"));
        assert_eq!(*of("e"), given("\"1\""));
        assert!(matches!(of("f"), SkipReason::OtherId { .. }));
        assert_eq!(*of("g"), RouteError::EmptyZone.into());
        assert_eq!(*of("h"), SkipReason::NoAddress);
        assert_eq!(*of(""), RouteError::EmptyId.into());
        assert_eq!(*of("\u{fffd}"), SkipReason::KeyNotText);
        let length = MAX_ENTRY_LEN + 1;
        assert_eq!(*of("i"), SkipReason::TooLong { length });
        let length = 4097;
        assert_eq!(
            *of(&"j".repeat(length)),
            RouteError::IdTooLong { length }.into()
        );
        assert_eq!(seen.skipped().len(), 10);
    }

    #[test]
    fn a_later_value_is_what_counts() {
        let mut entries = Entries::default();
        entries.put(b"a", b"{");
        entries.put(b"a", br#"{"address":"1"}"#);
        assert!(entries.sighting().skipped().is_empty());
        entries.put(b"a", b"{");
        assert_eq!(entries.sighting().skipped().len(), 1);
        entries.delete(b"a");
        entries.delete(b"b");
        assert_eq!(entries.sighting(), crate::Sighting::default());
    }
}
