//! What the directives of a backend do to where keys go.

/// What a directive does, of those that the reader itself does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It changes no key's server.
    None,
    /// It counts only while servers fail, fill up, come back or are changed at run time.
    Passing,
    /// It may change or keep requests before they are hashed.
    Rewriting,
    /// It sends keys elsewhere: this is why.
    Elsewhere(&'static str),
    /// Nobody here knows.
    Unknown,
}

const HARMLESS: [&str; 53] = [
    "acl",
    "backlog",
    "bind",
    "bind-process",
    "capture",
    "clitcpka-cnt",
    "clitcpka-idle",
    "clitcpka-intvl",
    "clitimeout",
    "compression",
    "contimeout",
    "description",
    "email-alert",
    "enabled",
    "error-log-format",
    "errorfile",
    "errorfiles",
    "errorloc",
    "errorloc302",
    "errorloc303",
    "external-check",
    "grace",
    "guid",
    "http-after-response",
    "http-check",
    "http-error",
    "http-response",
    "http-reuse",
    "http-send-name-header",
    "id",
    "log",
    "log-format",
    "log-format-sd",
    "log-steps",
    "log-tag",
    "max-keep-alive-queue",
    "monitor",
    "monitor-uri",
    "monitor-net",
    "rate-limit",
    "source",
    "srvtcpka-cnt",
    "srvtcpka-idle",
    "srvtcpka-intvl",
    "srvtimeout",
    "stats",
    "stick-table",
    "tcp-check",
    "tcp-response",
    "timeout",
    "unique-id-format",
    "unique-id-header",
    "use-fcgi-app",
];

const PASSING: [&str; 13] = [
    "force-be-switch",
    "force-persist",
    "fullconn",
    "hash-balance-factor",
    "hash-preserve-affinity",
    "ignore-persist",
    "load-server-state-from-file",
    "max-session-srv-conns",
    "maxconn",
    "retries",
    "retry-on",
    "server-state-file-name",
    "quic-initial",
];

const REWRITING: [&str; 6] = [
    "declare",
    "filter",
    "http-request",
    "redirect",
    "tcp-request",
    "use_backend",
];

const ELSEWHERE: [(&str, &str); 7] = [
    ("cookie", COOKIE),
    ("persist", COOKIE),
    ("appsession", COOKIE),
    (
        "use-server",
        "chooses servers by rules: leave it out of a copy to route the requests that no rule matches",
    ),
    ("dispatch", "sends all requests to one address"),
    (
        "transparent",
        "sends requests where their clients want them",
    ),
    (
        "default_backend",
        "sends the requests to another backend: name that one with #BACKEND",
    ),
];

const COOKIE: &str = "sends clients that come back by their cookie: leave it out of a copy to route those that \
                      come first";

const STICK: &str = "sends clients that come back by a table: leave it out of a copy to route those that come first";

const OPTIONS: [&str; 60] = [
    "abortonclose",
    "accept-invalid-http-request",
    "accept-invalid-http-response",
    "accept-unsafe-violations-in-http-request",
    "accept-unsafe-violations-in-http-response",
    "assume-rfc6587-ntf",
    "checkcache",
    "clitcpka",
    "contstats",
    "disable-h2-upgrade",
    "dont-parse-log",
    "dontlog-normal",
    "dontlognull",
    "external-check",
    "forceclose",
    "forwarded",
    "forwardfor",
    "h1-case-adjust-bogus-client",
    "h1-case-adjust-bogus-server",
    "http-buffer-request",
    "http-drop-request-trailers",
    "http-drop-response-trailers",
    "http-ignore-probes",
    "http-keep-alive",
    "http-no-delay",
    "http-pretend-keepalive",
    "http-restrict-req-hdr-names",
    "http-server-close",
    "http-tunnel",
    "http-use-htx",
    "http-use-proxy-header",
    "httpchk",
    "httpclose",
    "httplog",
    "httpslog",
    "idle-close-on-response",
    "independent-streams",
    "ldap-check",
    "log-health-checks",
    "log-separate-errors",
    "logasap",
    "mysql-check",
    "nolinger",
    "originalto",
    "pgsql-check",
    "prefer-last-server",
    "redis-check",
    "smtpchk",
    "socket-stats",
    "splice-auto",
    "splice-request",
    "splice-response",
    "spop-check",
    "srvtcpka",
    "ssl-hello-chk",
    "tcp-check",
    "tcp-smart-accept",
    "tcp-smart-connect",
    "tcpka",
    "tcplog",
];

/// What a directive does, and the words that name it.
pub(super) fn effect(words: &[&str]) -> (Effect, String) {
    let second = words.get(1).copied().unwrap_or_default();
    let (name, effect) = match (words.first().copied().unwrap_or_default(), second) {
        ("option", "redispatch" | "persist") => (2, Effect::Passing),
        ("option", "transparent" | "http_proxy") => (
            2,
            Effect::Elsewhere("sends requests where their clients want them"),
        ),
        ("option", option) if OPTIONS.contains(&option) => (2, Effect::None),
        ("option", _) => (2, Effect::Unknown),
        ("stick", "on" | "match") => (2, Effect::Elsewhere(STICK)),
        ("stick", "store-request" | "store-response") => (2, Effect::None),
        (word, _) if HARMLESS.contains(&word) => (1, Effect::None),
        (word, _) if PASSING.contains(&word) => (1, Effect::Passing),
        (word, _) if REWRITING.contains(&word) => (1, Effect::Rewriting),
        (word, _) => {
            let found = ELSEWHERE.iter().find(|(name, _)| *name == word);
            (
                1,
                found.map_or(Effect::Unknown, |(_, why)| Effect::Elsewhere(why)),
            )
        }
    };
    let named: Vec<&str> = words.iter().take(name).copied().collect();
    (effect, named.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{Effect, HARMLESS, OPTIONS, PASSING, REWRITING, effect};

    #[test]
    fn each_directive_has_one_effect() {
        let mut names = [&HARMLESS[..], &PASSING, &REWRITING].concat();
        names.extend(super::ELSEWHERE.map(|(name, _)| name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let mut options = OPTIONS.to_vec();
        options.dedup();
        assert!(options.is_sorted() && options.len() == OPTIONS.len());
    }

    #[test]
    fn options_and_sticking_are_known_by_two_words() {
        for (words, expected, name) in [
            (&["timeout", "server", "3s"][..], Effect::None, "timeout"),
            (
                &["option", "httpchk", "GET", "/"],
                Effect::None,
                "option httpchk",
            ),
            (
                &["option", "redispatch"],
                Effect::Passing,
                "option redispatch",
            ),
            (&["option", "magic"], Effect::Unknown, "option magic"),
            (&["option"], Effect::Unknown, "option"),
            (
                &["stick", "store-request", "src"],
                Effect::None,
                "stick store-request",
            ),
            (&["stick"], Effect::Unknown, "stick"),
            (&["http-request", "deny"], Effect::Rewriting, "http-request"),
            (&["balancer"], Effect::Unknown, "balancer"),
        ] {
            assert_eq!(effect(words), (expected, name.to_owned()));
        }
        assert!(matches!(
            effect(&["stick", "on", "src"]).0,
            Effect::Elsewhere(_)
        ));
        assert!(matches!(effect(&["cookie", "S"]).0, Effect::Elsewhere(_)));
        assert!(matches!(
            effect(&["option", "transparent"]).0,
            Effect::Elsewhere(_)
        ));
    }
}
