import type { CommentSource } from '../comment-source.ts';
import { subjectError, ytdlpRefusal } from './yt-dlp-failures.ts';
import { PAGE_LIMITS } from './run-yt-dlp.ts';
import { readComments } from './read-comments.ts';
import { readFileBy } from './read-file.ts';
import { writeFacts } from './yt-dlp-facts.ts';
import { videoUrl, type ReadingLimits, type YtdlpSettings } from './yt-dlp-settings.ts';

const COMMENT_KEYS = 'id,parent,text,author,author_id,like_count,timestamp,_time_text';
const TEMPLATE = `video:{"comments":%(comments.:.{${COMMENT_KEYS}})j,"formats":%(formats.:.format_id)j}`;

/** The limits of a page are raised once for so many comments. */
const COMMENTS_PER_PAGE_LIMIT = 250;

function readingOf(max: number): ReadingLimits {
  const pages = 1 + max / COMMENTS_PER_PAGE_LIMIT;
  const { timeoutMs, maxCpuSeconds, maxBytes } = PAGE_LIMITS;
  return { timeoutMs: pages * timeoutMs, maxCpuSeconds: pages * maxCpuSeconds, maxBytes: pages * maxBytes };
}

/** Without the second argument, yt-dlp also writes all facts to another file. */
const COMMENTS_ONLY = ['--write-comments', '--no-write-info-json'];

/** Comments in the order of the platform's pages, which the operator's extractor arguments may change. */
export function createYtdlpComments(settings: YtdlpSettings): CommentSource {
  return {
    async *pages(videoId, max, call) {
      const { path, warnings } = await writeFacts(settings, call, {
        subject: 'video',
        url: videoUrl(settings, videoId),
        args: ['--playlist-items', '1', '--no-playlist', '--ignore-no-formats-error', ...COMMENTS_ONLY],
        // Without the second argument, a failed page ends the list with only a warning.
        extractorArgs: [{ extractor: 'youtube', args: { max_comments: [String(max)], raise_incomplete_data: [] } }],
        template: TEMPLATE,
        reading: readingOf(max),
      });
      for await (const read of readFileBy(readComments, { path, max }, call)) {
        if ('page' in read) {
          yield read.page;
          continue;
        }
        if (!read.isReadable) throw subjectError('pageUnreadable', 'video');
        const refusal = ytdlpRefusal(warnings, 'video');
        if (read.showsNothing && refusal !== undefined) throw refusal;
      }
    },
  };
}
