//! Which bytes of a request are the key.

/// Which part of the request target `balance uri` hashes.
///
/// ```
/// use keyroute_interop::haproxy::UriPart;
///
/// assert_eq!(UriPart::default().of(b"/a/b?q=1"), b"/a/b");
/// let part = UriPart { whole: true, length: 6, ..UriPart::default() };
/// assert_eq!(part.of(b"/a/b?q=1"), b"/a/b?q");
/// assert_eq!(UriPart { depth: 1, ..UriPart::default() }.of(b"/a/b/c"), b"/a");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UriPart {
    /// `whole`: a `?` ends nothing.
    pub whole: bool,
    /// `len`: at most so many bytes; 0 for all.
    pub length: usize,
    /// `depth`: up to slash number `depth` + 1, the first of the path being number 1; 0 for all.
    pub depth: usize,
    /// `path-only`: without the scheme and host of an absolute target.
    pub path_only: bool,
}

impl UriPart {
    /// The part of this target that is hashed.
    #[must_use]
    pub fn of(self, target: &[u8]) -> &[u8] {
        let target = if self.path_only { path(target) } else { target };
        let target = match self.length {
            0 => target,
            length => target.get(..length).unwrap_or(target),
        };
        let mut slashes = 0;
        let end = target.iter().position(|&byte| {
            slashes += usize::from(byte == b'/');
            byte == b'?' && !self.whole || self.depth > 0 && slashes > self.depth
        });
        &target[..end.unwrap_or(target.len())]
    }
}

/// What follows the scheme and host of an absolute target; others are paths.
fn path(target: &[u8]) -> &[u8] {
    if target.first() == Some(&b'/') {
        return target;
    }
    let Some(scheme) = target.windows(3).position(|three| three == b"://") else {
        return target;
    };
    let host = &target[scheme + 3..];
    let path = host.iter().position(|&byte| byte == b'/');
    path.map_or(b"", |at| &host[at..])
}

/// What `balance hdr(NAME)` hashes of a header's first occurrence: the value up to the first comma that is not
/// in double quotes, without the blanks around it.
///
/// ```
/// use keyroute_interop::haproxy::{first_header_value, last_header_value};
///
/// assert_eq!(first_header_value(b" a , b"), b"a");
/// assert_eq!(first_header_value(b"\"x,y\",z"), b"\"x,y\"");
/// assert_eq!(last_header_value(b" a , b "), b"b");
/// ```
#[must_use]
pub fn first_header_value(value: &[u8]) -> &[u8] {
    elements(value).next().unwrap_or_default()
}

/// What `balance hash req.hdr(NAME)` hashes of a header's last occurrence: the last element between commas that
/// are not in double quotes, without the blanks around it.
#[must_use]
pub fn last_header_value(value: &[u8]) -> &[u8] {
    elements(value).last().unwrap_or_default()
}

fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    value
        .split(move |&byte| {
            quoted ^= byte == b'"';
            byte == b',' && !quoted
        })
        .map(<[u8]>::trim_ascii)
}
