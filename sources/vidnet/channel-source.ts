import type { ChannelFacts, ChannelVideoItem } from '../../contract/kinds/channel.ts';
import type { ChannelReference } from '../../contract/urls/channel-urls.ts';
import type { SourceCall } from '../source-call-options.ts';

/**
 * The platform no longer knows a stored cursor, because cursors expire. The listing must start again from `undefined`, and the stored
 * part of it may contain videos that no longer exist.
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
  /** Opaque cursor of the next page; absent on the last page. */
  readonly next?: string | undefined;
}

export interface DescribedChannel {
  readonly facts: ChannelFacts;
  /** With its `@`, in lower case; absent where the platform states none. */
  readonly handle: string | undefined;
}

/** The driver for channels: yt-dlp, or the Data API when the operator has a key. */
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
