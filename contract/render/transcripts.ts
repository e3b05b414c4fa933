import { ItemStream, type Streamable } from '../streams.ts';
import type { ContentsReader, TranscriptFacts } from '../contents.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import type { SuccessRecord } from '../records.ts';
import type { Comment, Transcript } from '../results/transcripts.ts';
import { formatDuration, formatSeconds } from '../times.ts';
import type { VideoComment } from '../vidnet.ts';

/** The transcript result (specification, section 2.7). */
export function renderTranscript(
  record: SuccessRecord,
  facts: TranscriptFacts,
  contents: ContentsReader,
): Streamable<Transcript> {
  const { video, track, lines } = facts;
  const comments = record.lists?.['comments'];
  return {
    status: 'ok',
    video: {
      vidnet_id: video.videoId,
      link: video.link,
      title: video.title,
      ...optional('description', video.description),
      ...optional('publishedAt', video.publishedAt),
      ...optional('duration', video.durationSeconds === undefined ? undefined : formatDuration(video.durationSeconds)),
      ...optional('viewCount', video.viewCount),
      ...optional('likeCount', video.likeCount),
      ...optional('commentCount', video.commentCount),
      ...optional('channelId', video.channelId),
      ...optional('channelName', video.channelName),
      transcriptsWithTimeStamps: lines.map(({ durationSeconds, text, startSeconds }) => ({
        dur: formatSeconds(durationSeconds),
        text,
        start: formatSeconds(startSeconds),
      })),
      transcripts: lines.map(({ text }) => text).join(' '),
      ...(comments === undefined
        ? {}
        : { comments: new ItemStream(() => commentPages(contents, record, comments.pieces)) }),
    },
    track: { language: track.language, kind: track.kind, ...optional('name', track.name) },
    download: {
      id: record.id,
      vidnet_video_id: record.mediaId,
      type: 'captions',
      cost: formatMoney(record.charge),
      status: record.status,
      created_at: record.createdAt,
    },
  };
}

async function* commentPages(
  contents: ContentsReader,
  record: SuccessRecord,
  pieces: number,
): AsyncGenerator<readonly Comment[]> {
  for await (const page of contents.pages({ recordId: record.id, name: 'comments', pieces })) {
    yield page.map(renderComment);
  }
}

function renderComment(comment: VideoComment): Comment {
  return {
    id: comment.id,
    ...optional('author', comment.author),
    ...optional('author_id', comment.authorId),
    text: comment.text,
    ...optional('likes', comment.likes),
    ...optional('published_at', comment.publishedAt),
    ...optional('published_at_is_estimated', comment.publishedAtIsEstimated),
    reply_to: comment.replyTo,
  };
}
