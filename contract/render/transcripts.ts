import type { ContentsReader, KeptFacts, TranscriptFacts } from '../contents.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import type { SuccessRecord } from '../records.ts';
import type { Comment, Transcript } from '../results/transcripts.ts';
import { ItemStream, TextStream, type Streamable } from '../streams.ts';
import { formatDuration, formatSeconds } from '../times.ts';
import type { CaptionLine, VideoComment } from '../vidnet.ts';

/** The transcript result (specification, section 2.7). */
export function renderTranscript(
  record: SuccessRecord,
  facts: KeptFacts<TranscriptFacts>,
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
      transcripts: new TextStream(() => fullText(lines)),
      ...(comments === undefined
        ? {}
        : {
            comments: new ItemStream(() =>
              contents.pages({ recordId: record.id, name: 'comments', pieces: comments.pieces }),
            ).map(renderComment),
          }),
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

async function* fullText(lines: ItemStream<CaptionLine>): AsyncGenerator<string> {
  let separator = '';
  for await (const page of lines.pages()) {
    if (page.length === 0) continue;
    yield separator + page.map(({ text }) => text).join(' ');
    separator = ' ';
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
