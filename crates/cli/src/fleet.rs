//! Fleet files: the nodes, and how keys are routed to them.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use keyroute::{Assignment, Members, Node, NodeId, TableSize, Weight, Zone};
use serde::{Deserialize, Deserializer};

use crate::CliError;
use crate::hashes::HashName;
use crate::strategy::{Epsilon, StrategyName};

/// The longest fleet file, 256 MiB: room for the most nodes a router holds, with short ids.
pub const MAX_FLEET_LEN: u64 = 256 << 20;

/// The sample fleet that commands use when none is given.
const SAMPLE: &str = include_str!("sample-fleet.toml");

/// A fleet: nodes that may own keys, nodes that are drained, and the router's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    /// The nodes that own keys, in the order of the file.
    pub nodes: Vec<Node>,
    /// The nodes of weight 0: listed, and given to no router.
    pub drained: Vec<Node>,
    /// The address of each node that says one, by the node's place in the file.
    pub addresses: Vec<(Node, String)>,
    /// What the file says of the router.
    pub settings: Settings,
}

/// The most nodes of a strategy that wants to know their number beforehand, if nothing says it.
///
/// A number that grew with the list would move keys whenever the list grows.
pub const DEFAULT_CAPACITY: u32 = 1024;

/// How keys are routed. What is not said is the strategy's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The strategy.
    pub strategy: Option<StrategyName>,
    /// The hash function.
    pub hash: Option<HashName>,
    /// Points per unit of weight.
    pub points: Option<u32>,
    /// How far over its fair share a node may go: in loads, or in partitions.
    pub epsilon: Option<Epsilon>,
    /// Points of a node of weight 1, of strategies that take few.
    pub node_points: Option<u32>,
    /// The number of entries of Maglev's table.
    pub table_size: Option<u32>,
    /// The number of partitions of a slot table.
    pub partitions: Option<u32>,
    /// The most nodes there can be, of strategies that want to know it beforehand.
    pub capacity: Option<u32>,
    /// Which node owns which partition, of tables that are told.
    pub owners: Vec<Assignment>,
}

impl Settings {
    /// These settings where they are said, `under` where not.
    #[must_use]
    pub fn or(self, under: Self) -> Self {
        Self {
            strategy: self.strategy.or(under.strategy),
            hash: self.hash.or(under.hash),
            points: self.points.or(under.points),
            epsilon: self.epsilon.or(under.epsilon),
            node_points: self.node_points.or(under.node_points),
            table_size: self.table_size.or(under.table_size),
            partitions: self.partitions.or(under.partitions),
            capacity: self.capacity.or(under.capacity),
            owners: if self.owners.is_empty() {
                under.owners
            } else {
                self.owners
            },
        }
    }

    /// Points per unit of weight.
    #[must_use]
    pub fn points_or_default(&self) -> u32 {
        self.points.unwrap_or(keyroute::DEFAULT_POINTS_PER_WEIGHT)
    }

    /// The number of entries of Maglev's table.
    #[must_use]
    pub fn table_size_or_default(&self) -> u32 {
        self.table_size.unwrap_or(TableSize::default().get())
    }

    /// The most nodes there can be.
    #[must_use]
    pub fn capacity_or_default(&self) -> u32 {
        self.capacity.unwrap_or(DEFAULT_CAPACITY)
    }
}

impl Fleet {
    /// The sample fleet: ten caches of one size in three zones.
    ///
    /// # Errors
    ///
    /// None in practice: the file is part of the program, and tested.
    pub fn sample() -> Result<Self, CliError> {
        Self::from_toml(SAMPLE).map_err(|problem| CliError::at("sample fleet", problem))
    }

    /// Reads this file as [`read`](Self::read) does, or the sample if there is none.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_or_sample(path: Option<&Path>) -> Result<Self, CliError> {
        path.map_or_else(Self::sample, Self::read)
    }

    /// Reads a file: TOML or JSON by its ending, else plain lines. `-` is standard input, plain, or
    /// JSON if it begins with `{`.
    ///
    /// # Errors
    ///
    /// [`CliError::Input`] that names the file, the place and the value.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let place = path.display();
        let text = if path == Path::new("-") {
            read_bounded(io::stdin().lock())
        } else {
            File::open(path).and_then(read_bounded)
        };
        let text = text.map_err(|error| CliError::at(&place, error))?;
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let fleet = match ending {
            "toml" => Self::from_toml(&text),
            "json" => Self::from_json(&text),
            _ if text.trim_start().starts_with('{') => Self::from_json(&text),
            _ => Self::from_lines(&text),
        };
        fleet.map_err(|problem| CliError::at(place, problem))
    }

    /// Says whether any node may own keys.
    ///
    /// # Errors
    ///
    /// [`CliError::Input`] if not.
    pub fn check_not_empty(&self) -> Result<(), CliError> {
        match (self.nodes.is_empty(), self.drained.len()) {
            (false, _) => Ok(()),
            (true, 0) => Err(CliError::Input("the fleet has no nodes: list some".into())),
            (true, drained) => Err(CliError::Input(format!(
                "no node may own keys: {drained} are listed, all drained"
            ))),
        }
    }

    /// Reads TOML: `[router]` and `[[nodes]]`.
    ///
    /// # Errors
    ///
    /// What is wrong and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let file: FleetFile = toml::from_str(text).map_err(|error| error.to_string())?;
        file.try_into()
    }

    /// Reads JSON: the same tables as in TOML.
    ///
    /// # Errors
    ///
    /// What is wrong and where.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let file: FleetFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        file.try_into()
    }

    /// Reads lines `ID[TAB WEIGHT[TAB ZONE]]`. Empty lines and lines that begin with `#` are passed
    /// over.
    ///
    /// # Errors
    ///
    /// What is wrong, and in which line.
    pub fn from_lines(text: &str) -> Result<Self, String> {
        let mut records = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let at = |problem: String| format!("line {number}: {problem}");
            let mut fields = line.split('\t');
            let id = fields.next().unwrap_or_default().to_owned();
            let weight = match fields.next() {
                Some(weight) => weight
                    .trim()
                    .parse()
                    .map_err(|_| at(not_a_weight(weight)))?,
                None => 1,
            };
            let zone = fields.next().map(str::to_owned);
            if let Some(more) = fields.next() {
                return Err(at(format!(
                    "{more:?} is a fourth field: write ID, WEIGHT and ZONE, tabs between"
                )));
            }
            records.push(NodeRecord {
                id,
                weight,
                zone,
                address: None,
                partitions: None,
            });
        }
        FleetFile {
            router: RouterTable::default(),
            nodes: records,
        }
        .try_into()
    }
}

/// All of a file, if it is at most [`MAX_FLEET_LEN`] bytes of text.
fn read_bounded(file: impl Read) -> io::Result<String> {
    let mut text = String::new();
    file.take(MAX_FLEET_LEN + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FLEET_LEN {
        return Err(io::Error::other(format!(
            "the fleet file is over {MAX_FLEET_LEN} bytes: split the fleet"
        )));
    }
    Ok(text)
}

fn not_a_weight(weight: &str) -> String {
    format!(
        "weight {weight:?} is not a whole number from 0 to {}",
        u32::MAX
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FleetFile {
    #[serde(default)]
    router: RouterTable,
    nodes: Vec<NodeRecord>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RouterTable {
    #[serde(default, deserialize_with = "from_text")]
    strategy: Option<StrategyName>,
    #[serde(default, deserialize_with = "from_text")]
    hash: Option<HashName>,
    points: Option<u32>,
    #[serde(default, deserialize_with = "epsilon")]
    epsilon: Option<Epsilon>,
    node_points: Option<u32>,
    table_size: Option<u32>,
    partitions: Option<u32>,
    capacity: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeRecord {
    id: String,
    #[serde(default = "one", deserialize_with = "weight")]
    weight: u32,
    zone: Option<String>,
    address: Option<String>,
    /// The partitions it owns, as `0-5460, 10923`.
    partitions: Option<String>,
}

fn one() -> u32 {
    1
}

fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    String::deserialize(from)?
        .parse()
        .map(Some)
        .map_err(serde::de::Error::custom)
}

/// Numbers as a file may write them, so that a refusal can name them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Real(f64),
    Text(String),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => format!("{number:?}"),
            Self::Text(text) => text.clone(),
        }
    }
}

fn weight<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let number = Number::deserialize(from)?;
    match number {
        Number::Whole(whole) => u32::try_from(whole).ok(),
        Number::Real(_) | Number::Text(_) => None,
    }
    .ok_or_else(|| serde::de::Error::custom(not_a_weight(&number.text())))
}

fn epsilon<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Epsilon>, D::Error> {
    let number = Number::deserialize(from)?;
    number
        .text()
        .parse()
        .map(Some)
        .map_err(serde::de::Error::custom)
}

/// Reads ranges of partitions: numbers, or two with a `-` between, apart by commas or blanks, as
/// `CLUSTER NODES` of Redis prints them.
fn owned_by(node: &NodeId, text: &str) -> Result<Vec<Assignment>, String> {
    let ranges = text
        .split([',', ' '])
        .filter(|range| !range.is_empty())
        .map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| {
                text.parse::<u32>().map_err(|_| {
                    format!("partitions {range:?}: write a number, or FIRST-LAST, as in \"0-5460, 5462\"")
                })
            };
            Ok(Assignment {
                first: number(first)?,
                last: number(last)?,
                node: node.clone(),
            })
        });
    ranges.collect()
}

impl TryFrom<FleetFile> for Fleet {
    type Error = String;

    fn try_from(file: FleetFile) -> Result<Self, String> {
        let mut fleet = Self {
            nodes: Vec::new(),
            drained: Vec::new(),
            addresses: Vec::new(),
            settings: Settings {
                strategy: file.router.strategy,
                hash: file.router.hash,
                points: file.router.points,
                epsilon: file.router.epsilon,
                node_points: file.router.node_points,
                table_size: file.router.table_size,
                partitions: file.router.partitions,
                capacity: file.router.capacity,
                owners: Vec::new(),
            },
        };
        // All nodes together, drained ones too: an id stands once in a file.
        let mut members = Members::new();
        for (number, record) in (1..).zip(file.nodes) {
            let at = |error: keyroute::RouteError| format!("node {number}: {error}");
            let mut node = Node::new(&record.id).map_err(at)?;
            if let Some(zone) = record.zone {
                node = node.with_zone(Zone::new(zone).map_err(at)?);
            }
            members.add(node.clone()).map_err(at)?;
            if let Some(partitions) = record.partitions {
                if record.weight == 0 {
                    return Err(format!(
                        "node {number}: {:?} is drained, and owns partitions {partitions:?}: assign \
                         them to other nodes",
                        record.id
                    ));
                }
                let owned = owned_by(node.id(), &partitions)
                    .map_err(|problem| format!("node {number}: {problem}"))?;
                fleet.settings.owners.extend(owned);
            }
            if let Ok(weight) = Weight::new(record.weight) {
                node = node.with_weight(weight);
                fleet.nodes.push(node.clone());
            } else {
                fleet.drained.push(node.clone());
            }
            if let Some(address) = record.address {
                fleet.addresses.push((node, address));
            }
        }
        Ok(fleet)
    }
}
