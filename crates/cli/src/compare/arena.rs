//! [`KeyArena`]: keys held in memory, one behind the other.

use crate::CliError;
use crate::keys::{Expected, Keys};
use crate::progress::Progress;

/// The most keys that are held (2^24).
pub(crate) const MAX_KEYS: usize = 1 << 24;

/// The most bytes of keys that are held (2 GiB).
pub(crate) const MAX_KEY_BYTES: usize = 1 << 31;

/// Keys in one buffer, so that a key costs its bytes and four more.
#[derive(Debug, Default)]
pub(crate) struct KeyArena {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl KeyArena {
    /// Reads all keys. One that comes twice counts twice.
    ///
    /// # Errors
    ///
    /// As [`Keys::next`]; [`CliError::Input`] for no key, and over [`MAX_KEYS`] or [`MAX_KEY_BYTES`].
    pub(crate) fn read(keys: &mut Keys) -> Result<Self, CliError> {
        Self::read_up_to(keys, MAX_KEYS, MAX_KEY_BYTES)
    }

    fn read_up_to(keys: &mut Keys, most: usize, most_bytes: usize) -> Result<Self, CliError> {
        let source = keys.source();
        let (total, by_bytes) = match keys.expected() {
            Some(Expected::Keys(count)) => (Some(count), false),
            Some(Expected::Bytes(bytes)) => (Some(bytes), true),
            None => (None, false),
        };
        let mut progress = Progress::new("reading keys", total);
        if let Some(Expected::Keys(count)) = keys.expected()
            && count > most as u64
        {
            // Said before the work.
            return Err(too_many(&source, &format!("{most} keys")));
        }
        let mut arena = Self::default();
        while let Some(key) = keys.next()? {
            let end = arena.bytes.len() + key.len();
            if arena.ends.len() == most {
                return Err(too_many(&source, &format!("{most} keys")));
            }
            // MAX_KEY_BYTES is below u32::MAX.
            let place = u32::try_from(end).ok().filter(|_| end <= most_bytes);
            let place =
                place.ok_or_else(|| too_many(&source, &format!("{most_bytes} bytes of keys")))?;
            arena.bytes.extend(key);
            arena.ends.push(place);
            progress.advance(if by_bytes { key.len() as u64 + 1 } else { 1 });
        }
        if arena.ends.is_empty() {
            return Err(CliError::at(
                &source,
                "has no keys: give some, a line each, or leave the file out to use the sample",
            ));
        }
        Ok(arena)
    }

    /// How many keys there are: at least one.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The keys, in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let end = end as usize; // u32 fits
            let key = &self.bytes[start..end];
            start = end;
            key
        })
    }
}

fn too_many(source: &str, limit: &str) -> CliError {
    CliError::at(
        source,
        format!("over {limit}, more than are compared at once: give fewer keys"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KeyArgs, Otherwise};

    #[test]
    fn keys_come_back_as_they_went_in() {
        let mut keys = Keys::pattern("k{}", 12).unwrap();
        let arena = KeyArena::read(&mut keys).unwrap();
        let all: Vec<&[u8]> = arena.iter().collect();
        assert_eq!(arena.len(), 12);
        assert_eq!((all[0], all[11]), (&b"k0"[..], &b"k11"[..]));
    }

    #[test]
    fn the_limits_are_kept_and_named() {
        let read = |keys, bytes| {
            KeyArena::read_up_to(&mut Keys::pattern("k{}", 10).unwrap(), keys, bytes)
                .map(|arena| arena.len())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read(10, 20), Ok(10));
        assert!(read(9, 20).unwrap_err().contains("over 9 keys"));
        assert_eq!(read(9, 2).unwrap_err(), read(9, 20).unwrap_err());
        assert!(read(10, 19).unwrap_err().contains("over 19 bytes of keys"));
    }

    #[test]
    fn a_file_that_tells_no_number_is_refused_where_the_limit_is_met() {
        let file = std::env::temp_dir().join(format!("keyroute-arena-{}", std::process::id()));
        std::fs::write(&file, "a\nb\nc\n").unwrap();
        let args = KeyArgs {
            file: Some(file.clone()),
            ..KeyArgs::default()
        };
        let read = |most| {
            let mut keys = args.open(Otherwise::Sample).unwrap();
            KeyArena::read_up_to(&mut keys, most, 100).map(|arena| arena.len())
        };
        assert_eq!(read(3).unwrap(), 3);
        assert!(read(2).unwrap_err().to_string().contains("over 2 keys"));
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn no_keys_are_nothing_to_compare() {
        let mut keys = Keys::pattern("k{}", 0).unwrap();
        assert!(KeyArena::read(&mut keys).is_err());
    }
}
