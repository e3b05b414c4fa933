import type { Feed } from '../clients/typescript/src/index.ts';
import type { ParsedAs } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { printList, type Connection } from './list-jobs.ts';
import { jsonText } from './printable.ts';

/** Creates a feed and prints its address, which cannot be shown again; lists feeds; or revokes the token of one. */
export async function manageFeeds(connection: Connection, { what, id, isJson }: ParsedAs<'feed'>): Promise<number> {
  const { service, display } = connection;
  const show = (feed: Feed, text: string): void => display.print(isJson ? jsonText(feed) : text);
  switch (what) {
    case 'create': {
      const feed = await service.send<Feed>('POST', '/api/feeds', { body: { source: id } });
      show(feed, feed.opml_url ?? feed.rss_url ?? feed.id);
      break;
    }
    case 'revoke': {
      const feed = await service.send<Feed>('DELETE', `/api/feeds/${encodeURIComponent(id)}`);
      show(feed, rowOf(feed));
      break;
    }
    case 'list':
      await printList(connection, ['/api/feeds', 'feeds'], { isJson, rowOf });
  }
  return EXIT.success;
}

function rowOf({ id, source, title }: Feed): string {
  return [id, source, title].join('  ');
}
