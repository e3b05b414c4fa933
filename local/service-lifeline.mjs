// Loaded before the main file of a role (node --import): ends it when its parent is gone, at any moment.
// The main file stops itself in good order once it listens for `disconnect`. Until then, while it still loads and
// connects, nobody would notice; and afterwards nobody is left to end it by force if it hangs.
import { isMainThread } from 'node:worker_threads';

const FORCE_AFTER_MS = (Number(process.env.SHUTDOWN_GRACE_SECONDS || 10) + 5) * 1000;

// What a role writes (media, logs, work) is for its user alone, in whatever folder it was told to write.
if (isMainThread) process.umask(0o077);

function onParentGone() {
  if (process.listenerCount('disconnect') === 0) process.exit(1);
  setTimeout(() => process.exit(1), FORCE_AFTER_MS).unref();
}

if (typeof process.send === 'function') {
  process.once('disconnect', onParentGone);
  // It may have gone before this line; the event is not repeated.
  if (!process.connected) process.exit(1);
}
