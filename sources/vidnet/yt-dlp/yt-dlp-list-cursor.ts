import { StaleCursorError } from '../channel-source.ts';

/** The number of videos after which a missing cursor is located by its number alone. */
const SHIFT_MAX = 1_000;

/** The position in a list: the number of videos before it, and the last of them. */
interface ListCursor {
  readonly count: number;
  readonly lastId: string;
}

export function formatCursor({ count, lastId }: ListCursor): string {
  return `${String(count)}:${lastId}`;
}

/** @throws StaleCursorError for a cursor of another source, which the operator may have used before */
export function parseCursor(text: string): ListCursor {
  const [, count, lastId] = /^(\d{1,9}):(.+)$/.exec(text) ?? [];
  if (count === undefined || lastId === undefined) throw new StaleCursorError();
  return { count: Number(count), lastId };
}

/** The videos after a cursor, although videos before it were added or removed, or its own video is gone. */
export async function* after<Video extends { readonly id: string }>(
  videos: AsyncIterable<Video>,
  cursor: ListCursor,
): AsyncGenerator<Video> {
  // Videos beyond the cursor's number, while its video has not been found. They may be before or after it.
  let held: Video[] = [];
  let index = 0;
  let isPast = false;
  for await (const video of videos) {
    index += 1;
    if (isPast) {
      yield video;
    } else if (video.id === cursor.lastId) {
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
