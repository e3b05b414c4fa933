import type { ChannelFacts, ChannelVideoItem } from '../../contract/kinds/channel.ts';
import type { ChannelReference } from '../../contract/urls/channel-urls.ts';
import type { SourceCall } from '../source-call-options.ts';

/** A stored cursor has expired. The listing must start from the beginning, because its stored part may have removed videos. */
export class StaleCursorError extends Error {
  override readonly name = 'StaleCursorError';

  constructor(options: { cause?: unknown } = {}) {
    super('the platform does not know the cursor of this listing any more', options);
  }
}

export interface ChannelPage {
  readonly videos: readonly ChannelVideoItem[];
  readonly next?: string | undefined;
}

export interface DescribedChannel {
  readonly facts: ChannelFacts;
  /** With its `@`, in lower case. */
  readonly handle: string | undefined;
}

/** The driver for channels: yt-dlp, or the Data API when the operator has a key. */
export interface ChannelSource {
  /** @throws JobError, such as `removed` when the channel does not exist */
  describe(reference: ChannelReference, call: SourceCall): Promise<DescribedChannel>;
  /** Reads the channel's list, newest first. @param from `next` of an earlier page @throws StaleCursorError, JobError */
  pages(channelId: string, from: string | undefined, call: SourceCall): AsyncIterable<ChannelPage>;
}
