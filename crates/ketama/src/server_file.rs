//! [`libketama_servers`]: libketama's server file.

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{Node, RouteError, Weight};

/// Reads a libketama server file: one `ADDRESS`, tab or blank, `MEMORY` a line. The order counts.
///
/// As the library reads it: lines that begin with `#` or are shorter than two characters are skipped,
/// and letters after the memory are ignored (`600M` is 600). **The last character of each line's
/// memory is dropped, whatever it is**, since the library expects a line break there: in a file
/// without a final one the last server's `25` is read as 2.
///
/// # Errors
///
/// [`RouteError::Parameter`] for a line without an address and a memory, and for a memory that is not
/// a number from 1 to 2^32 − 1 (libketama rejects a file with a 0 in it).
///
/// ```
/// use keyroute_ketama::libketama_servers;
///
/// let servers = libketama_servers("# caches\n10.0.1.1:11211\t600\n10.0.1.2:11211 25")?;
/// let weights: Vec<u32> = servers.iter().map(|server| server.weight().get()).collect();
/// assert_eq!(weights, [600, 2]);
/// assert!(libketama_servers("10.0.1.1:11211 0\n").is_err());
/// # Ok::<(), keyroute_ketama::RouteError>(())
/// ```
pub fn libketama_servers(file: &str) -> Result<Vec<Node>, RouteError> {
    file.split_inclusive('\n')
        .filter(|line| line.len() >= 2 && !line.starts_with('#'))
        .map(server)
        .collect()
}

fn server(line: &str) -> Result<Node, RouteError> {
    let (name, memory) = line
        .split_once(['\t', ' '])
        .ok_or_else(|| RouteError::Parameter {
            name: "a line of the server file",
            given: alloc::format!("{line:?}"),
            accepted: "an address, a tab or a blank, and a memory",
        })?;
    let mut number = memory.trim_start_matches(['\t', ' ']).chars();
    number.next_back();
    let number = number.as_str();
    let digits = number
        .find(|c: char| !c.is_ascii_digit())
        .map_or(number, |end| &number[..end]);
    let weight = digits.parse().ok().and_then(|n| Weight::new(n).ok());
    let weight = weight.ok_or_else(|| RouteError::Parameter {
        name: "the memory of a server",
        given: memory.trim_end().to_string(),
        accepted: "a number from 1 to 4294967295, with a line break after it",
    })?;
    Ok(Node::new(name)?.with_weight(weight))
}
