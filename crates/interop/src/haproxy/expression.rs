//! What kind of value a sample expression gives, which decides what bytes of it are hashed.

use alloc::string::ToString;

use keyroute_core::RouteError;

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text or bytes, hashed as they are.
    Bytes,
    /// An IP address, hashed as 4 or 16 bytes.
    Address,
    /// A number, hashed as 8 bytes.
    Number,
}

/// Fetches by what they give. Those that no client decides, as `rand`, are left out.
const FETCHES: [(Kind, &[&str]); 3] = [
    (
        Kind::Bytes,
        &[
            "base",
            "baseq",
            "capture.req.hdr",
            "capture.req.method",
            "capture.req.uri",
            "cook",
            "env",
            "fc_pp_authority",
            "fc_pp_unique_id",
            "fe_name",
            "fhdr",
            "hdr",
            "http_auth_user",
            "method",
            "path",
            "pathq",
            "payload",
            "query",
            "rdp_cookie",
            "req.body",
            "req.body_param",
            "req.cook",
            "req.fhdr",
            "req.hdr",
            "req.payload",
            "req.rdp_cookie",
            "req.ssl_sni",
            "req.ver",
            "req_ssl_sni",
            "ssl_fc_alpn",
            "ssl_fc_sni",
            "str",
            "unique-id",
            "url",
            "url_param",
            "urlp",
            "base32+src",
            "url32+src",
        ],
    ),
    (
        Kind::Address,
        &[
            "dst",
            "fc_dst",
            "fc_src",
            "hdr_ip",
            "ipv4",
            "ipv6",
            "req.hdr_ip",
            "src",
            "url_ip",
        ],
    ),
    (
        Kind::Number,
        &[
            "base32",
            "dst_port",
            "fc_dst_port",
            "fc_src_port",
            "hdr_val",
            "int",
            "req.cook_val",
            "req.hdr_val",
            "src_port",
            "url32",
            "url_port",
            "urlp_val",
        ],
    ),
];

/// Converters by what they give.
const CONVERTERS: [(Kind, &[&str]); 3] = [
    (
        Kind::Bytes,
        &[
            "add_item",
            "b64dec",
            "base64",
            "be2dec",
            "be2hex",
            "bytes",
            "capture-req",
            "concat",
            "cut_crlf",
            "digest",
            "field",
            "hex",
            "hmac",
            "host_only",
            "htonl",
            "http_date",
            "iif",
            "json",
            "language",
            "lower",
            "ltime",
            "ltrim",
            "map",
            "map_beg",
            "map_dir",
            "map_dom",
            "map_end",
            "map_int",
            "map_ip",
            "map_reg",
            "map_regm",
            "map_str",
            "map_sub",
            "regsub",
            "rtrim",
            "sha1",
            "sha2",
            "ub64dec",
            "ub64enc",
            "upper",
            "url_dec",
            "url_enc",
            "utime",
            "word",
        ],
    ),
    (
        Kind::Address,
        &[
            "ipmask",
            "map_beg_ip",
            "map_dir_ip",
            "map_dom_ip",
            "map_end_ip",
            "map_int_ip",
            "map_ip_ip",
            "map_reg_ip",
            "map_str_ip",
            "map_sub_ip",
        ],
    ),
    (
        Kind::Number,
        &[
            "add",
            "and",
            "bool",
            "cpl",
            "crc32",
            "crc32c",
            "div",
            "djb2",
            "even",
            "hex2i",
            "length",
            "map_beg_int",
            "map_dir_int",
            "map_dom_int",
            "map_end_int",
            "map_int_int",
            "map_ip_int",
            "map_reg_int",
            "map_str_int",
            "map_sub_int",
            "mod",
            "mul",
            "neg",
            "not",
            "odd",
            "or",
            "port_only",
            "sdbm",
            "strcmp",
            "sub",
            "wt6",
            "xor",
            "xxh3",
            "xxh32",
            "xxh64",
        ],
    ),
];

/// Converters that hand on what they get.
const SAME: [&str; 3] = ["debug", "set-var", "unset-var"];

/// The kind of an expression's value: a fetch, then converters behind commas.
pub(super) fn kind_of(expression: &str) -> Result<Kind, RouteError> {
    let mut kind = None;
    for name in names(expression)? {
        kind = match kind {
            None => of(&FETCHES, name),
            Some(kind) if SAME.contains(&name) => Some(kind),
            Some(_) => of(&CONVERTERS, name),
        };
        if kind.is_none() {
            return Err(RouteError::Parameter {
                name: "balance hash",
                given: name.to_string(),
                accepted: "fetches and converters of which it is known here what kind of value they give",
            });
        }
    }
    kind.ok_or_else(|| unreadable(expression))
}

fn of(kinds: &[(Kind, &[&str])], name: &str) -> Option<Kind> {
    let found = kinds.iter().find(|(_, names)| names.contains(&name));
    found.map(|&(kind, _)| kind)
}

/// The names in an expression, without their arguments.
fn names(expression: &str) -> Result<alloc::vec::Vec<&str>, RouteError> {
    let mut names = alloc::vec::Vec::new();
    let mut rest = Some(expression);
    while let Some(text) = rest {
        let end = text.find(['(', ',']).unwrap_or(text.len());
        let (name, behind) = text.split_at(end);
        names.push(name);
        let behind = match behind.strip_prefix('(') {
            Some(arguments) => past_arguments(arguments).ok_or_else(|| unreadable(expression))?,
            None => behind,
        };
        rest = behind.strip_prefix(',');
        if rest.is_none() && !behind.is_empty() {
            return Err(unreadable(expression));
        }
    }
    Ok(names)
}

/// What stands behind the parenthesis that ends these arguments: one that is neither quoted nor escaped.
fn past_arguments(arguments: &str) -> Option<&str> {
    let mut quote = None;
    let mut characters = arguments.char_indices();
    while let Some((at, character)) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => drop(characters.next()),
            ('"' | '\'', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            (')', None) => return arguments.get(at + 1..),
            _ => {}
        }
    }
    None
}

fn unreadable(expression: &str) -> RouteError {
    RouteError::Parameter {
        name: "balance hash",
        given: expression.to_string(),
        accepted: "a fetch, and converters behind commas, as req.hdr(host),lower",
    }
}

#[cfg(test)]
mod tests {
    use super::{CONVERTERS, FETCHES, Kind, SAME, kind_of};

    #[test]
    fn the_last_converter_decides() {
        for (expression, kind) in [
            ("path", Kind::Bytes),
            ("src", Kind::Address),
            ("src,ipmask(24,64)", Kind::Address),
            ("src,ipmask(24),lower", Kind::Bytes),
            ("url_param(id),xxh64", Kind::Number),
            ("url_param(id),xxh64,hex,lower", Kind::Bytes),
            ("src,set-var(txn.a),debug", Kind::Address),
            (r"req.hdr(a),regsub('(x|y),z)',a\),g),lower", Kind::Bytes),
            ("req.hdr(a),map_str_ip(/etc/a)", Kind::Address),
        ] {
            assert_eq!(kind_of(expression), Ok(kind), "{expression}");
        }
        for expression in [
            "",
            "var(txn.a)",
            "rand",
            "path,",
            ",lower",
            "path,jwt_payload_query(a)",
            "path(",
            "path()x",
            "path lower",
            "lower",
            "path,path",
        ] {
            assert!(kind_of(expression).is_err(), "{expression}");
        }
    }

    #[test]
    fn no_name_gives_two_kinds() {
        for kinds in [FETCHES, CONVERTERS] {
            let mut names: alloc::vec::Vec<&str> = kinds
                .iter()
                .flat_map(|(_, names)| *names)
                .copied()
                .collect();
            names.extend(SAME);
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
