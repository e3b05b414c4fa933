import type { VideoComment } from '../../contract/kinds/transcript-facts.ts';
import type { SourceCall } from '../source-call-options.ts';

/** The source of comments: yt-dlp, or the Data API if the operator has a key. */
export interface CommentSource {
  /** Threads are newest first, each followed by its replies, oldest first. There are none when comments are disabled. */
  pages(videoId: string, max: number, call: SourceCall): AsyncIterable<readonly VideoComment[]>;
}
