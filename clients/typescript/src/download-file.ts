import { errorOf, TapedeckError } from './client-errors.ts';
import type { Client } from './generated/client/index.ts';
import { getDownload } from './generated/sdk.gen.ts';
import { pause } from './pause.ts';

export interface FileOptions {
  /** The index of the file within the download. Default: the first file. */
  readonly index?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenedFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** The content; it can be read once. */
  readonly contents: AsyncGenerator<Uint8Array, void>;
}

/** The retries take about a minute in all. */
const FAILURES_IN_A_ROW = 5;

/**
 * Opens a file of a finished download. After a lost connection, reading continues at the same offset with a new link.
 * @throws TapedeckError, also while the content is read; `not_found` if there is no such file
 */
export async function readFile(client: Client, id: string, options: FileOptions = {}): Promise<OpenedFile> {
  const { response, link } = await requested(client, id, { ...options, from: 0 });
  const sizeBytes = Number(response.headers.get('Content-Length'));
  const etag = response.headers.get('ETag') ?? '';
  return { name: nameIn(link) ?? id, sizeBytes, contents: contents() };

  async function* contents(): AsyncGenerator<Uint8Array, void> {
    let from = 0;
    let current: Response | undefined = response;
    for (let failures = 0; ;) {
      // The first retry after a connection that delivered data is immediate.
      if (failures > 1) await pause(500 * 2 ** failures, options.signal);
      failures += 1;
      try {
        current ??= (await requested(client, id, { ...options, from, etag })).response;
        for await (const piece of piecesOf(current)) {
          from += piece.length;
          failures = 1;
          yield piece;
        }
        if (from >= sizeBytes) return;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!isConnectionLoss(error) || failures > FAILURES_IN_A_ROW) throw error;
      }
      current = undefined;
    }
  }
}

/** The signed link is sufficient, so the API key is not sent with it. */
async function requested(
  client: Client,
  id: string,
  { index = 0, signal, from, etag }: FileOptions & { readonly from: number; readonly etag?: string },
): Promise<{ readonly response: Response; readonly link: string }> {
  const ending = signal === undefined ? {} : { signal };
  const { data } = await getDownload({ client, path: { downloadId: id }, ...ending });
  const link = data.file_urls?.[index];
  if (link === undefined) throw new TapedeckError('The download has no such file.', { code: 'not_found' });
  const headers: Record<string, string> =
    from === 0 || etag === undefined ? {} : { Range: `bytes=${String(from)}-`, 'If-Range': etag };
  const fetch = client.getConfig().fetch ?? globalThis.fetch;
  const response = await fetch(new Request(link, { headers, ...ending })).catch((error: unknown) => {
    throw errorOf(error, undefined, signal);
  });
  if (!response.ok) throw errorOf(await response.json().catch(() => undefined), response, signal);
  if (from > 0 && response.status !== 206) {
    throw new TapedeckError('The file has changed while it was read.', { code: 'precondition_failed', status: 200 });
  }
  return { response, link };
}

/** @returns undefined unless the link has a safe file name: an untrusted service must not choose the folder */
function nameIn(link: string): string | undefined {
  const name = decodeURIComponent(new URL(link).pathname).split(/[/\\]/).at(-1) ?? '';
  return ['', '.', '..'].includes(name) ? undefined : name;
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (piece?.value === undefined) return;
      yield piece.value;
    }
  } finally {
    // A body that was cut off cannot be cancelled.
    await reader?.cancel().catch(() => undefined);
  }
}

/** Every platform reports a body that was cut off as a TypeError. */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof TapedeckError)) return error instanceof TypeError;
  return error.status === undefined ? error.code === 'unreachable' : error.status >= 500;
}
