import type { ChannelFacts, ChannelPage, ChannelReference } from '../../contract/vidnet.ts';
import type { SourceCall } from '../call.ts';

/** Where channels come from: yt-dlp, or the Data API when the operator has a key. */
export interface ChannelSource {
  /** Resolves and describes a channel. @throws JobError `removed` when there is none of that name, and upstream's refusals */
  describe(reference: ChannelReference, call: SourceCall): Promise<ChannelFacts>;
  /**
   * The pages of a channel's list, newest first.
   *
   * @param from `next` of the last page that is known already; undefined for the beginning
   */
  pages(channel: ChannelFacts, from: string | undefined, call: SourceCall): AsyncIterable<ChannelPage>;
}
