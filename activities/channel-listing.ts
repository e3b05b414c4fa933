import { wholeVideo, type ChannelFacts, type ChannelVideoItem } from '../contract/kinds/channel.ts';
import { StaleCursorError, type ChannelSource } from '../sources/vidnet/channel-source.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { ContentsStore, ListingState } from '../store/records/contents-store.ts';
import type { RunningCall } from './source-call.ts';

interface ChannelListing {
  readonly channels: ChannelSource;
  readonly contents: ContentsStore;
  readonly recordId: string;
  readonly channel: ChannelFacts;
  readonly call: RunningCall;
}

const EMPTY_STATE: ListingState = { pieces: 0, items: 0 };

/**
 * Stores the list of a channel page by page: first the page, then the position, so that a retry repeats at most one page.
 *
 * @returns the size of the whole list
 */
export async function listChannelVideos(listing: ChannelListing): Promise<ListingState> {
  const { contents, recordId } = listing;
  const stored = await contents.state({ recordId, name: 'videos' });
  if (stored !== undefined && stored.next === undefined) return stored;
  try {
    return await continueListing(listing, stored ?? EMPTY_STATE);
  } catch (error) {
    if (!(error instanceof StaleCursorError) || stored === undefined) throw error;
    // The position has expired upstream, so the list starts again and replaces its pieces.
    return continueListing(listing, EMPTY_STATE);
  }
}

async function continueListing(listing: ChannelListing, known: ListingState): Promise<ListingState> {
  const { channels, contents, recordId, channel, call } = listing;
  const list = { recordId, name: 'videos' };
  // A video that is published meanwhile shifts the pages, so that the last items of one appear again in the next.
  const seen = await idsOf(listing, known);
  // The last piece may hold a page that was stored just before an interruption and is read again.
  let state = { ...known, items: seen.size };
  const append = contents.appendTo(list, state);
  const report = (): void => call.report({ stage: 'listing', ...progressOf(state.items, channel.total_media) });
  report();
  for await (const page of channels.pages(channel.vidnet_id, known.next, call)) {
    const videos = page.videos.filter((video) => isNew(video, seen));
    state = { ...(await append(videos.map(wholeVideo))), ...optional('next', page.next) };
    await contents.putState(list, state);
    report();
  }
  if (state.next !== undefined) throw new Error('the driver ended a list that goes on');
  await contents.putState(list, state);
  return state;
}

async function idsOf({ contents, recordId }: ChannelListing, { pieces }: ListingState): Promise<Set<string>> {
  const seen = new Set<string>();
  for await (const page of contents.list<ChannelVideoItem>({ recordId, name: 'videos', pieces }).pages()) {
    for (const { vidnet_id } of page) seen.add(vidnet_id);
  }
  return seen;
}

function isNew({ vidnet_id }: ChannelVideoItem, seen: Set<string>): boolean {
  if (seen.has(vidnet_id)) return false;
  seen.add(vidnet_id);
  return true;
}

function progressOf(items: number, totalItems: number | undefined) {
  if (totalItems === undefined || totalItems === 0) return { items };
  return { items, totalItems, percent: percentOf(items / totalItems) };
}
