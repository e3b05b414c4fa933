// Loaded before the main file of a process (node --import): ends the process when its parent is gone. The main file stops in
// order once it listens for `disconnect`; this module ends the process while that still loads, or when it hangs.
import { isMainThread } from 'node:worker_threads';
import { releaseMemoryAfterStart } from './release-memory.ts';

const FORCE_AFTER_MS = (Number(process.env.SHUTDOWN_GRACE_SECONDS || 10) + 5) * 1000;

if (isMainThread) {
  // Only the user of the process may read its files.
  process.umask(0o077);
  releaseMemoryAfterStart();
}

function onParentGone() {
  if (process.listenerCount('disconnect') === 0) process.exit(1);
  setTimeout(() => process.exit(1), FORCE_AFTER_MS).unref();
}

if (typeof process.send === 'function') {
  process.once('disconnect', onParentGone);
  // The parent may be gone already; the event is not repeated.
  if (!process.connected) process.exit(1);
}
