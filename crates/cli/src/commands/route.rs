//! `keyroute route`: keys in, owners out.

use std::io::Write;

use clap::{Args, ValueEnum};
use keyroute::{Router, Slot, Spread, Walk, WalkExt, ZoneAware};

use crate::args::FleetArgs;
use crate::commands::{check_stdin, order_of, router_of};
use crate::keys::{KeyArgs, Otherwise};
use crate::strategy::{Choice, Strategy};
use crate::{CliError, Outcome};

/// Route keys: print each key and the node that owns it
///
/// Reads keys from KEYS or standard input, one a line, and prints `key<TAB>node` for each, in constant
/// memory. With --replicas the nodes are separated by commas, the owner first. With --zones they stand in
/// different zones while there are zones left, and nodes without a zone count as one zone.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute route keys.txt --fleet fleet.toml
  printf 'user:1\\nuser:2\\n' | keyroute route --fleet fleet.toml --replicas 2
  keyroute route keys.txt --fleet fleet.toml --replicas 3 --zones --strict
  keyroute route keys.txt --from nginx:/etc/nginx/nginx.conf#backend
  find . -type f -print0 | keyroute route -0 --format json
  keyroute route --keys-pattern 'user:{}:session' --count 10 --strategy jump")]
pub(crate) struct RouteArgs {
    #[command(flatten)]
    keys: KeyArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    /// How many nodes for each key
    #[arg(
        short,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 1
    )]
    replicas: usize,
    /// Replicas in different zones, while there are zones left
    #[arg(long)]
    zones: bool,
    /// Refuse a key with fewer replicas than asked for, or with two in one zone
    #[arg(long, requires = "zones")]
    strict: bool,
    /// Form of the output: `json` is one object a line, and carries any key
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn run(args: &RouteArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    check_stdin(args.fleet.file(), &args.keys, Otherwise::Stdin)?;
    let (fleet, choice) = args.fleet.load()?;
    let router = router_of(&fleet, &choice)?;
    fleet.check_not_empty()?;
    let mut owners = Owners::new(args, &*router, &choice)?;
    let names = Names::new(router.router(), args.format, args.replicas > 1)?;
    let mut keys = args.keys.open(Otherwise::Stdin)?;
    let mut lines = Vec::with_capacity(BLOCK);
    let result = (|| {
        while let Some(key) = keys.next()? {
            let (slots, spread) = owners.of(key)?;
            names.write(&mut lines, key, slots, spread)?;
            if lines.len() >= BLOCK {
                out.write_all(&lines)?;
                lines.clear();
            }
        }
        Ok(Outcome::Done)
    })();
    // What was routed before an error is said all the same.
    out.write_all(&lines)?;
    result
}

/// How many bytes of output are written at once.
const BLOCK: usize = 1 << 16;

/// The owners of a key, one or several, in one buffer.
struct Owners<'a> {
    order: Order<'a>,
    slots: Vec<Slot>,
    /// How many were asked for, which may be more than there are nodes.
    asked: usize,
}

/// Where the owners come from.
enum Order<'a> {
    /// The lookup.
    Owner(&'a Choice, &'a dyn Router),
    /// The walk.
    Walk(&'a dyn Walk),
    /// The walk with zones first.
    Zones {
        router: ZoneAware<&'a dyn Walk>,
        strict: bool,
    },
}

impl<'a> Owners<'a> {
    fn new(
        args: &RouteArgs,
        strategy: &'a dyn Strategy,
        choice: &'a Choice,
    ) -> Result<Self, CliError> {
        let order = match (args.replicas, args.zones) {
            (0, _) => return Err(CliError::at("--replicas", "0 nodes a key: give 1 or more")),
            (1, false) => Order::Owner(choice, strategy.router()),
            (_, false) => Order::Walk(order_of(strategy, choice, "leave --replicas out, or ")?),
            (_, true) => Order::Zones {
                router: ZoneAware::new(order_of(strategy, choice, "leave --zones out, or ")?),
                strict: args.strict,
            },
        };
        let members = strategy.router().members();
        let most = args.replicas.min(members.len());
        let first = members.slots().next();
        Ok(Self {
            order,
            slots: first.into_iter().cycle().take(most).collect(),
            asked: args.replicas,
        })
    }

    /// The nodes, and how far they are apart where that was asked.
    fn of(&mut self, key: &[u8]) -> Result<(&[Slot], Option<Spread>), CliError> {
        match &self.order {
            Order::Owner(choice, router) => {
                let owner = choice.owner(*router, key);
                let owner = owner.map_err(|reason| CliError::at(shown(key), reason))?;
                Ok(match (owner, self.slots.first_mut()) {
                    (Some(owner), Some(place)) => {
                        *place = owner;
                        (&self.slots[..1], None)
                    }
                    _ => (&[], None),
                })
            }
            Order::Walk(walk) => {
                let count = walk.replicas_into(key, &mut self.slots);
                Ok((&self.slots[..count], None))
            }
            Order::Zones { router, strict } => {
                let spread = Spread {
                    asked: self.asked,
                    ..router.place_into(key, &mut self.slots)
                };
                if *strict {
                    spread
                        .check_apart()
                        .map_err(|error| CliError::at(shown(key), error))?;
                }
                Ok((&self.slots[..spread.nodes], Some(spread)))
            }
        }
    }
}

/// A key in a message.
pub(crate) fn shown(key: &[u8]) -> String {
    format!("key {:?}", String::from_utf8_lossy(key))
}

/// How nodes are written, ready to be copied out.
struct Names {
    written: Vec<Vec<u8>>,
    format: Format,
    /// Whether a key has a list of them.
    several: bool,
}

impl Names {
    fn new(router: &dyn Router, format: Format, several: bool) -> Result<Self, CliError> {
        let mut written = vec![Vec::new(); router.members().slot_bound()];
        for (slot, node) in router.members().iter() {
            let id = node.id().as_str();
            written[slot.index() as usize] = match format {
                Format::Text => {
                    let unfit = |byte: &u8| {
                        matches!(byte, b'\t' | b'\n' | b'\r' | 0) || several && *byte == b','
                    };
                    if id.bytes().any(|byte| unfit(&byte)) {
                        return Err(CliError::at(
                            format!("node {id:?}"),
                            "text output cannot carry this id: use --format json",
                        ));
                    }
                    id.as_bytes().to_vec()
                }
                Format::Json => json(id)?,
            };
        }
        Ok(Self {
            written,
            format,
            several,
        })
    }

    fn write(
        &self,
        line: &mut Vec<u8>,
        key: &[u8],
        owners: &[Slot],
        spread: Option<Spread>,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Text => {
                if memchr::memchr3(b'\t', b'\n', 0, key).is_some() {
                    return Err(CliError::at(
                        shown(key),
                        "text output cannot carry a tab, a line's end or NUL: use --format json",
                    ));
                }
                line.extend(key);
                line.push(b'\t');
                self.list(line, owners);
            }
            Format::Json => {
                match std::str::from_utf8(key) {
                    Ok(key) => {
                        line.extend(br#"{"key":"#);
                        serde_json::to_writer(&mut *line, key).map_err(std::io::Error::from)?;
                    }
                    Err(_) => {
                        line.extend(br#"{"key_hex":""#);
                        for byte in key {
                            write!(line, "{byte:02x}")?;
                        }
                        line.push(b'"');
                    }
                }
                let (before, after) = if self.several {
                    (&br#","nodes":["#[..], &b"]"[..])
                } else {
                    (&br#","node":"#[..], &b""[..])
                };
                line.extend(before);
                if owners.is_empty() && !self.several {
                    line.extend(b"null");
                }
                self.list(line, owners);
                line.extend(after);
                if let Some(spread) = spread {
                    write!(
                        line,
                        r#","spread":{{"asked":{},"nodes":{},"zones":{}}}"#,
                        spread.asked, spread.nodes, spread.zones
                    )?;
                }
                line.push(b'}');
            }
        }
        line.push(b'\n');
        Ok(())
    }

    fn list(&self, line: &mut Vec<u8>, owners: &[Slot]) {
        for (place, slot) in owners.iter().enumerate() {
            if place > 0 {
                line.push(b',');
            }
            line.extend(&self.written[slot.index() as usize]);
        }
    }
}

fn json(text: &str) -> Result<Vec<u8>, CliError> {
    serde_json::to_vec(text).map_err(|error| CliError::Io(error.into()))
}
