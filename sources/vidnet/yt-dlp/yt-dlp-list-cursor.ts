import type { ChannelVideoItem } from '../../../contract/kinds/channel.ts';
import { StaleCursorError } from '../channel-source.ts';

/** How far a list may have shifted before what follows the cursor is taken by its number alone. */
const SHIFT_MAX = 1_000;

/** Where a list was left: how many videos had been handed over, and the last of them. */
export interface ListCursor {
  readonly count: number;
  readonly lastId: string;
}

export function formatCursor({ count, lastId }: ListCursor): string {
  return `${String(count)}:${lastId}`;
}

/** @throws StaleCursorError for a cursor of another source: the operator may have changed it since */
export function parseCursor(text: string): ListCursor {
  const [, count, lastId] = /^(\d{1,9}):(.+)$/.exec(text) ?? [];
  if (count === undefined || lastId === undefined) throw new StaleCursorError();
  return { count: Number(count), lastId };
}

/**
 * What follows a cursor in a list that may have changed since: videos were added or removed before it, or the one at the
 * cursor is gone.
 */
export async function* after<Video extends Pick<ChannelVideoItem, 'vidnet_id'>>(
  videos: AsyncIterable<Video>,
  cursor: ListCursor,
): AsyncGenerator<Video> {
  /** Beyond the number of the cursor, while its video has not come: they follow it, or stand before it by now. */
  let held: Video[] = [];
  let index = 0;
  let isPast = false;
  for await (const video of videos) {
    index += 1;
    if (isPast) {
      yield video;
    } else if (video.vidnet_id === cursor.lastId) {
      isPast = true;
      held = [];
    } else if (index > cursor.count) {
      held.push(video);
      isPast = held.length >= SHIFT_MAX;
      if (isPast) yield* held.splice(0);
    }
  }
  yield* held;
}
