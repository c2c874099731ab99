//! Addresses as Envoy writes them, which is how it hashes them.

use std::net::IpAddr;

/// An address and a port as Envoy writes them.
pub(super) fn at_port(ip: IpAddr, port: u64) -> String {
    match ip {
        IpAddr::V4(ip) => format!("{ip}:{port}"),
        // C writes the last 32 bits of such an address as IPv4, and Rust does not.
        IpAddr::V6(ip) => match ip.to_bits() {
            bits @ 0x1_0000..=0xffff_ffff => {
                let [.., a, b, c, d] = bits.to_be_bytes();
                format!("[::{a}.{b}.{c}.{d}]:{port}")
            }
            _ => format!("[{ip}]:{port}"),
        },
    }
}

/// Whether a text is an address as Envoy writes it: with a port, or a path.
pub(super) fn is_address(text: &str) -> bool {
    let socket = || {
        let (host, port) = text.rsplit_once(':')?;
        let bare = host
            .strip_prefix('[')
            .map_or(Some(host), |host| host.strip_suffix(']'))?;
        let port: u16 = port.parse().ok()?;
        Some(at_port(bare.parse().ok()?, port.into()) == text)
    };
    text.starts_with(['/', '@']) || socket() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::{at_port, is_address};

    /// As Envoy 1.40 shows them in its list of hosts.
    #[test]
    fn addresses_are_written_as_envoy_writes_them() {
        for (given, written) in [
            ("10.0.0.1", "10.0.0.1:80"),
            ("::", "[::]:80"),
            ("::1", "[::1]:80"),
            ("::2", "[::2]:80"),
            ("::1:0", "[::0.1.0.0]:80"),
            ("::1.2.3.4", "[::1.2.3.4]:80"),
            ("::ffff:1.2.3.4", "[::ffff:1.2.3.4]:80"),
            ("0:0:0:0:0:1:2:3", "[::1:2:3]:80"),
            ("2001:DB8:0:1:0:0:0:1", "[2001:db8:0:1::1]:80"),
            ("1:0:2:3:4:5:6:7", "[1:0:2:3:4:5:6:7]:80"),
            ("64:ff9b::1.2.3.4", "[64:ff9b::102:304]:80"),
        ] {
            let at = at_port(given.parse().unwrap(), 80);
            assert_eq!(at, written, "{given}");
            assert!(is_address(&at), "{at}");
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in [
            "",
            "a",
            "10.0.0.1",
            "10.0.0.1:",
            "10.0.0.1:x",
            "10.0.0.1:080",
            "10.0.0.1:65536",
            "[10.0.0.1]:80",
            "::1:80",
            "[::1:80",
            "[2001:DB8::1]:80",
            "a.example:80",
        ] {
            assert!(!is_address(text), "{text}");
        }
        for text in ["/tmp/s", "@s"] {
            assert!(is_address(text), "{text}");
        }
    }
}
