//! Small rings from articles and their code, which many programs began with. Five label their points, each in
//! another way; none matches another.
//!
//! Every point is kept: where an original loses points that two nodes share when one of them leaves, these do
//! not, and answer otherwise.

mod article_ring;
mod cpp_ring;
mod geecache;
mod hash_ring;
mod reachcache;
mod route_bounded;

pub use article_ring::{ArticleRing, ArticleRule};
pub use cpp_ring::{CppRing, CppRule, Seed004Fnv};
pub use geecache::{Geecache, GeecacheRule};
pub use hash_ring::{HashRing, HashRingRule};
pub use reachcache::{Reachcache, ReachcacheRule};
pub use route_bounded::RouteBounded;
