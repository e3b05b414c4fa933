import type { TestService } from './service.ts';

/** What the sandbox has beside its videos. */
export interface ImgnetIndex {
  readonly channels: readonly { readonly url: string; readonly case: string }[];
  readonly accounts: readonly { readonly url: string; readonly user_name: string; readonly case: string }[];
  readonly posts: readonly { readonly url: string; readonly case: string }[];
}

/** Requests to the sandbox's dataset API. */
export interface DatasetStats {
  readonly triggers: Readonly<Record<'profiles' | 'posts' | 'reels', number>>;
  /** Snapshots by dataset and what they were about, such as `posts sandbox.garden`. */
  readonly started: Readonly<Record<string, number>>;
  readonly media_requests: number;
  readonly expired_media_requests: number;
}

export async function imgnetIndex({ sandbox }: TestService): Promise<ImgnetIndex> {
  const answer = await fetch(sandbox.url, { headers: { accept: 'application/json' } });
  return (await answer.json()) as ImgnetIndex;
}

export async function datasetStats({ sandbox }: TestService): Promise<DatasetStats> {
  return ((await (await fetch(`${sandbox.url}/stats`)).json()) as { dataset: DatasetStats }).dataset;
}

/** The address of the n-th post or reel of a case (from 0). */
export function postUrl({ posts }: ImgnetIndex, kind: string, index = 0): string {
  const post = posts.filter((one) => one.case === kind)[index];
  if (post === undefined) throw new Error(`the sandbox has no ${kind} post number ${String(index)}`);
  return post.url;
}

/** The last part of a post's address. */
export function shortcodeOf(url: string): string {
  return new URL(url).pathname.split('/')[2] ?? '';
}

/** The names of the fields that are neither null nor empty lists. */
export function namesOfGivenFields(answer: object): string[] {
  return Object.entries(answer).flatMap(([name, value]) => (value === null || isEmptyList(value) ? [] : name));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
