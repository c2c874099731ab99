//! The stored forms: recipes, not tables. What is read back goes through the same checks as what is
//! built, and a ring's points are made anew.
//!
//! | type | form |
//! | --- | --- |
//! | `NodeId`, `Zone` | text |
//! | `Weight`, `PointsPerWeight` | number |
//! | `Node` | `{id, weight, zone}`; weight 1 and no zone may be left out |
//! | `Fingerprint` | 32 hex digits |
//! | named hashers | their name; another name is refused |
//! | `Native`, `Labelled` | their parameters |
//! | rings | `{scheme, nodes}`, nodes in the order of listing |
//! | routers over bucket functions | `{hasher, nodes}`, nodes in the order of listing |

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::{Mixed, ZeroExtend};
use crate::{
    BucketFunction, Bucketed, Fingerprint, KeyHasher, Members, Node, NodeId, PointTable,
    PointsPerWeight, Ring, Router, Scheme, Template, Weight, Zone,
};

macro_rules! as_text {
    ($($type:ty: $read:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                let read: fn(&str) -> _ = $read;
                read(&text).map_err(D::Error::custom)
            }
        }
    )*};
}

as_text! {
    NodeId: |text| Self::new(text);
    Zone: |text| Self::new(text);
    Template: |text| Self::new(text);
    Fingerprint: |text| text.parse();
}

macro_rules! as_number {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
                to.serialize_u32(self.get())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::new(u32::deserialize(from)?).map_err(D::Error::custom)
            }
        }
    )*};
}

as_number!(Weight, PointsPerWeight);

#[derive(Serialize, Deserialize)]
#[serde(rename = "Node", deny_unknown_fields)]
struct NodeRecord {
    id: NodeId,
    #[serde(default)]
    weight: Weight,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zone: Option<Zone>,
}

impl Serialize for Node {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        NodeRecord {
            id: self.id().clone(),
            weight: self.weight(),
            zone: self.zone().cloned(),
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let NodeRecord { id, weight, zone } = NodeRecord::deserialize(from)?;
        let node = Self::from(id).with_weight(weight);
        Ok(match zone {
            Some(zone) => node.with_zone(zone),
            None => node,
        })
    }
}

/// Members are stored in the order of listing; slots are given anew.
impl Serialize for Members {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.collect_seq(self.listed().into_iter().filter_map(|slot| self.get(slot)))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::from_nodes(Vec::<Node>::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// A hasher is stored as its name, and read back only under that name: the type says which function
/// it is, the name proves that the writer meant the same.
#[cfg(any(feature = "xxh3", feature = "crc32", feature = "fnv", feature = "md5"))]
macro_rules! as_name {
    ($($type:ty: $read:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
                to.collect_str(&named(self).map_err(::serde::ser::Error::custom)?)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let name = String::deserialize(from)?;
                let read: fn(&str) -> Option<Self> = $read;
                // The way back is the check: a hasher has one name.
                match read(&name) {
                    Some(hasher) if hasher.name().as_deref() == Some(&name) => Ok(hasher),
                    _ => Err(D::Error::custom(alloc::format!(
                        "hasher {name:?} is not {}: read it as the type it was stored as",
                        stringify!($type)
                    ))),
                }
            }
        }
    )*};
}

#[cfg(feature = "xxh3")]
as_name! {
    crate::hash::Xxh3: |_| Some(Self);
    crate::hash::Xxh64: |name| Some(Self { seed: seed(name)? });
    crate::hash::Xxh32: |name| Some(Self { seed: seed(name)?.try_into().ok()? });
}

#[cfg(feature = "xxh3")]
fn seed(name: &str) -> Option<u64> {
    name.split_once(':')
        .map_or(Some(0), |(_, seed)| seed.parse().ok())
}

#[cfg(feature = "crc32")]
as_name!(crate::hash::Crc32: |_| Some(Self););

#[cfg(feature = "fnv")]
as_name! {
    crate::hash::Fnv1a64: |_| Some(Self);
    crate::hash::Fnv1_64: |_| Some(Self);
    crate::hash::Fnv1a32: |_| Some(Self);
    crate::hash::Fnv1_32: |_| Some(Self);
}

#[cfg(feature = "md5")]
as_name! {
    crate::hash::Md5: |_| Some(Self);
    crate::hash::Md5Word: |name| Self::new(name.strip_prefix("md5-word")?.parse().ok()?).ok();
}

macro_rules! as_wrapped_name {
    ($($wrapper:ident: $prefix:literal;)*) => {$(
        impl<H: KeyHasher<Out = u32>> Serialize for $wrapper<H> {
            fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
                to.collect_str(&named(self).map_err(::serde::ser::Error::custom)?)
            }
        }

        impl<'de, H: KeyHasher<Out = u32> + Deserialize<'de>> Deserialize<'de> for $wrapper<H> {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let name = String::deserialize(from)?;
                let inner = name
                    .strip_prefix(concat!($prefix, "("))
                    .and_then(|rest| rest.strip_suffix(')'))
                    .ok_or_else(|| D::Error::custom(alloc::format!(
                        "hasher {name:?} is not {}(…): read it as the type it was stored as",
                        $prefix
                    )))?;
                H::deserialize(::serde::de::value::StringDeserializer::new(inner.to_string())).map(Self)
            }
        }
    )*};
}

as_wrapped_name! {
    Mixed: "mixed";
    ZeroExtend: "zero-extend";
}

/// The hasher's name, or why it cannot be stored.
fn named<H: KeyHasher>(hasher: &H) -> Result<String, &'static str> {
    hasher
        .name()
        .ok_or("an unnamed hasher cannot be stored: give it a type with a name")
}

#[derive(Serialize)]
#[serde(rename = "Ring")]
struct RingRef<'a, S> {
    scheme: &'a S,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "Ring", deny_unknown_fields)]
struct RingRecord<S> {
    scheme: S,
    nodes: Vec<Node>,
}

impl<S: Scheme + Serialize, T: PointTable<S::Position>> Serialize for Ring<S, T> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        RingRef {
            scheme: self.scheme(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, S: Scheme + Deserialize<'de>, T: PointTable<S::Position>> Deserialize<'de>
    for Ring<S, T>
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let RingRecord { scheme, nodes } = RingRecord::deserialize(from)?;
        Self::from_nodes(scheme, nodes).map_err(D::Error::custom)
    }
}

#[derive(Serialize)]
#[serde(rename = "Bucketed")]
struct BucketedRef<'a, H> {
    hasher: &'a H,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "Bucketed", deny_unknown_fields)]
struct BucketedRecord<H> {
    hasher: H,
    nodes: Vec<Node>,
}

impl<H: KeyHasher + Serialize, F: BucketFunction<H::Out>> Serialize for Bucketed<F, H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        BucketedRef {
            hasher: self.hasher(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, H, F> Deserialize<'de> for Bucketed<F, H>
where
    H: KeyHasher + Deserialize<'de>,
    F: BucketFunction<H::Out>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let BucketedRecord { hasher, nodes } = BucketedRecord::deserialize(from)?;
        Self::from_nodes_with(hasher, nodes).map_err(D::Error::custom)
    }
}
