import type { Feed } from '../clients/typescript/src/index.ts';
import type { ParsedAs } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { printList, type Connection } from './list-jobs.ts';
import { jsonText } from './printable.ts';

/** Creates a feed and prints its address, which cannot be shown again; lists feeds; or revokes the token of one. */
export async function manageFeeds(connection: Connection, { what, id, isJson }: ParsedAs<'feed'>): Promise<number> {
  const { service, display } = connection;
  if (what === 'list') {
    await printList(connection, ['/api/feeds', 'feeds'], { isJson, rowOf });
    return EXIT.success;
  }
  const isNew = what === 'create';
  const feed = isNew
    ? await service.send<Feed>('POST', '/api/feeds', { body: { source: id } })
    : await service.send<Feed>('DELETE', `/api/feeds/${encodeURIComponent(id)}`);
  const text = isNew ? (feed.opml_url ?? feed.rss_url ?? feed.id) : rowOf(feed);
  display.print(isJson ? jsonText(feed) : text);
  return EXIT.success;
}

function rowOf({ id, source, title }: Feed): string {
  return [id, source, title].join('  ');
}
