//! `KEYROUTE …`: the nodes, and how they change.

use keyroute_core::Zone;
use redis_protocol::resp2::types::BytesFrame;

use super::answer::{Refusal, integer, map, shown, text};
use super::command::Args;
use super::info;
use super::shared::Shared;
use crate::{Edit, KvError, Node, NodeId, Plan, Repaired, Store, Weight};

/// How many keys a plan looks at.
const SAMPLE: u64 = 100_000;

const HELP: &str = "\
KEYROUTE NODES
    The nodes: id, address, weight, zone of each.
KEYROUTE ADD id [address] [WEIGHT w] [ZONE z] [AGAIN]
    A node joins, and takes its keys while the store serves. Its address is its id unless said. AGAIN: it may have the
    name of one that has left.
KEYROUTE REMOVE id
    A node leaves; its keys move first.
KEYROUTE LOST id
    A node leaves that will not answer any more: what lay there alone is given up.
KEYROUTE REWEIGHT id w
    A node's weight changes.
KEYROUTE PLAN ADD … | REMOVE … | REWEIGHT …
    What that would move: who sends how many keys to whom. Nothing changes.
KEYROUTE STATUS
    How the change is going.
KEYROUTE PAUSE | RESUME | ABORT
    Moves nothing for now; goes on; moves back what has moved.
KEYROUTE REPAIR
    Makes all replicas of each key alike: after an unclean end of a server with several.
KEYROUTE PURGE
    Forgets keys that have ended and lie in files or memory still.
KEYROUTE HELP
    This.";

/// Answers such a command; its name is not among the arguments.
pub(super) async fn answer(shared: &Shared, args: Args<'_>) -> Result<BytesFrame, Refusal> {
    let store = &shared.store;
    let words = words(args)?;
    let [name, rest @ ..] = &words[..] else {
        return Err(Refusal::arity("keyroute"));
    };
    let name = name.to_ascii_uppercase();
    match (&name[..], rest) {
        ("NODES", []) => return Ok(nodes(store)),
        ("STATUS", []) => return Ok(status(store)),
        ("HELP", []) => return Ok(BytesFrame::Array(HELP.lines().map(text).collect())),
        ("PAUSE", []) => store.pause().await?,
        ("RESUME", []) => store.resume().await?,
        ("ABORT", []) => store.abort().await?,
        ("LOST", [id]) => store.remove_lost(id).await?,
        ("REPAIR", []) => return Ok(repaired(&store.repair().await?)),
        ("PURGE", []) => return Ok(integer(store.purge().await?)),
        ("PLAN", [name, rest @ ..]) => {
            let edit = edit(&name.to_ascii_uppercase(), rest)?;
            return Ok(planned(&store.plan_sample(&edit, SAMPLE).await?));
        }
        (name, rest) => store.begin(edit(name, rest)?).await?,
    }
    shared.change.notify_one();
    Ok(BytesFrame::SimpleString("OK".into()))
}

fn words<'a>(args: Args<'a>) -> Result<Vec<&'a str>, Refusal> {
    let word = |arg: &'a [u8]| {
        let word = str::from_utf8(arg);
        word.map_err(|_| Refusal::new(format!("ERR {} is no UTF-8", shown(arg))))
    };
    args.iter().map(word).collect()
}

/// What the nodes are to become.
fn edit(name: &str, args: &[&str]) -> Result<Edit, Refusal> {
    match (name, args) {
        ("ADD", [id, rest @ ..]) => add(id, rest),
        ("REMOVE", [id]) => Ok(Edit::Remove {
            id: (*id).to_owned(),
        }),
        ("REWEIGHT", [id, weight]) => Ok(Edit::Reweight {
            id: (*id).to_owned(),
            weight: self::weight(weight)?,
        }),
        (name, _) => Err(Refusal::subcommand(name.as_bytes(), "KEYROUTE HELP")),
    }
}

fn add(id: &str, mut rest: &[&str]) -> Result<Edit, Refusal> {
    let mut node = Node::new(id).map_err(KvError::from)?;
    let mut again = false;
    let mut address = None;
    let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
    if let [first, options @ ..] = rest
        && !["AGAIN", "WEIGHT", "ZONE"]
            .iter()
            .any(|name| is(first, name))
    {
        address = Some(*first);
        rest = options;
    }
    loop {
        rest = match rest {
            [] => break,
            [name, rest @ ..] if is(name, "AGAIN") => {
                again = true;
                rest
            }
            [name, value, rest @ ..] if is(name, "WEIGHT") => {
                node = node.with_weight(weight(value)?);
                rest
            }
            [name, value, rest @ ..] if is(name, "ZONE") => {
                node = node.with_zone(Zone::new(*value).map_err(KvError::from)?);
                rest
            }
            _ => return Err(Refusal::SYNTAX),
        }
    }
    let mut edit = Edit::add(node);
    if let Some(address) = address {
        edit = edit.at(address);
    }
    Ok(if again { edit.again() } else { edit })
}

fn weight(text: &str) -> Result<Weight, Refusal> {
    let number: u32 = text.parse().map_err(|_| {
        let weight = shown(text.as_bytes());
        Refusal::new(format!(
            "ERR weight '{weight}' is not a whole number from 1 to {}",
            u32::MAX
        ))
    })?;
    Ok(Weight::new(number).map_err(KvError::from)?)
}

fn nodes(store: &Store) -> BytesFrame {
    let nodes = store.nodes();
    let addresses = store.addresses();
    let address = |id: &NodeId| {
        let found = addresses.iter().find(|(it, _)| it == id);
        found.map_or(String::new(), |(_, address)| address.clone())
    };
    let line = |node: &Node| {
        let zone = node.zone().map_or("", Zone::as_str);
        map([
            ("id", text(node.id().as_str())),
            ("address", text(address(node.id()))),
            ("weight", integer(node.weight().get().into())),
            ("zone", text(zone)),
        ])
    };
    BytesFrame::Array(nodes.iter().map(line).collect())
}

fn planned(plan: &Plan) -> BytesFrame {
    let copies = plan.copies.iter().map(|((from, to), flow)| {
        map([
            ("from", text(from.as_ref().map_or("", NodeId::as_str))),
            ("to", text(to.as_str())),
            (
                "keys",
                integer(u64::try_from(flow.amount()).unwrap_or(u64::MAX)),
            ),
        ])
    });
    map([
        ("keys", integer(plan.keys)),
        ("of", text(if plan.all { "all" } else { "a sample" })),
        ("moved", integer(plan.moved)),
        ("moved_bytes", integer(plan.moved_bytes)),
        ("copies", BytesFrame::Array(copies.collect())),
    ])
}

fn repaired(repaired: &Repaired) -> BytesFrame {
    map([
        ("seen", integer(repaired.seen)),
        ("keys", integer(repaired.keys)),
        ("strays", integer(repaired.strays)),
    ])
}

fn status(store: &Store) -> BytesFrame {
    let lines = info::progress(store);
    map(lines.into_iter().map(|(name, value)| (name, text(value))))
}
