//! [`to_the_end`]: what has begun is ended, whether or not anybody waits for it.

use std::future::{Future, pending, poll_fn};
use std::panic::resume_unwind;
use std::task::Poll;

/// Does it to the end, also if this future is dropped meanwhile.
///
/// A write that was sent to a shard and then forgotten could reach it after its key's lock was let go and the key had
/// moved: a copy where none may be. So the lock is held until the shard has answered. What needs not wait costs no
/// task.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let mut work = Box::pin(work);
    if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return done;
    }
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => pending().await, // the runtime is shutting down, and this with it
        },
    }
}
