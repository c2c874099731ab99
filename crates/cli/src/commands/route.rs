//! `keyroute route`: keys in, owners out.

use std::io::Write;

use clap::{Args, ValueEnum};
use keyroute::{Router, Slot, Walk, WalkExt};

use crate::args::FleetArgs;
use crate::commands::{check_stdin, router_of};
use crate::keys::{KeyArgs, Otherwise};
use crate::strategy::Strategy;
use crate::{CliError, Outcome};

/// Route keys: print each key and the node that owns it
///
/// Reads keys from KEYS or standard input, one a line, and prints `key<TAB>node` for each, in constant
/// memory. With --replicas the nodes are separated by commas, the owner first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute route keys.txt --fleet fleet.toml
  printf 'user:1\\nuser:2\\n' | keyroute route --fleet fleet.toml --replicas 2
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
    check_stdin(args.fleet.fleet.as_deref(), &args.keys, Otherwise::Stdin)?;
    let fleet = args.fleet.load()?;
    let router = router_of(&fleet)?;
    fleet.check_not_empty()?;
    let mut owners = Owners::new(
        &*router,
        args.replicas,
        fleet.settings.strategy.unwrap_or_default(),
    )?;
    let names = Names::new(router.router(), args.format, args.replicas > 1)?;
    let mut keys = args.keys.open(Otherwise::Stdin)?;
    let mut line = Vec::new();
    while let Some(key) = keys.next()? {
        line.clear();
        names.write(&mut line, key, owners.of(key), args.replicas > 1)?;
        out.write_all(&line)?;
    }
    Ok(Outcome::Done)
}

/// The owners of a key, one or several, in one buffer.
struct Owners<'a> {
    router: &'a dyn Router,
    walk: Option<&'a dyn Walk>,
    slots: Vec<Slot>,
}

impl<'a> Owners<'a> {
    fn new(
        strategy: &'a dyn Strategy,
        replicas: usize,
        name: impl std::fmt::Display,
    ) -> Result<Self, CliError> {
        let walk = match replicas {
            0 => return Err(CliError::at("--replicas", "0 nodes a key: give 1 or more")),
            1 => None,
            _ => Some(strategy.as_walk().ok_or_else(|| {
                CliError::at(
                    name,
                    "has no order of replicas: leave --replicas out, or choose a ring, rendezvous, \
                     slot-table or ranking",
                )
            })?),
        };
        let router = strategy.router();
        let most = replicas.min(router.members().len());
        let first = router.members().slots().next();
        Ok(Self {
            router,
            walk,
            slots: first.into_iter().cycle().take(most).collect(),
        })
    }

    fn of(&mut self, key: &[u8]) -> &[Slot] {
        match self.walk {
            Some(walk) => {
                let count = walk.replicas_into(key, &mut self.slots);
                &self.slots[..count]
            }
            None => match (self.router.route(key), self.slots.first_mut()) {
                (Some(owner), Some(place)) => {
                    *place = owner;
                    &self.slots[..1]
                }
                _ => &[],
            },
        }
    }
}

/// How nodes are written, ready to be copied out.
struct Names {
    written: Vec<Vec<u8>>,
    format: Format,
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
        Ok(Self { written, format })
    }

    fn write(
        &self,
        line: &mut Vec<u8>,
        key: &[u8],
        owners: &[Slot],
        several: bool,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Text => {
                if key.iter().any(|byte| matches!(byte, b'\t' | b'\n' | 0)) {
                    return Err(CliError::at(
                        format!("key {:?}", String::from_utf8_lossy(key)),
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
                line.extend(if several {
                    &br#","nodes":["#[..]
                } else {
                    &br#","node":"#[..]
                });
                self.list(line, owners);
                line.extend(if several { &b"]}"[..] } else { &b"}"[..] });
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
