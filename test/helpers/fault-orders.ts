import { makeAccounts } from '../../local/sandbox/dataset-api/accounts.ts';
import { createArchive, type Publication } from '../../local/sandbox/dataset-api/publications.ts';
import { publicationUrl } from '../../local/sandbox/dataset-api/records.ts';
import type { TestService } from './service.ts';

/** A request for a job. */
export interface Order {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const CHANNEL_PAGES = 8;

/**
 * Requests for jobs of four kinds in turn, each about a subject of its own: audio and video of one platform, contents and
 * audio of the other's posts.
 *
 * @param imgnetUrl base address of the posts
 */
export async function makeOrders(service: TestService, imgnetUrl: string): Promise<() => Order> {
  const videos = await listedVideos(service);
  const account = makeAccounts({ idSalt: service.idSalt }).find((one) => one.case === 'large')!;
  const archive = createArchive([account], { nowMs: Date.now(), idSalt: service.idSalt });
  const posts = archive.list(account, 'post');
  const reels = archive.list(account, 'reel');
  const video = () => ({ vidnet_video_id: nextOf(videos) });
  const post = (of: Generator<Publication>) => ({ url: publicationUrl(nextOf(of), imgnetUrl) });
  const kinds = [
    () => ({ path: '/api/downloads/audio', body: video() }),
    () => ({ path: '/api/imgnet/content', body: post(posts) }),
    () => ({ path: '/api/downloads/video', body: video() }),
    () => ({ path: '/api/imgnet/audio', body: post(reels) }),
  ];
  let count = 0;
  return () => kinds[count++ % kinds.length]!();
}

/** The newest videos of the channel that has thousands. */
async function listedVideos({ sandbox }: TestService): Promise<Iterator<string>> {
  const index = (await (await fetch(sandbox.url)).json()) as { channels: { url: string; case: string }[] };
  const channel = new URL(index.channels.find((one) => one.case === 'large')!.url).pathname;
  const ids: string[] = [];
  for (let page = 1; page <= CHANNEL_PAGES; page += 1) {
    const answer = await fetch(`${sandbox.url}${channel}?page=${String(page)}`);
    ids.push(...((await answer.json()) as { videos: { id: string }[] }).videos.map(({ id }) => id));
  }
  return ids.values();
}

function nextOf<Item>(items: Iterator<Item>): Item {
  const next = items.next();
  if (next.done === true) throw new Error('the sandbox has no more subjects');
  return next.value;
}
