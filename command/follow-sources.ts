import type { Resolved, Subscription } from '../clients/typescript/src/index.ts';
import type { ParsedAs } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { forEach, printList, type Connection } from './list-jobs.ts';
import { jsonText } from './printable.ts';

type Follow = ParsedAs<'follow'>;

/** Subscribes to channels, playlists, profiles and feeds, or lists the subscriptions. */
export async function followSources(
  connection: Connection,
  { urls, request, isJson, ...how }: Follow,
): Promise<number> {
  const { service, display } = connection;
  const print = (one: Subscription): void => display.print(isJson ? jsonText(one) : rowOf(one));
  if (urls.length > 0) {
    return forEach(connection, urls, async (url) => {
      const { subjects } = await service.send<Resolved>('GET', '/api/resolve', { query: { url } });
      const each = eachOf(how, subjects[0]?.kind);
      print(await service.send<Subscription>('POST', '/api/subscriptions', { body: { ...request, from: url, each } }));
    });
  }
  await printList(connection, ['/api/subscriptions', 'subscriptions'], { isJson, rowOf });
  return EXIT.success;
}

export function unfollow(connection: Connection, { ids, isJson }: ParsedAs<'unfollow'>): Promise<number> {
  return forEach(connection, ids, async (id) => {
    const path = `/api/subscriptions/${encodeURIComponent(id)}`;
    const removed = await connection.service.send<Subscription>('DELETE', path);
    connection.display.print(isJson ? jsonText(removed) : rowOf(removed));
  });
}

function eachOf({ isVideo, language }: Pick<Follow, 'isVideo' | 'language'>, kind: string | undefined): object {
  if (language !== undefined) return { operation: 'requestTranscript', language };
  if (kind === 'profile' && !isVideo) return { operation: 'requestImgnetAudio' };
  if (kind === 'page' || kind === 'profile') return { operation: 'requestMedia', format: isVideo ? 'video' : 'audio' };
  return { operation: isVideo ? 'requestVideo' : 'requestAudio' };
}

function rowOf({ id, status, every, from, started, pause, failure }: Subscription): string {
  const why = pause?.message ?? failure?.message ?? '';
  return [id, status.padEnd(6), `every ${every}`, `${String(started)} fetched`, from, why].join('  ').trimEnd();
}
