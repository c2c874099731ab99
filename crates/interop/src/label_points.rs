//! Points from labels that end in an index.

use alloc::string::String;
use core::fmt::Write;

use keyroute_core::hash::Md5;

/// What is made of each label `{base}{separator}{i}`, i in decimal from 0.
pub(crate) fn labelled<I: IntoIterator>(
    base: &str,
    separator: char,
    labels: u64,
    mut of_label: impl FnMut(&[u8]) -> I,
) -> impl Iterator<Item = I::Item> {
    let mut label = String::from(base);
    label.push(separator);
    let index_at = label.len();
    (0..labels).flat_map(move |index| {
        label.truncate(index_at);
        // Writing to a string cannot fail.
        let _ = write!(label, "{index}");
        of_label(label.as_bytes())
    })
}

/// Ketama's points: the four little-endian words of MD5 of each label `{base}-{i}`.
pub(crate) fn md5_points(base: &str, labels: u64) -> impl Iterator<Item = u32> {
    labelled(base, '-', labels, Md5::words)
}
