//! [`KvError`]: why the store refused or failed.

use std::io;
use std::sync::Arc;

use keyroute_core::{Fingerprint, NodeId, RouteError};
use thiserror::Error;

use crate::{MAX_REPLICAS, ShardError};

/// Why the store refused or failed. What refuses leaves everything as it was.
///
/// Clones are cheap: a node that fails fails many keys.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum KvError {
    /// There is no node to hold a key.
    #[error("the store has no nodes: add one first")]
    NoNodes,
    /// A node did not answer as it should. A write that failed so may have been done, or not.
    #[error("node {id:?} failed: {error}")]
    Shard {
        /// The node.
        id: NodeId,
        /// What it said.
        #[source]
        error: ShardError,
    },
    /// A key over [`MAX_KEY_LEN`](crate::MAX_KEY_LEN) bytes.
    #[error("a key has {length} bytes, at most {limit} are allowed", limit = crate::MAX_KEY_LEN)]
    KeyTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A number of replicas that is 0 or over [`MAX_REPLICAS`].
    #[error("{given} replicas were asked for: 1 to {MAX_REPLICAS} are allowed")]
    Replicas {
        /// The number given.
        given: usize,
    },
    /// The router refused the nodes.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The last node cannot leave: its keys would have nowhere to go.
    #[error("node {id:?} is the last one, and its keys have nowhere to go: add another first")]
    LastNode {
        /// The node.
        id: NodeId,
    },
    /// A node of this name has left. What it held is gone, and a name that comes back by mistake would be taken for it.
    #[error(
        "a node named {id:?} has left this store: take another name, or say that it is to be used again"
    )]
    Retired {
        /// The name.
        id: NodeId,
    },
    /// Two nodes cannot be at one address: what one gives up the other would lose.
    #[error("node {id:?} is at {address:?} already: two nodes need two addresses")]
    AddressTaken {
        /// The node that is there.
        id: NodeId,
        /// The address.
        address: String,
    },
    /// A node that joins holds keys already, which nobody set here.
    #[error("node {id:?} joins but holds keys: empty it first")]
    NotEmpty {
        /// The node.
        id: NodeId,
    },
    /// A node cannot list its keys, and may hold some that moved away unseen: see [`Store::close`](crate::Store::close).
    #[error(
        "node {id:?} may hold keys left over from an earlier change: empty it, and say so, before the next"
    )]
    LeftOvers {
        /// The node.
        id: NodeId,
    },
    /// Nodes change by tasks of a Tokio runtime, and there is none here.
    #[error("nodes change within a Tokio runtime: call this from one of its tasks")]
    NoRuntime,
    /// The nodes are changing already.
    #[error("a change is under way: wait for its end, or abort it")]
    ChangeUnderWay,
    /// No change is under way.
    #[error("no change is under way")]
    NoChange,
    /// The change cannot be closed, since keys of nodes that can list them have not all moved.
    #[error("keys of nodes that can list them have not all moved yet: wait for them")]
    StillMoving,
    /// The journal's nodes are routed otherwise by the router that is given now.
    #[error(
        "the journal was written under a router of fingerprint {journal}, this one has {router}: open it with the \
         router that it was made with"
    )]
    OtherRouter {
        /// The fingerprint that the journal holds.
        journal: Fingerprint,
        /// The fingerprint of the router made now from the same nodes.
        router: Fingerprint,
    },
    /// The journal cannot be read or written.
    #[error("the journal cannot be read or written: {0}")]
    Journal(#[source] Arc<io::Error>),
    /// The journal is none of this version's.
    #[error("the journal cannot be understood: {0}")]
    JournalText(#[source] Arc<serde_json::Error>),
    /// A node cannot list its keys, so neither can the store.
    #[error("node {id:?} cannot list its keys")]
    CannotList {
        /// The node.
        id: NodeId,
    },
    /// A cursor that no scan of this store gave.
    #[error("this cursor was not given by a scan of this store")]
    Cursor,
}
