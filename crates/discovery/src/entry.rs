//! The stored form of a [`Peer`]: a table `{id, address, weight, zone}`.

use keyroute_core::{NodeId, Zone};
use serde::{Deserialize, Serialize};

use crate::{MAX_ENTRY_LEN, Peer, SkipReason};

/// A table as somebody wrote it. Fields that it has beside these are somebody else's.
#[derive(Deserialize)]
pub(crate) struct Written {
    id: Option<String>,
    address: Option<String>,
    weight: Option<Number>,
    zone: Option<String>,
}

/// Numbers as they may be written, so that a refusal can name them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(u64),
    Negative(i64),
    Real(f64),
    Text(String),
    Truth(bool),
}

impl Number {
    fn weight(&self) -> Result<u32, SkipReason> {
        let given = match self {
            Self::Whole(number) => match u32::try_from(*number) {
                Ok(weight) => return Ok(weight),
                Err(_) => number.to_string(),
            },
            Self::Negative(number) => number.to_string(),
            Self::Real(number) => format!("{number:?}"),
            Self::Text(text) => format!("{text:?}"),
            Self::Truth(truth) => truth.to_string(),
        };
        Err(SkipReason::Weight { given })
    }
}

impl Written {
    /// Whom it is about, if it says so.
    pub(crate) fn id(&self) -> Option<NodeId> {
        NodeId::new(self.id.as_deref()?).ok()
    }

    /// The peer, if the table is one; under this key, or saying its id itself.
    pub(crate) fn peer(self, key: Option<&str>) -> Result<Peer, SkipReason> {
        let id = match (key, self.id) {
            (Some(key), Some(id)) if key != id => {
                let key = key.into();
                return Err(SkipReason::OtherId { id, key });
            }
            (Some(key), _) => key.to_owned(),
            (None, Some(id)) => id,
            (None, None) => return Err(SkipReason::NoId),
        };
        let peer = Peer::new(id, self.address.unwrap_or_default())?;
        let peer = match self.weight {
            Some(weight) => peer.with_weight(weight.weight()?),
            None => peer,
        };
        Ok(match self.zone {
            Some(zone) => peer.with_zone(Zone::new(zone)?),
            None => peer,
        })
    }
}

#[derive(Serialize)]
struct Stored<'a> {
    id: &'a str,
    address: &'a str,
    weight: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'a str>,
}

impl Peer {
    /// Its stored form: `{"id":…,"address":…,"weight":…,"zone":…}`, the last only if it has one.
    #[must_use]
    pub fn to_json(&self) -> String {
        let stored = Stored {
            id: self.id().as_str(),
            address: self.address(),
            weight: self.weight(),
            zone: self.zone().map(Zone::as_str),
        };
        // Text and a number: there is nothing that JSON could not say.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// The peer that a value says which is stored under this id. Id, weight and zone may be left out, other fields are
    /// passed over.
    ///
    /// # Errors
    ///
    /// Any [`SkipReason`] but those of lists.
    pub fn from_json(id: &str, value: &[u8]) -> Result<Self, SkipReason> {
        if value.len() > MAX_ENTRY_LEN {
            let length = value.len();
            return Err(SkipReason::TooLong { length });
        }
        NodeId::new(id)?;
        let written: Written = serde_json::from_slice(value).map_err(|error| {
            let problem = error.to_string();
            SkipReason::Syntax { problem }
        })?;
        written.peer(Some(id))
    }
}
