import { EventEmitter, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../local/loopback-server.ts';

const TIMEOUT_MS = 600_000;

/** Starts a webhook receiver that only keeps whether each job succeeded, so that its memory does not grow with bodies. */
export async function startEndings() {
  const ended = new Map<string, boolean>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  const { url, stop } = await serveOnLoopback((request, response) => {
    const { 'x-webhook-download-id': id, 'x-webhook-original-status': status } = request.headers;
    const take = (): void => {
      ended.set(String(id), status === '200');
      arrivals.emit(String(id));
      response.writeHead(200).end('{}');
    };
    // An incomplete webhook is sent again.
    text(request).then(take, () => undefined);
  });
  return {
    url: `${url}/hook`,
    /** Waits for the webhook of a job. @returns whether the job succeeded. @throws after ten minutes */
    async of(id: string): Promise<boolean> {
      if (!ended.has(id)) await once(arrivals, id, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      return ended.get(id) === true;
    },
    stop,
  };
}
