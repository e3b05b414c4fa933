import type { VideoComment } from '../../contract/kinds/transcript.ts';
import type { SourceCall } from '../source-call-options.ts';

/** Where comments come from: yt-dlp, or the Data API when the operator has a key. */
export interface CommentSource {
  /**
   * The comments of a video, at most `max` in all: threads newest first, each followed by its replies, oldest first. So
   * a list that is cut within a thread has lost the newest replies. None when comments are turned off.
   *
   * @throws JobError `removed`, and upstream's refusals
   */
  pages(videoId: string, max: number, call: SourceCall): AsyncIterable<readonly VideoComment[]>;
}
