import type { DownloadRecord, Progress } from '../clients/typescript/src/index.ts';

/** The fields that the responses of all kinds share, as far as the command uses them. */
export interface JobAnswer {
  readonly status?: string;
  readonly message?: string;
  readonly code?: string;
  readonly download_id?: string;
  readonly list_id?: string;
  readonly transcript_speaker_id?: string;
  readonly data?: Partial<DownloadRecord>;
  readonly download?: { readonly id: string };
  readonly source?: { readonly reason?: string };
  readonly downloads?: Readonly<Record<PartName, { readonly id: string; readonly status: string }>>;
  readonly progress?: Progress | Readonly<Partial<Record<PartName, Progress>>>;
  readonly last_response?: Readonly<Partial<Record<PartName, { readonly response: string }>>>;
}
export type PartName = 'posts' | 'reels';

/** Returns the IDs of the jobs behind a response: two for a list, none if no audio needed a job. */
export function jobIdsOf({ data, download_id, download, downloads }: JobAnswer): readonly string[] {
  if (downloads !== undefined) return [downloads.posts.id, downloads.reels.id];
  const id = data?.id ?? download_id ?? download?.id;
  return id === undefined ? [] : [id];
}

export function failureOf({ status, message, data }: JobAnswer): string | undefined {
  if ((status ?? data?.status) !== 'failed') return undefined;
  return message ?? data?.response ?? 'The job failed.';
}

/** @param part the part of a list; both parts run on their own */
export function progressOf({ progress, data }: JobAnswer, part: PartName = 'posts'): Progress | undefined {
  const reported = progress ?? data?.progress;
  return reported === undefined || 'stage' in reported ? reported : reported[part];
}
