import type { PostContent, PostItem } from './imgnet/posts.ts';
import type { ImgnetProfileFields } from './imgnet/profile.ts';
import type { ReelContent, ReelItem } from './imgnet/reels.ts';
import type { SpeakerLabels, SpeechWindow, WindowResult } from './speech.ts';
import type { ItemStream } from './streams.ts';
import type { CaptionLine, CaptionTrack, ChannelFacts, ChannelVideo, VideoComment, VideoFacts } from './vidnet.ts';

/** What a transcript job keeps beside its record. */
export interface TranscriptFacts {
  readonly video: VideoFacts;
  readonly track: CaptionTrack;
  readonly lines: readonly CaptionLine[];
}

/** What each kind of job keeps beside its record. */
export interface FactsByType {
  readonly captions: TranscriptFacts;
  readonly list: ChannelFacts;
  readonly imgnet_profile: ImgnetProfileFields;
  readonly imgnet_post: PostContent | ReelContent;
  readonly speaker_labels: SpeakerLabels;
}

/** Parts of facts that grow with the length of a recording: they are kept in pieces, as lists are, and read as streams. */
export const LONG_PARTS = ['lines', 'segments', 'turns'] as const;
export type LongPart = (typeof LONG_PARTS)[number];

/** Facts as they are read. */
export type KeptFacts<Facts> = {
  readonly [Key in keyof Facts]: Key extends LongPart
    ? Facts[Key] extends readonly (infer Item)[]
      ? ItemStream<Item>
      : Facts[Key]
    : Facts[Key];
};

/** The items of the lists that jobs keep in pieces, by the list's name. */
export interface ItemsByList {
  readonly videos: ChannelVideo;
  readonly comments: VideoComment;
  readonly posts: PostItem;
  readonly reels: ReelItem;
  /** Of a speaker-label job that runs: one piece with all windows, and a piece with what was heard in each. */
  readonly speech_windows: SpeechWindow;
  readonly speech_results: WindowResult;
}

/** Reads what jobs have kept. */
export interface ContentsReader {
  facts<Type extends keyof FactsByType>(recordId: string): Promise<KeptFacts<FactsByType[Type]> | undefined>;
  /** The pieces of a list, one at a time. */
  pages<List extends keyof ItemsByList>(list: {
    readonly recordId: string;
    readonly name: List;
    readonly pieces: number;
  }): AsyncIterable<readonly ItemsByList[List][]>;
}

/** What a record refers to is not there any more, and no repetition brings it back. */
export class MissingContentsError extends Error {
  override readonly name = 'MissingContentsError';

  constructor(id: string) {
    super(`the contents ${id} are missing`);
  }
}
