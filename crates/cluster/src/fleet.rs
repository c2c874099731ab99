//! [`Fleet`]: the views of many clients, grouped by agreement.

use std::collections::BTreeMap;
use std::fmt;

use keyroute_core::{Difference, Fingerprint};

use crate::{Agreement, Side, View};

/// The views of a fleet's clients, grouped by agreement: who answers alike or is only behind is of one group, and the
/// odd ones out are told with what differs.
///
/// Groups are joined by changes in flight: where one client is behind a second, and the second behind a third, all are
/// of one group. So are two that went different ways from a state where a third still is, as each of two changes may be
/// on its way to the others: one of them is then in flight, its [`behind`](FleetClient::behind) `None`. If that lasts,
/// [`View::compare`] of the two says what differs.
///
/// Costs O(n log n), and where m states differ O(m²) comparisons of trails.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Fleet, Node, Weight};
/// use keyroute_vector_ring::VectorRing;
///
/// let client = |weight: u32| {
///     let nodes = [Node::new("a")?, Node::new("b")?.with_weight(Weight::new(weight)?)];
///     Cluster::from_members(VectorRing::new(), nodes.map(|node| (node, ())))
/// };
/// let clients = [client(1)?, client(1)?, client(1)?, client(10)?];
/// clients[0].apply(Batch::new().add(Node::new("c")?, ()))?; // the others have not heard of it yet
///
/// let fleet = Fleet::of((1..).zip(&clients).map(|(number, it)| (format!("client {number}"), it.view())));
/// let majority = fleet.majority().unwrap();
/// let behind: Vec<_> = majority.clients().iter().map(|it| (it.name.as_str(), it.behind)).collect();
/// assert_eq!(behind, [("client 1", Some(0)), ("client 2", Some(1)), ("client 3", Some(1))]);
///
/// assert!(!fleet.agrees() && fleet.groups().len() == 2);
/// assert_eq!(majority.head(), &clients[0].view()); // the newest state of the group
/// let odd = fleet.odd().next().unwrap();
/// assert_eq!(odd.clients()[0].name, "client 4");
/// let differs: Vec<String> = odd.differences().iter().map(ToString::to_string).collect();
/// assert_eq!(differs, [
///     "node \"b\": weight 1, no zone | weight 10, no zone",
///     "node \"c\": weight 1, no zone | absent",
/// ]);
/// println!("{fleet}");
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fleet {
    groups: Vec<FleetGroup>,
    clients: usize,
}

/// Clients that answer alike, or will when they have heard of the changes in flight.
///
/// [`Fleet`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetGroup {
    head: View,
    clients: Vec<FleetClient>,
    differences: Vec<Difference>,
}

/// One client in its group.
///
/// [`Fleet`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FleetClient {
    /// Its name, as it was given.
    pub name: String,
    /// The fingerprint of its state.
    pub state: Fingerprint,
    /// How many changes it is behind the group's newest state: 0 there; `None` if that cannot be told.
    pub behind: Option<usize>,
}

/// Clients whose newest state is the same.
struct State {
    clients: Vec<String>,
    /// Those of their views that differ.
    views: Vec<View>,
}

impl State {
    /// How this state stands to another: in flight, if so for any two of their clients.
    fn compare(&self, other: &Self) -> Agreement {
        let pairs = self.views.iter().flat_map(|left| {
            let right = other.views.iter();
            right.map(move |right| left.compare(right))
        });
        let mut last = Agreement::Crossed;
        for agreement in pairs {
            if agreement.is_in_flight() {
                return agreement;
            }
            last = agreement;
        }
        last
    }
}

impl Fleet {
    /// Of these clients' views, each with a name to tell it by.
    #[must_use]
    pub fn of<N: Into<String>>(views: impl IntoIterator<Item = (N, View)>) -> Self {
        let mut states: BTreeMap<Fingerprint, State> = BTreeMap::new();
        let mut clients = 0;
        for (name, view) in views {
            clients += 1;
            let state = states.entry(view.fingerprint()).or_insert_with(|| State {
                clients: Vec::new(),
                views: Vec::new(),
            });
            state.clients.push(name.into());
            if state.views.iter().all(|known| known.trail != view.trail) {
                state.views.push(view);
            }
        }
        let states: Vec<State> = states.into_values().collect();
        let mut groups: Vec<FleetGroup> = components(&states).iter().map(|it| group(it)).collect();
        // Stable: of equal ones the one with the least fingerprint comes first.
        groups.sort_by_key(|group| std::cmp::Reverse(group.clients.len()));
        if let Some((first, others)) = groups.split_first_mut() {
            for other in others {
                other.differences = first.head.differences(&other.head);
            }
        }
        Self { groups, clients }
    }

    /// The groups, the largest first.
    #[must_use]
    pub fn groups(&self) -> &[FleetGroup] {
        &self.groups
    }

    /// Whether there is one group at most: all agree, or will.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.groups.len() < 2
    }

    /// The group of more than half of the clients, if there is one.
    #[must_use]
    pub fn majority(&self) -> Option<&FleetGroup> {
        let first = self.groups.first()?;
        (first.clients.len() * 2 > self.clients).then_some(first)
    }

    /// The groups beside the [majority](Self::majority); all, if there is none.
    pub fn odd(&self) -> impl Iterator<Item = &FleetGroup> {
        let skipped = usize::from(self.majority().is_some());
        self.groups.iter().skip(skipped)
    }
}

impl FleetGroup {
    /// The view of its newest state.
    #[must_use]
    pub fn head(&self) -> &View {
        &self.head
    }

    /// Its clients: those in the newest state first, then by state.
    #[must_use]
    pub fn clients(&self) -> &[FleetClient] {
        &self.clients
    }

    /// In what its newest state differs from that of the largest group, which stands on the left. Empty for that itself.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }
}

/// The states by group, each joined to some other of its group by a change in flight.
fn components(states: &[State]) -> Vec<Vec<&State>> {
    let mut groups: Vec<Vec<&State>> = Vec::new();
    for state in states {
        let joins = |group: &Vec<&State>| {
            let mut others = group.iter();
            others.any(|other| state.compare(other).is_in_flight())
        };
        let (joined, apart) = groups.into_iter().partition(joins);
        groups = apart;
        let joined: Vec<Vec<&State>> = joined;
        groups.push(joined.into_iter().flatten().chain([state]).collect());
    }
    groups
}

/// The group of these states, of which there is one at least.
fn group(states: &[&State]) -> FleetGroup {
    let is_behind = |who: &State, other: &State| {
        matches!(
            who.compare(other),
            Agreement::Behind {
                who: Side::Left,
                ..
            }
        )
    };
    // The newest is behind the fewest; of equal ones most are there.
    let rank = |state: &&State| {
        let ahead = states.iter().filter(|other| is_behind(state, other));
        (ahead.count(), std::cmp::Reverse(state.clients.len()))
    };
    let mut ordered = states.to_vec();
    ordered.sort_by_cached_key(rank);
    let newest = ordered[0];
    let mut clients = Vec::new();
    for state in &ordered {
        let behind = match state.compare(newest) {
            _ if std::ptr::eq(*state, newest) => Some(0),
            Agreement::Behind {
                who: Side::Left,
                changes,
            } => Some(changes),
            _ => None,
        };
        clients.extend(state.clients.iter().map(|name| FleetClient {
            name: name.clone(),
            state: state.views[0].fingerprint(),
            behind,
        }));
    }
    FleetGroup {
        head: newest.views[0].clone(),
        clients,
        differences: Vec::new(),
    }
}

impl fmt::Display for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (clients, groups) = (self.clients, self.groups.len());
        writeln!(f, "clients: {clients}, groups: {groups}")?;
        for group in &self.groups {
            write!(f, "{group}")?;
        }
        Ok(())
    }
}

impl fmt::Display for FleetGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |client: &FleetClient| match client.behind {
            Some(0) => client.name.clone(),
            Some(changes) => format!("{} ({changes} behind)", client.name),
            None => format!("{} (in flight)", client.name),
        };
        let told: Vec<String> = self.clients.iter().map(told).collect();
        writeln!(f, "{}: {}", self.head.fingerprint(), told.join(", "))?;
        for difference in &self.differences {
            writeln!(f, "  {difference}")?;
        }
        Ok(())
    }
}
