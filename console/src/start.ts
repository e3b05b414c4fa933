import type { BatchAnswer } from '../../contract/batches/batch-answers.ts';
import type { Offer, Resolved } from '../../contract/http/resolved-schemas.ts';
import { TapedeckError } from '../../clients/typescript/src/client-errors.ts';
import { call, read } from './console-api.ts';
import { navigate, pathTo } from './router.ts';

export function readMeanings(text: string, signal: AbortSignal): Promise<Resolved> {
  return read<Resolved>(`/api/resolve?${new URLSearchParams({ url: text }).toString()}`, signal);
}

interface Started {
  readonly message?: string;
  readonly data?: { readonly id: string };
  readonly download_id?: string;
  readonly download?: { readonly id: string };
  readonly downloads?: { readonly posts: { readonly id: string }; readonly reels: { readonly id: string } };
}

export interface Request {
  readonly path: string;
  readonly body: object;
}

/** @returns the IDs of the jobs, whether they are new, running or complete */
export async function start({ path, body }: Request): Promise<readonly string[]> {
  try {
    return idsIn(await call<Started>('POST', path, { body }));
  } catch (error) {
    const { code, id } = error instanceof TapedeckError ? error : {};
    if (code === 'pending_duplicate' && id !== undefined) return [id];
    throw error;
  }
}

function idsIn({ data, download_id: id, download, downloads, message }: Started): readonly string[] {
  if (downloads !== undefined) return [downloads.posts.id, downloads.reels.id];
  const one = data?.id ?? id ?? download?.id;
  // Without audio there is nothing to transcribe, so there is no job.
  if (one === undefined) throw new Error(message ?? 'The service has not said which job it is.');
  return [one];
}

export async function startBatch(body: object): Promise<void> {
  const { id } = await call<BatchAnswer>('POST', '/api/batches', { body });
  navigate(pathTo('batch', { id }));
}

export function jobPath([first = '', second]: readonly string[]): string {
  return pathTo('job', { id: first, with: second });
}

export interface RequestOptions {
  readonly language: string;
  readonly webhook: string;
  readonly limit?: string;
}

export function requestFor({ path, body, needs, per }: Offer, { language, webhook, limit }: RequestOptions): Request {
  return {
    path,
    body: {
      ...body,
      ...(needs.includes('language') ? { language } : {}),
      ...(per === 'entry' && limit ? { limit: Number(limit) } : {}),
      ...(webhook.trim() === '' ? {} : { include_webhook: webhook.trim() }),
    },
  };
}
