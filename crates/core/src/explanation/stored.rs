//! The form of an [`Explanation`] in JSON and its like: to be read by people and scripts, not to be restored.

use alloc::collections::BTreeMap;
use alloc::string::String;

use ::serde::ser::SerializeMap;
use ::serde::{Serialize, Serializer};

use super::{Explanation, HashValue};

/// As text: its 64 or 128 bits are more than a number in JSON keeps.
impl Serialize for HashValue {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.collect_str(self)
    }
}

/// A key that is no text is `key_hex`, in hexadecimal digits; `owner` is null where there is none.
impl Serialize for Explanation {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut map = to.serialize_map(None)?;
        match core::str::from_utf8(self.key()) {
            Ok(text) => map.serialize_entry("key", text)?,
            Err(_) => {
                let hex: String = self
                    .key()
                    .iter()
                    .map(|byte| alloc::format!("{byte:02x}"))
                    .collect();
                map.serialize_entry("key_hex", &hex)?;
            }
        }
        map.serialize_entry("owner", &self.owner_id())?;
        if let Some(why) = self.refusal() {
            map.serialize_entry("refusal", why)?;
        }
        if let (Some(digest), Some(hasher)) = (self.digest(), self.hasher()) {
            map.serialize_entry("digest", &digest)?;
            map.serialize_entry("hasher", hasher)?;
        }
        map.serialize_entry("place", self.place())?;
        map.serialize_entry("weighed", &self.weighed())?;
        map.serialize_entry("owned", &self.place().owned())?;
        map.serialize_entry("order", self.contenders())?;
        if self.notes().next().is_some() {
            map.serialize_entry("notes", &self.notes().collect::<BTreeMap<_, _>>())?;
        }
        map.serialize_entry("scheme", self.description().scheme())?;
        map.serialize_entry(
            "parameters",
            &self.description().fields().collect::<BTreeMap<_, _>>(),
        )?;
        map.serialize_entry("fingerprint", &self.fingerprint())?;
        map.end()
    }
}
