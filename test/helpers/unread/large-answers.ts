import { ulid } from 'ulid';
import { finishRecord } from '../../../store/records/finish-record.ts';
import type { Facades } from '../rest-app.ts';
import { aTranscriptJob, keepJob, anAudioJob } from '../jobs.ts';

type Kept = Pick<Facades, 'contents' | 'deps'>;

const POOL = Array.from({ length: 100_000 }, () =>
  String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000)),
).join('');

/** Text of three bytes a character that hardly repeats itself. */
function han(chars: number): string {
  const first = Math.floor(Math.random() * (POOL.length - chars));
  return POOL.slice(first, first + chars);
}

async function keepPieces(
  { contents }: Kept,
  list: { readonly recordId: string; readonly name: string; readonly pieces: number },
  itemsOf: (piece: number) => object[],
): Promise<void> {
  for (let number = 1; number <= list.pieces; number += 1) {
    await contents.putPiece({ recordId: list.recordId, name: list.name, number }, itemsOf(number));
  }
}

/** A transcript in one object, as it was stored before there were pieces. @returns its id */
export async function keepTranscript(kept: Kept, megabytes: number): Promise<string> {
  const job = aTranscriptJob();
  const lines = Array.from({ length: megabytes * 1_000 }, (_, index) => ({
    ...{ startSeconds: index, durationSeconds: 1, text: han(320) },
  }));
  const track = { language: 'zh', kind: 'manual' } as const;
  const video = { videoId: job.mediaId, link: 'https://video.example/', title: 'Tea' };
  await kept.contents.putFacts(job.recordId, { video, track, lines });
  await keepJob(kept.deps.records, job, { status: 'success', result: {} });
  return job.recordId;
}

/** @returns the body of a request for a channel with that many videos */
export async function keepChannel(kept: Kept, videos: number): Promise<string> {
  const mediaId = `@${ulid().toLowerCase()}`;
  const parameters = { channel: { kind: 'handle', name: mediaId.slice(1) } } as const;
  const job = { ...anAudioJob(), type: 'list', subjectId: `list/${mediaId}`, mediaId, parameters } as const;
  await kept.contents.putFacts(job.recordId, { channelId: 'UC1', title: 'Tea', url: 'https://video.example/' });
  const pieces = videos / 100;
  await keepPieces(kept, { recordId: job.recordId, name: 'videos', pieces }, (piece) =>
    Array.from({ length: 100 }, (_, n) => ({ videoId: `v${String(piece)}-${String(n)}`, title: han(200) })),
  );
  await keepJob(kept.deps.records, job, {
    status: 'success',
    result: { lists: { videos: { pieces, items: videos } } },
  });
  return JSON.stringify({ url: mediaId });
}

/** @returns the body of a request for a list with that many posts, and no reels */
export async function keepPosts(kept: Facades, posts: number): Promise<string> {
  const name = `tea.${ulid().toLowerCase()}`;
  const profile = await kept.post('/api/imgnet/profile', JSON.stringify({ url: `@${name}` }));
  const listId = String(profile.body['list_id']);
  const url = `https://www.instagram.com/${name}/`;
  await kept.contents.putFacts(listId, { account: name, profile_url: url, url });
  await finishRecord(kept.deps.records, listId, { status: 'success', result: {} });
  const body = JSON.stringify({ list_id: listId });
  const pending = await kept.post('/api/imgnet/list', body);
  const downloads = pending.body['downloads'] as Record<'posts' | 'reels', { id: string }>;
  const pieces = posts / 100;
  await keepPieces(kept, { recordId: downloads.posts.id, name: 'posts', pieces }, (piece) =>
    Array.from({ length: 100 }, (_, n) => {
      const shortcode = `${String(piece)}-${String(n)}`;
      return { type: 'post' as const, shortcode, url: `${url}p/${shortcode}/`, caption: han(700) };
    }),
  );
  await finishRecord(kept.deps.records, downloads.posts.id, {
    status: 'success',
    result: { lists: { posts: { pieces, items: posts } } },
  });
  await finishRecord(kept.deps.records, downloads.reels.id, {
    status: 'success',
    result: { lists: { reels: { pieces: 0, items: 0 } } },
  });
  return body;
}
