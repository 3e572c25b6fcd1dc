//! The one door through which the engine starts work beside what it is doing.

use std::pin::Pin;

use tokio::task::JoinHandle;

/// Starts work that goes on by itself. All work of one result is the same to the runtime, whose
/// code would otherwise be in the program twice for each place that starts some.
pub fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let work: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(work);
    tokio::spawn(work)
}
