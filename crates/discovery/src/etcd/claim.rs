//! [`claim`]: puts an entry where nobody else's stands.

use etcd_client::{Client, Compare, CompareOp, KeyValue, PutOptions, Txn, TxnOp, TxnOpResponse};

use crate::{EtcdConfig, EtcdError};

/// An entry to put, and under which lease.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: String,
    /// Whether it replaces somebody else's.
    pub(crate) take_over: bool,
}

/// What a claim came to.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// It stands there.
    Ours,
    /// Somebody else's stands there: this.
    Theirs(String),
}

/// What an attempt found.
enum Tried {
    Put,
    Found(KeyValue),
    Nothing,
}

/// Puts the entry under this lease if nothing stands there, or what does is under the lease `before`, which was ours; or
/// whatever does, if it takes over. Each step is one transaction, so of several who claim one gets it.
pub(crate) async fn claim(
    config: &EtcdConfig,
    client: &Client,
    entry: &Entry,
    lease: i64,
    before: Option<i64>,
) -> Result<Claimed, EtcdError> {
    loop {
        let free = Compare::create_revision(entry.key.as_str(), CompareOp::Equal, 0);
        let found = match put_if(config, client, entry, lease, free).await? {
            Tried::Put => return Ok(Claimed::Ours),
            Tried::Found(found) => found,
            Tried::Nothing => continue,
        };
        let ours = found.lease() == lease || Some(found.lease()) == before;
        if !(ours || entry.take_over) {
            let value = String::from_utf8_lossy(found.value()).into_owned();
            return Ok(Claimed::Theirs(value));
        }
        let revision = found.mod_revision();
        let same = Compare::mod_revision(entry.key.as_str(), CompareOp::Equal, revision);
        // Something else stands there otherwise, or nothing: look at it anew.
        if let Tried::Put = put_if(config, client, entry, lease, same).await? {
            return Ok(Claimed::Ours);
        }
    }
}

/// Puts the entry if this holds.
async fn put_if(
    config: &EtcdConfig,
    client: &Client,
    entry: &Entry,
    lease: i64,
    condition: Compare,
) -> Result<Tried, EtcdError> {
    let options = PutOptions::new().with_lease(lease);
    let put = TxnOp::put(entry.key.as_str(), entry.value.as_str(), Some(options));
    let txn = Txn::new()
        .when([condition])
        .and_then([put])
        .or_else([TxnOp::get(entry.key.as_str(), None)]);
    let response = config.soon(client.kv_client().txn(txn)).await?;
    if response.succeeded() {
        return Ok(Tried::Put);
    }
    for response in response.op_responses() {
        if let TxnOpResponse::Get(mut found) = response
            && let Some(kv) = found.take_kvs().pop()
        {
            return Ok(Tried::Found(kv));
        }
    }
    Ok(Tried::Nothing)
}

/// Whether the entry stands there under this lease.
pub(crate) async fn is_ours(
    config: &EtcdConfig,
    client: &Client,
    entry: &Entry,
    lease: i64,
) -> Result<bool, EtcdError> {
    let condition = Compare::lease(entry.key.as_str(), CompareOp::Equal, lease);
    let txn = Txn::new().when([condition]);
    let response = config.soon(client.kv_client().txn(txn)).await?;
    Ok(response.succeeded())
}
