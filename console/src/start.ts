import type { Offer } from '../../contract/http/resolved-schemas.ts';
import { call, Problem } from './console-api.ts';
import { pathTo } from './router.ts';

/** The answers to requests for jobs, as far as they tell which job it is. */
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

/** What comes after a job: it is asked for when the job has ended, by whichever page watches it. */
export type Then = 'speakers';

/** @returns the ids of the jobs; one that runs already, or has ended, is as good as a new one */
export async function start({ path, body }: Request): Promise<readonly string[]> {
  try {
    const { body: answer } = await call<Started>('POST', path, { body });
    return idsIn(answer);
  } catch (error) {
    if (error instanceof Problem && error.body.code === 'pending_duplicate' && error.body.id !== undefined) {
      return [error.body.id];
    }
    throw error;
  }
}

function idsIn({ data, download_id: id, download, downloads, message }: Started): readonly string[] {
  if (downloads !== undefined) return [downloads.posts.id, downloads.reels.id];
  const one = data?.id ?? id ?? download?.id;
  // Without sound there is nothing to transcribe, and no job.
  if (one === undefined) throw new Problem(message ?? 'The service has not said which job it is.', { status: 200 });
  return [one];
}

/** Where a job that was started is looked at. */
export function placeOf([first = '', second]: readonly string[], then?: Then): string {
  return pathTo({ job: first }, { with: second, then });
}

/** What somebody adds to an offer. */
export interface Wishes {
  readonly language: string;
  readonly webhook: string;
}

export function requestFor({ path, body, needs }: Offer, { language, webhook }: Wishes): Request {
  return {
    path,
    body: {
      ...body,
      ...(needs.includes('language') ? { language } : {}),
      ...(webhook.trim() === '' ? {} : { include_webhook: webhook.trim() }),
    },
  };
}
