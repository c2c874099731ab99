//! `pymemcache`: rendezvous. The files name a server as it is hashed, and say how it was configured.

use keyroute::Node;
use keyroute_interop::PyMemcache;
use keyroute_interop::pymemcache::Murmur3Text;

use super::client_ring::removed;
use super::document::Document;
use super::named_nodes::NamedNodes;
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    removed(document, "removed")?;
    let config = &mut document.config;
    config.only("algorithm", "rendezvous")?;
    config.only("hash", "murmur3_x86_32")?;
    config.only("hashed_text", "<node name>-<key>")?;
    config.harmless("text_to_bytes"); // says in words what the preset does
    let seed = config.whole("seed")?.unwrap_or(0);
    let mut nodes = Vec::new();
    for listed in &mut document.nodes {
        listed.more.harmless("configured_as");
        if listed.weight == Some(1) {
            listed.weight = None;
        }
        nodes.push(Node::new(listed.unweighted()?)?);
    }
    let client = PyMemcache::new(Murmur3Text::new(seed), nodes)?;
    Ok(Box::new(NamedNodes(client)))
}
