import type { ChannelFacts, ChannelVideoItem } from '../../contract/kinds/channel.ts';
import type { ChannelReference } from '../../contract/urls/channel-urls.ts';
import type { SourceCall } from '../source-call-options.ts';

/**
 * The platform no longer knows a cursor that was kept: cursors live for a while only. The listing must start over, from
 * `undefined`; what was kept of it may hold videos that are gone by now.
 */
export class StaleCursorError extends Error {
  override readonly name = 'StaleCursorError';

  constructor(options: { cause?: unknown } = {}) {
    super('the platform does not know the cursor of this listing any more', options);
  }
}

/** A page of a channel's list, newest first. */
export interface ChannelPage {
  readonly videos: readonly ChannelVideoItem[];
  /** Where the list goes on, opaque; absent on the last page. */
  readonly next?: string | undefined;
}

export interface DescribedChannel {
  readonly facts: ChannelFacts;
  /** With its `@`, in lower case; absent where the platform tells none. */
  readonly handle: string | undefined;
}

/** Where channels come from: yt-dlp, or the Data API when the operator has a key. */
export interface ChannelSource {
  /** Resolves and describes a channel. @throws JobError `removed` when there is none of that name, and upstream's refusals */
  describe(reference: ChannelReference, call: SourceCall): Promise<DescribedChannel>;
  /**
   * The pages of a channel's list, newest first.
   *
   * @param from `next` of the last page that is known already; undefined for the beginning
   * @throws StaleCursorError when the platform does not know `from` any more
   */
  pages(channelId: string, from: string | undefined, call: SourceCall): AsyncIterable<ChannelPage>;
}
