//! Stored form: the inner router's, and whether zones are required.

use keyroute_core::{RouteError, Router};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ZoneAware;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<R> {
    router: R,
    requires_zones: bool,
}

impl<R: Router + Serialize> Serialize for ZoneAware<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let stored = Stored {
            router: self.get_ref(),
            requires_zones: self.requires_zones(),
        };
        stored.serialize(to)
    }
}

impl<'de, R: Router + Deserialize<'de>> Deserialize<'de> for ZoneAware<R> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = Stored::<R>::deserialize(from)?;
        if stored.requires_zones {
            Self::requiring_zones(stored.router)
                .map_err(|error: RouteError| serde::de::Error::custom(error))
        } else {
            Ok(Self::new(stored.router))
        }
    }
}
