//! [`show_changes`]: a bar on standard error while nodes change.

use std::time::Duration;

use keyroute_kv::Store;
use tokio::time::sleep;

use crate::progress::Progress;

/// How often it is asked how far the change is.
const PERIOD: Duration = Duration::from_millis(200);

/// For as long as the server runs, one bar for each change, and another when it turns round.
pub(super) async fn show_changes(store: Store) {
    let mut shown = None;
    loop {
        sleep(PERIOD).await;
        let Some(now) = store.progress().filter(|it| it.keys > 0) else {
            shown = None;
            continue;
        };
        let work = match (now.back, now.paused) {
            (_, true) => "paused",
            (true, _) => "moving back",
            _ => "moving",
        };
        let which = (work, now.keys);
        let (_, bar) = match shown.take() {
            Some((before, bar)) if before == which => shown.insert((which, bar)),
            _ => shown.insert((which, Progress::new(work, Some(now.keys)))),
        };
        bar.reach(now.seen);
    }
}
