import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

/**
 * Collects short-lived objects. Node does that only after 64 MB of received buffers, which a process that passes on a large file
 * would keep in memory; a collection takes a millisecond.
 */
export function collectShortLived(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}
