//! Commands that are answered one by one.

use redis_protocol::resp2::types::BytesFrame;

use super::answer::{Answers, Refusal, integer, map, text};
use super::command::{Args, COMMANDS, Kind, Listing, find, number};
use super::glob;
use super::info;
use super::keyroute;
use super::session::Session;

/// How many keys a page of `SCAN` has unless said, and at most.
const COUNT: (usize, usize) = (10, 10_000);

impl Session {
    /// Answers a command of another kind than reads, writes and deletes. What it has answered before it refuses is to
    /// be forgotten.
    pub(super) async fn single(
        &mut self,
        kind: Kind,
        args: Args<'_>,
        answers: &mut Answers,
    ) -> Result<(), Refusal> {
        match kind {
            Kind::Ttl => {
                let left = self.left(args).await?;
                // To the next second, as Redis rounds it.
                answers.signed(if left < 0 { left } else { (left + 500) / 1000 });
            }
            Kind::PTtl => answers.signed(self.left(args).await?),
            Kind::Scan => self.scan(args, answers).await?,
            Kind::DbSize => answers.integer(info::keys(self.store()).await?),
            Kind::Ping => match args.len() {
                0 => answers.simple("PONG"),
                1 => answers.value(args.get(0)),
                _ => return Err(Refusal::arity("ping")),
            },
            Kind::Echo => answers.value(args.get(0)),
            Kind::Select => match args.get(0).and_then(number) {
                Some(0) => answers.ok(),
                Some(_) => return Err(Refusal::DATABASE),
                None => return Err(Refusal::NO_NUMBER),
            },
            Kind::Quit => {
                answers.ok();
                self.quit = true;
            }
            Kind::Hello => self.hello(args, answers)?,
            Kind::Client => self.client(args, answers)?,
            Kind::Config => config(args, answers)?,
            Kind::Command => command(args, answers)?,
            Kind::Info => {
                let sections: Vec<&[u8]> = args.iter().collect();
                answers.bulk(info::text(&self.shared, &sections).await.as_bytes());
            }
            Kind::Keyroute => answers.frame(&keyroute::answer(&self.shared, args).await?),
            Kind::Get | Kind::MGet | Kind::Exists | Kind::Set | Kind::MSet | Kind::Del => {}
        }
        Ok(())
    }

    /// In how many milliseconds the key ends: -1 if it does not, -2 if there is none.
    async fn left(&self, args: Args<'_>) -> Result<i64, Refusal> {
        let entry = self.store().entry(args.get(0).unwrap_or_default()).await?;
        Ok(match entry {
            None => -2,
            Some(entry) => entry.expires_at.map_or(-1, |end| {
                let left = end.saturating_sub(self.store().now());
                i64::try_from(left).unwrap_or(i64::MAX)
            }),
        })
    }

    async fn scan(&self, args: Args<'_>, answers: &mut Answers) -> Result<(), Refusal> {
        let cursor = args.get(0).unwrap_or_default();
        let cursor: u64 = number(cursor)
            .and_then(|cursor| u64::try_from(cursor).ok())
            .ok_or(Refusal::CURSOR)?;
        let (mut pattern, mut count) = (None, COUNT.0);
        let options = args.behind(1);
        if options.len() % 2 == 1 {
            return Err(Refusal::SYNTAX);
        }
        for at in (0..options.len()).step_by(2) {
            let (name, value) = (options.get(at), options.get(at + 1));
            let (name, value) = (name.unwrap_or_default(), value.unwrap_or_default());
            if name.eq_ignore_ascii_case(b"MATCH") {
                pattern = Some(value);
            } else if name.eq_ignore_ascii_case(b"COUNT") {
                let wanted = number(value).ok_or(Refusal::NO_NUMBER)?;
                if wanted < 1 {
                    return Err(Refusal::SYNTAX);
                }
                count = usize::try_from(wanted).unwrap_or(COUNT.1).min(COUNT.1);
            } else if name.eq_ignore_ascii_case(b"TYPE") {
                let any = value.eq_ignore_ascii_case(b"string");
                pattern = if any {
                    pattern
                } else {
                    return Err(Refusal::TYPE);
                };
            } else {
                return Err(Refusal::SYNTAX);
            }
        }
        let from = match cursor {
            0 => None,
            number => {
                let cursors = self.shared.cursors();
                let cursor = cursors.find(number).ok_or(Refusal::OLD_CURSOR)?;
                Some(cursor.to_vec())
            }
        };
        let page = self.store().scan(from.as_deref(), count).await?;
        let next = page.next.map_or(0, |next| self.shared.cursors().keep(next));
        let fits = |key: &Vec<u8>| pattern.is_none_or(|pattern| glob::matches(pattern, key));
        let keys = page.keys.into_iter().filter(fits);
        let keys = keys.map(|key| BytesFrame::BulkString(key.into()));
        answers.frame(&BytesFrame::Array(vec![
            text(next.to_string()),
            BytesFrame::Array(keys.collect()),
        ]));
        Ok(())
    }

    fn hello(&mut self, args: Args<'_>, answers: &mut Answers) -> Result<(), Refusal> {
        let mut options = args;
        if let Some(version) = args.get(0) {
            match number(version) {
                Some(2) => {}
                Some(_) => return Err(Refusal::PROTOCOL),
                None => {
                    return Err(Refusal::new(
                        "ERR Protocol version is not an integer or out of range",
                    ));
                }
            }
            options = args.behind(1);
        }
        let mut name = None;
        while let Some(option) = options.get(0) {
            if option.eq_ignore_ascii_case(b"AUTH") {
                return Err(Refusal::AUTH);
            }
            let (true, Some(given)) = (option.eq_ignore_ascii_case(b"SETNAME"), options.get(1))
            else {
                return Err(Refusal::SYNTAX);
            };
            name = Some(client_name(given)?);
            options = options.behind(2);
        }
        if let Some(name) = name {
            self.name = name;
        }
        answers.frame(&map([
            ("server", text("keyroute")),
            ("version", text(env!("CARGO_PKG_VERSION"))),
            ("proto", integer(2)),
            ("id", integer(self.id)),
            ("mode", text("standalone")),
            ("role", text("master")),
            ("modules", BytesFrame::Array(Vec::new())),
        ]));
        Ok(())
    }

    fn client(&mut self, args: Args<'_>, answers: &mut Answers) -> Result<(), Refusal> {
        let name = args.get(0).unwrap_or_default();
        let is = |wanted: &str, length: usize| {
            args.len() == length && name.eq_ignore_ascii_case(wanted.as_bytes())
        };
        if is("ID", 1) {
            answers.integer(self.id);
        } else if is("GETNAME", 1) {
            answers.value(Some(self.name.as_slice()).filter(|name| !name.is_empty()));
        } else if is("SETNAME", 2) {
            self.name = client_name(args.get(1).unwrap_or_default())?;
            answers.ok();
        } else if is("SETINFO", 3) {
            let attribute = args.get(1).unwrap_or_default();
            let known = ["LIB-NAME", "LIB-VER"];
            if !known
                .iter()
                .any(|it| attribute.eq_ignore_ascii_case(it.as_bytes()))
            {
                return Err(Refusal::new(
                    "ERR Unrecognized option: LIB-NAME and LIB-VER are known",
                ));
            }
            client_name(args.get(2).unwrap_or_default())?;
            answers.ok();
        } else {
            return Err(Refusal::subcommand(name, "COMMAND DOCS client"));
        }
        Ok(())
    }
}

/// The longest name that is kept of a client.
const NAME: usize = 1024;

fn client_name(name: &[u8]) -> Result<Vec<u8>, Refusal> {
    if name.len() <= NAME && name.iter().all(u8::is_ascii_graphic) {
        Ok(name.to_vec())
    } else {
        Err(Refusal::CLIENT_NAME)
    }
}

/// What `redis-benchmark` asks: how the server saves. It does not; its shards do.
fn config(args: Args<'_>, answers: &mut Answers) -> Result<(), Refusal> {
    let name = args.get(0).unwrap_or_default();
    if !name.eq_ignore_ascii_case(b"GET") || args.len() < 2 {
        return Err(Refusal::subcommand(name, "COMMAND DOCS config"));
    }
    let known = [("save", ""), ("appendonly", "no")];
    let asked = |name: &str| {
        args.behind(1)
            .iter()
            .any(|pattern| glob::matches(&pattern.to_ascii_lowercase(), name.as_bytes()))
    };
    let found = known.into_iter().filter(|(name, _)| asked(name));
    answers.frame(&map(found.map(|(name, value)| (name, text(value)))));
    Ok(())
}

fn command(args: Args<'_>, answers: &mut Answers) -> Result<(), Refusal> {
    let names = args.behind(1);
    let named = || names.iter().map(find);
    let all = || COMMANDS.iter().map(Some);
    let Some(name) = args.get(0) else {
        answers.frame(&BytesFrame::Array(all().map(described).collect()));
        return Ok(());
    };
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
    if is("COUNT") && names.len() == 0 {
        answers.integer(COMMANDS.len() as u64);
    } else if is("LIST") && names.len() == 0 {
        let names = COMMANDS.iter().map(|it| text(it.name));
        answers.frame(&BytesFrame::Array(names.collect()));
    } else if is("INFO") {
        let described = if names.len() == 0 {
            all().map(described).collect()
        } else {
            named().map(described).collect()
        };
        answers.frame(&BytesFrame::Array(described));
    } else if is("DOCS") {
        let found: Vec<&Listing> = if names.len() == 0 {
            COMMANDS.iter().collect()
        } else {
            named().flatten().collect()
        };
        let docs = found.into_iter().map(|it| {
            let doc = map([
                ("summary", text(it.summary)),
                ("since", text(env!("CARGO_PKG_VERSION"))),
                ("group", text("keyroute")),
            ]);
            (it.name, doc)
        });
        answers.frame(&map(docs));
    } else {
        return Err(Refusal::subcommand(name, "COMMAND DOCS command"));
    }
    Ok(())
}

/// A command as `COMMAND INFO` says it; null for one that is not known.
fn described(command: Option<&Listing>) -> BytesFrame {
    let Some(it) = command else {
        return BytesFrame::Null;
    };
    let flags = it.flags.iter();
    let flags = flags.map(|&flag| BytesFrame::SimpleString(flag.into()));
    let mut described = vec![
        text(it.name),
        BytesFrame::Integer(it.arity),
        BytesFrame::Array(flags.collect()),
    ];
    described.extend(it.keys.map(BytesFrame::Integer));
    BytesFrame::Array(described)
}
