//! `keyroute explain`: why a key goes where it goes.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use keyroute::{EXPLAINED_NEXT, Explanation, Router, Slot, SlotSet, ZoneAware};

use crate::args::FleetArgs;
use crate::commands::route::shown;
use crate::commands::{check_stdin, order_of, router_of};
use crate::fleet::Fleet;
use crate::keys::{KeyArgs, Otherwise, unhex};
use crate::strategy::{Choice, Strategy};
use crate::{CliError, Outcome};

/// Explain why a key goes where it goes
///
/// Shows for each KEY its digest, where that stands (an arc, an entry, a bucket, a draw), the node there and its
/// share, the nodes that come next, and the scheme with its fingerprint. Without KEY the keys are read from standard
/// input, one a line. With --down some nodes are passed over, and the first of the others takes the key. A node is
/// drained by a weight of 0 in the fleet file.
///
/// Exit code 0, also for a key without an owner; 2 if a key or the fleet cannot be used.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute explain user:1
  keyroute explain user:1 user:2 --fleet fleet.toml --down cache-3
  keyroute explain user:1 --fleet fleet.toml --strategy rendezvous --next 9
  keyroute explain user:1 --from nginx:/etc/nginx/nginx.conf#backend
  keyroute explain --fleet fleet.toml --format json < keys.txt
  keyroute explain --hex 00ff0a --strategy maglev")]
pub(crate) struct ExplainArgs {
    /// The keys themselves
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    /// Keys on standard input end in NUL, not in a line's end
    #[arg(short = '0', long, conflicts_with_all = ["hex", "keys"])]
    null: bool,
    /// Keys are written in hex
    #[arg(long)]
    hex: bool,
    #[command(flatten)]
    fleet: FleetArgs,
    /// A node that is down, by its id; may be given more than once
    #[arg(short, long, value_name = "ID")]
    down: Vec<String>,
    /// The next nodes in different zones, while there are zones left
    #[arg(long)]
    zones: bool,
    /// How many nodes behind the one that takes the key
    #[arg(
        short,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = EXPLAINED_NEXT
    )]
    next: usize,
    /// Form of the output: `json` is one object a line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let on_stdin = KeyArgs {
        null: args.null,
        hex: args.hex,
        ..KeyArgs::default()
    };
    if args.keys.is_empty() {
        check_stdin(args.fleet.file(), &on_stdin, Otherwise::Stdin)?;
        if io::stdin().is_terminal() {
            return Err(CliError::Input(
                "no key: name one, or write keys to standard input".into(),
            ));
        }
    }
    let (fleet, choice) = args.fleet.load()?;
    let strategy = router_of(&fleet, &choice)?;
    fleet.check_not_empty()?;
    let explainer = Explainer::new(args, &fleet, &*strategy, &choice)?;
    let mut blocks = Blocks {
        out,
        format: args.format,
        is_first: true,
    };
    if args.keys.is_empty() {
        let mut keys = on_stdin.open(Otherwise::Stdin)?;
        while let Some(key) = keys.next()? {
            blocks.write(&explainer.explain(key)?)?;
        }
    }
    for given in &args.keys {
        let given = given.as_encoded_bytes();
        let mut bytes = Vec::new();
        let key = if args.hex {
            unhex(given, &mut bytes).map_err(|problem| CliError::at("KEY", problem))?;
            &bytes
        } else {
            given
        };
        blocks.write(&explainer.explain(key)?)?;
    }
    Ok(Outcome::Done)
}

/// What explains a key.
struct Explainer<'a> {
    choice: &'a Choice,
    router: Box<dyn Router + 'a>,
    down: SlotSet,
    /// Whether any node is down.
    some_down: bool,
    next: usize,
    /// The ids of nodes that are listed and drained.
    drained: Vec<String>,
}

impl<'a> Explainer<'a> {
    fn new(
        args: &ExplainArgs,
        fleet: &Fleet,
        strategy: &'a dyn Strategy,
        choice: &'a Choice,
    ) -> Result<Self, CliError> {
        let router: Box<dyn Router + 'a> = if args.zones {
            let walk = order_of(strategy, choice, "leave --zones out, or ")?;
            Box::new(ZoneAware::new(walk))
        } else {
            Box::new(strategy.router())
        };
        let mut down = SlotSet::new();
        for id in &args.down {
            match router.members().slot_of(id) {
                Some(slot) => down.insert(slot),
                // Drained nodes have no keys to be passed on.
                None if fleet.drained.iter().any(|node| node.id().as_str() == id) => false,
                None => {
                    let problem = format!(
                        "{id:?} is no node of {}: {}",
                        args.fleet.source(),
                        there(&*router)
                    );
                    return Err(CliError::at("--down", problem));
                }
            };
        }
        if !args.down.is_empty() {
            let instead = match choice {
                Choice::Named(_) => "leave --down out, or ",
                Choice::Configured(_) => "mark who is down in the configuration, or ",
            };
            order_of(strategy, choice, instead)?;
        }
        let drained = fleet.drained.iter();
        Ok(Self {
            choice,
            router,
            down,
            some_down: !args.down.is_empty(),
            next: args.next,
            drained: drained.map(|node| format!("{:?}", node.id())).collect(),
        })
    }

    fn explain(&self, key: &[u8]) -> Result<Explanation, CliError> {
        let owner = self.choice.owner(&*self.router, key);
        let mut why = match owner {
            // Whoever is named, the system would do something else.
            Err(reason) if self.router.route(key).is_some() => {
                return Err(CliError::at(shown(key), reason));
            }
            Err(reason) => self.router.explain_with(key, self.next).refused(reason),
            Ok(_) => self.router.explain_with(key, self.asked()),
        };
        if self.some_down {
            let is_down = |slot: Slot| self.down.contains(slot);
            why = why.with_down(is_down).at_most(self.next);
        }
        if !self.drained.is_empty() {
            let drained = format!("{}: drained, weight 0", self.drained.join(", "));
            why = why.noted("unrouted", drained);
        }
        Ok(why)
    }

    /// How many nodes behind the owner must be known.
    fn asked(&self) -> usize {
        if self.some_down {
            self.router.members().len()
        } else {
            self.next
        }
    }
}

/// Who could have been meant, the first eight of them.
fn there(router: &dyn Router) -> String {
    const NAMED: usize = 8;
    let nodes = router.members().iter();
    let ids: Vec<String> = nodes
        .take(NAMED)
        .map(|(_, node)| format!("{:?}", node.id()))
        .collect();
    let more = match router.members().len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are {}{more}", ids.join(", "))
}

/// Where explanations go, one after the other.
struct Blocks<'a> {
    out: &'a mut dyn Write,
    format: Format,
    is_first: bool,
}

impl Blocks<'_> {
    fn write(&mut self, why: &Explanation) -> Result<(), CliError> {
        match self.format {
            Format::Text => {
                if !self.is_first {
                    writeln!(self.out)?;
                }
                write!(self.out, "{why}")?;
            }
            Format::Json => {
                serde_json::to_writer(&mut *self.out, why).map_err(io::Error::from)?;
                writeln!(self.out)?;
            }
        }
        self.is_first = false;
        Ok(())
    }
}
