import type { DownloadRecord, Progress } from '../clients/typescript/src/index.ts';

/** What the answers about jobs of all kinds have in common, as far as it is used here. */
export interface JobAnswer {
  readonly status?: string;
  readonly message?: string;
  readonly code?: string;
  readonly download_id?: string;
  readonly list_id?: string;
  readonly transcript_speaker_id?: string;
  readonly data?: Partial<DownloadRecord>;
  readonly download?: { readonly id: string };
  readonly downloads?: Readonly<Record<PartName, { readonly id: string; readonly status: string }>>;
  readonly progress?: Progress | Readonly<Partial<Record<PartName, Progress>>>;
  readonly last_response?: Readonly<Partial<Record<PartName, { readonly response: string }>>>;
}
export type PartName = 'posts' | 'reels';

/** The jobs behind an answer: two of a list, none where no audio needed one. */
export function jobIdsOf({ data, download_id, download, downloads }: JobAnswer): readonly string[] {
  if (downloads !== undefined) return [downloads.posts.id, downloads.reels.id];
  const id = data?.id ?? download_id ?? download?.id;
  return id === undefined ? [] : [id];
}

/** Why a job failed; undefined when it has not. */
export function failureOf({ status, message, data }: JobAnswer): string | undefined {
  if ((status ?? data?.status) !== 'failed') return undefined;
  return message ?? data?.response ?? 'The job failed.';
}

/** @param part of a list, whose parts go on by themselves */
export function progressOf({ progress, data }: JobAnswer, part: PartName = 'posts'): Progress | undefined {
  const told = progress ?? data?.progress;
  return told === undefined || 'stage' in told ? told : told[part];
}
