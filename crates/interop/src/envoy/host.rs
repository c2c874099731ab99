//! [`Host`]: an endpoint of a cluster.

use alloc::string::{String, ToString};

use keyroute_core::{NodeId, RouteError};

/// Where a host is: compared by region, then zone, then sub-zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locality {
    /// The region.
    pub region: String,
    /// The zone.
    pub zone: String,
    /// The sub-zone.
    pub sub_zone: String,
}

/// An endpoint of a cluster, known by its address: `10.0.0.1:8080`, `[2001:db8::1]:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    address: NodeId,
    weight: u32,
    hash_key: Option<String>,
    hostname: Option<String>,
    locality: Locality,
    locality_weight: u32,
}

impl Host {
    /// A host of weight 1 at this address, port included, as Envoy writes it.
    ///
    /// # Errors
    ///
    /// As [`NodeId::new`].
    pub fn new(address: impl AsRef<str>) -> Result<Self, RouteError> {
        Ok(Self {
            address: NodeId::new(address)?,
            weight: 1,
            hash_key: None,
            hostname: None,
            locality: Locality::default(),
            locality_weight: 1,
        })
    }

    /// The same with this `load_balancing_weight`.
    ///
    /// # Errors
    ///
    /// [`RouteError::ZeroWeight`], which Envoy refuses.
    pub fn with_weight(mut self, weight: u32) -> Result<Self, RouteError> {
        if weight == 0 {
            return Err(RouteError::ZeroWeight);
        }
        self.weight = weight;
        Ok(self)
    }

    /// The same with a `hash_key` in the metadata `envoy.lb`: its points are made from it. An empty one is
    /// none.
    #[must_use]
    pub fn with_hash_key(mut self, hash_key: impl AsRef<str>) -> Self {
        let hash_key = hash_key.as_ref();
        self.hash_key = (!hash_key.is_empty()).then(|| hash_key.to_string());
        self
    }

    /// The same with this `hostname`, which counts under `use_hostname_for_hashing`.
    #[must_use]
    pub fn with_hostname(mut self, hostname: impl AsRef<str>) -> Self {
        self.hostname = Some(hostname.as_ref().to_string());
        self
    }

    /// The same in this locality of this weight. All hosts of a locality have its weight.
    #[must_use]
    pub fn in_locality(mut self, locality: Locality, weight: u32) -> Self {
        self.locality = locality;
        self.locality_weight = weight;
        self
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> &NodeId {
        &self.address
    }

    /// Its weight.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Its locality.
    #[must_use]
    pub fn locality(&self) -> &Locality {
        &self.locality
    }

    /// Its locality's weight.
    #[must_use]
    pub fn locality_weight(&self) -> u32 {
        self.locality_weight
    }

    /// What its points are made from.
    pub(super) fn key(&self, use_hostname: bool) -> &str {
        match (&self.hash_key, &self.hostname) {
            (Some(key), _) => key,
            (None, Some(hostname)) if use_hostname => hostname,
            _ => self.address.as_str(),
        }
    }
}
