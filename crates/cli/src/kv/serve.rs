//! `keyroute kv serve`: a store on a port, in the protocol of Redis.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use clap::Args;
use keyroute::{Node, NodeId, RouteError};
use keyroute_kv::resp::{Limits, Server};
use keyroute_kv::{AnyRouter, FileJournal, Journal, KvError, Rate, Store};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::address::{FORMS, Shards};
use super::bar::show_changes;
use super::nodes::{Placed, difference};
use crate::args::SettingArgs;
use crate::commands::node_id;
use crate::fleet::{Fleet, Settings};
use crate::strategy::{Choice, Refusal};
use crate::{CliError, Outcome};

/// Serve a key-value store on a port, in the protocol of Redis
///
/// Keys lie on nodes that the strategy chooses: on Redis or memcached servers, or in files of this process. Any client
/// of Redis can use it, with GET, SET, DEL, MGET, MSET, EXISTS, SCAN, TTL and more; `KEYROUTE HELP` lists the commands
/// that change the nodes, while it serves: exactly the keys that must move do.
///
/// The journal in --dir holds the nodes, so that a second start needs none. There is no password: whoever reaches
/// the port may do everything.
#[derive(Args, Debug)]
#[command(after_help = "\
An address is redis://HOST[:PORT][/DB], memcached://HOST[:PORT], memory:NAME (gone when the server ends), or
redb:FILE within --dir; without one the node is a file of its name within --dir.

Examples:
  keyroute kv serve --dir data --node a --node b
  keyroute kv serve --dir data
  keyroute kv serve --dir data --node a=redis://10.0.0.1:6379,zone=x --node b=redis://10.0.0.2:6379,weight=2
  keyroute kv serve --dir data --nodes fleet.toml --replicas 2 --rate 5000
  keyroute kv serve --node a=memory:a --node b=memory:b --listen 127.0.0.1:0

  redis-cli -p 6380 set user:1 v
  redis-cli -p 6380 keyroute add c c
  redis-cli -p 6380 keyroute status")]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:6380")]
    listen: SocketAddr,
    /// A node of a new store: split at the first `=` and at commas
    #[arg(long, value_name = "ID[=ADDRESS][,weight=W][,zone=Z]")]
    node: Vec<Placed>,
    /// The nodes of a new store, with their addresses: a fleet file, TOML or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "node")]
    nodes: Option<PathBuf>,
    /// The folder of the journal and of embedded shards; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// A node that has been moved, with all that it holds, while this did not run
    #[arg(long, value_name = "ID=ADDRESS", requires = "dir")]
    moved: Vec<Placed>,
    /// A node that is gone with what it held, and that the store must be opened without
    #[arg(long, value_name = "ID", requires = "dir", value_parser = node_id)]
    lost: Vec<NodeId>,
    /// On how many nodes each key of a new store lies, 1 to 8 [default: 1]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    replicas: Option<usize>,
    #[command(flatten)]
    settings: SettingArgs,
    /// How many keys a second a change of the nodes moves at most [default: as many as it can]
    #[arg(long, value_name = "KEYS", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Threads that serve
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Connections at once
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_connections: usize,
    /// The longest key or value, up to 512MiB
    #[arg(long, value_name = "BYTES", default_value = "64MiB")]
    max_bulk: ByteSize,
}

/// The longest bulk string of Redis.
const MAX_BULK: ByteSize = ByteSize::mib(512);

pub(crate) fn run(args: &ServeArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let limits = limits(args)?;
    runtime(args.threads)?.block_on(async {
        let store = open(args).await?;
        store.set_rate(Rate {
            keys_per_second: args.rate,
            ..Rate::default()
        });
        let listener = TcpListener::bind(args.listen).await;
        let listener = listener.map_err(|error| CliError::at(args.listen, error))?;
        writeln!(
            out,
            "{} nodes, {} of each key; listening on {}",
            store.nodes().len(),
            store.replicas(),
            listener.local_addr()?
        )?;
        out.flush()?;
        if io::stderr().is_terminal() {
            tokio::spawn(show_changes(store.clone()));
        }
        let server = Server::new(store).with_limits(limits);
        server.serve(listener, stopped()?).await?;
        writeln!(out, "stopped")?;
        Ok(Outcome::Done)
    })
}

fn limits(args: &ServeArgs) -> Result<Limits, CliError> {
    if args.max_bulk > MAX_BULK {
        let problem = format!("{} is over {MAX_BULK}", args.max_bulk);
        return Err(CliError::at("--max-bulk", problem));
    }
    let bulk = usize::try_from(args.max_bulk.as_u64()).unwrap_or(usize::MAX);
    let limits = Limits::default();
    Ok(Limits {
        connections: args.max_connections,
        bulk,
        command: limits.command.max(bulk.saturating_mul(2)),
        ..limits
    })
}

fn runtime(threads: u16) -> io::Result<Runtime> {
    // One thread needs not wake another.
    let mut builder = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.worker_threads(threads.into()).enable_all().build()
}

/// What flags and files say of the store.
struct Wanted {
    nodes: Vec<Placed>,
    choice: Choice,
    settings: Settings,
}

impl Wanted {
    fn of(args: &ServeArgs) -> Result<Self, CliError> {
        let (nodes, settings) = match &args.nodes {
            None => (args.node.clone(), Settings::default()),
            Some(file) => {
                let fleet = Fleet::read(file)?;
                (Placed::of(&fleet), fleet.settings)
            }
        };
        let (settings, choice) = args.settings.over_settings(settings);
        Ok(Self {
            nodes,
            choice,
            settings,
        })
    }

    fn router(&self, nodes: &[Node]) -> Result<AnyRouter, Refusal> {
        let strategy = self.choice.build(&self.settings, nodes)?;
        strategy.into_walk().ok_or(Refusal::Unable(
            "has no order of nodes: choose a ring, rendezvous, slot-table or ranking",
        ))
    }
}

/// The store of a journal, or a new one of the nodes that are given.
async fn open(args: &ServeArgs) -> Result<Store, CliError> {
    let wanted = Wanted::of(args)?;
    let Wanted { nodes, choice, .. } = &wanted;
    let (given, name) = (nodes.clone(), choice.to_string());
    let journal = args.dir.as_deref().map(journal).transpose()?;
    let known = journal.as_ref().is_some_and(|(_, known)| *known);
    if !known {
        if given.is_empty() {
            return Err(CliError::Input(format!(
                "a new store needs nodes: give --node ID[=ADDRESS] for each, or --nodes FILE; an address is {FORMS}"
            )));
        }
        let nodes: Vec<Node> = given.iter().map(|it| it.node.clone()).collect();
        let router = wanted.router(&nodes);
        router.map_err(|refusal| CliError::at(&name, refusal))?;
    }
    let on_disk = |it: &Placed| !it.address().starts_with("memory:");
    if journal.is_none() && given.iter().any(on_disk) {
        return Err(CliError::Input(
            "nodes that outlive the server need --dir, the folder of the journal and of embedded shards".into(),
        ));
    }

    let shards = Shards {
        dir: args.dir.clone(),
    };
    let builder = Store::builder_of_any(
        move |nodes| {
            wanted
                .router(nodes)
                .map_err(|it| refused(&wanted.choice, it))
        },
        move |id, address| shards.open(id, address),
    );
    let placed = given.iter().map(|it| (it.node.clone(), it.address()));
    let mut builder = builder
        .nodes_at(placed)
        .replicas(args.replicas.unwrap_or(1));
    if let Some((journal, _)) = journal {
        builder = builder.journal(journal);
    }
    for moved in &args.moved {
        builder = builder.address(moved.node.id().as_str(), moved.address());
    }
    for lost in &args.lost {
        builder = builder.lost(lost.as_str());
    }
    let store = builder.open().await.map_err(|error| match error {
        KvError::OtherRouter { .. } => CliError::Input(format!(
            "{error}: give the --strategy, and the settings, of the first start; {name} as it is now is another"
        )),
        error => CliError::Input(error.to_string()),
    })?;
    if known {
        check_same(&store, &given, args.replicas)?;
    }
    Ok(store)
}

/// The journal in this folder, and whether it holds a store.
fn journal(dir: &Path) -> Result<(FileJournal, bool), CliError> {
    let at = |error: io::Error| CliError::at(dir.display(), error);
    fs::create_dir_all(dir).map_err(at)?;
    let journal = FileJournal::open(dir.join("journal.json"));
    let journal = journal.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => {
            CliError::at(dir.display(), "another process serves this store")
        }
        _ => at(error),
    })?;
    let known = journal.load().map_err(at)?.is_some();
    Ok((journal, known))
}

/// Why a router cannot be made, in the terms of the store.
fn refused(choice: &Choice, refusal: Refusal) -> RouteError {
    match refusal {
        Refusal::Route(error) => error,
        Refusal::Unable(_) | Refusal::NotLast { .. } => RouteError::Parameter {
            name: "strategy",
            given: format!("{choice}, which {refusal}"),
            accepted: "one that can do with these nodes",
        },
    }
}

/// Checks that what is given is what the journal has.
fn check_same(store: &Store, given: &[Placed], replicas: Option<usize>) -> Result<(), CliError> {
    if !given.is_empty()
        && let Some(difference) = difference(store, given)
    {
        return Err(CliError::Input(format!(
            "the journal has other nodes: {difference}. Leave --node and --nodes out to take the journal's"
        )));
    }
    match replicas {
        Some(replicas) if replicas != store.replicas() => Err(CliError::Input(format!(
            "--replicas {replicas}: the journal has {}; leave the flag out to take that",
            store.replicas()
        ))),
        _ => Ok(()),
    }
}

/// Ends when the process is asked to: by Ctrl-C, or by SIGTERM where there is such a thing.
fn stopped() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminated = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate())?
    };
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminated.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<Option<()>>();
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
    })
}
