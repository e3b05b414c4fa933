import { useRef } from 'preact/hooks';
import type { DownloadList } from '../../../contract/kinds/kinds.ts';
import type { Transcript as CaptionsBody } from '../../../contract/kinds/transcript.ts';
import { read } from '../console-api.ts';
import { countText, dateText, secondsOfClock } from '../format-values.ts';
import { pathTo } from '../router.ts';
import type { Download } from '../types.ts';
import { languageName } from '../ui/language-field.tsx';
import { Card, Facts, Loaded, ExternalLink, Text } from '../ui/parts.tsx';
import { Comments } from './comments.tsx';
import { Exports } from './exports.tsx';
import { speakersOf, type Line } from './transcript-lines.ts';
import { Sound } from './sound.tsx';
import { TranscriptView } from './transcript-view.tsx';

type CaptionComment = NonNullable<CaptionsBody['video']['comments']>[number];
const SHOWN_COMMENTS = 200;

/** The captions of a video. If its audio was fetched too, they follow its playback. */
export function Captions({ record: { id } }: { readonly record: Download }) {
  return (
    <Loaded load={(signal) => loadCaptions(id, signal)} dependsOn={[id]} what="Loading the captions">
      {(captions) => <CaptionsView {...captions} />}
    </Loaded>
  );
}

async function loadCaptions(id: string, signal: AbortSignal) {
  const body = await read<CaptionsBody>(`/api/downloads/${id}/result`, signal);
  const lines = body.video.transcriptsWithTimeStamps.map(({ text, start, dur, speaker }): Line => {
    return { text, speaker, start: Number(start), duration: Number(dur) };
  });
  const { vidnet_id: videoId } = body.video;
  if (videoId === null) return { id, body, lines, audio: undefined };
  const query = `type=audio&status=success&limit=1&media_id=${encodeURIComponent(videoId)}`;
  const { downloads } = await read<DownloadList>(`/api/downloads?${query}`, signal);
  return { id, body, lines, audio: downloads[0] };
}

function CaptionsView({ id, body, lines, audio }: Awaited<ReturnType<typeof loadCaptions>>) {
  const media = useRef<HTMLAudioElement>(null);
  const { video, track, source } = body;
  const { comments } = video;
  const last = lines.at(-1);
  const durationSeconds =
    video.duration === null ? (last?.start ?? 0) + (last?.duration ?? 1) : secondsOfClock(video.duration);
  return (
    <>
      <Card
        title={track.kind === 'speech' ? 'Transcript' : 'Captions'}
        end={
          <span class="quiet">
            {languageName(track.language) ?? track.language}
            {track.kind === 'automatic' ? ', recognised by the platform' : ''}
          </span>
        }
      >
        <Facts
          facts={[
            ['Channel', video.channelName],
            ['Published', video.publishedAt === null ? null : dateText(video.publishedAt)],
            ['Views', video.viewCount === null ? null : countText(video.viewCount)],
            ['Likes', video.likeCount === null ? null : countText(video.likeCount)],
            ['Comments', video.commentCount === null ? null : countText(video.commentCount)],
            ['Page', <ExternalLink url={video.link}>Open on the platform</ExternalLink>],
          ]}
        />
        {source?.reason === undefined ? null : <p dir="auto">{source.reason}</p>}
        {source?.download_id === undefined ? null : (
          <p>
            <a href={pathTo('job', { id: source.download_id })}>The transcript with its speakers and its sound</a>
          </p>
        )}
        {audio === undefined ? (
          <p class="quiet">
            <a href={pathTo('home', { q: video.vidnet_id ?? video.link })}>Fetch its audio</a> too, and the captions
            follow it.
          </p>
        ) : (
          <Sound media={media} audio={audio} lines={lines} durationSeconds={durationSeconds} />
        )}
        <TranscriptView lines={lines} speakers={speakersOf({ lines, voiceSegments: [] })} names={{}} media={media} />
        <Exports
          path={`/api/transcripts/${id}`}
          formats={['srt', 'vtt', 'txt']}
          fileName={`${video.vidnet_id ?? 'transcript'}.${track.language}`}
        />
        {video.description ? (
          <details class="more">
            <summary>Description</summary>
            <Text>{video.description}</Text>
          </details>
        ) : null}
      </Card>
      {comments === undefined ? null : (
        <Card title={`${countText(comments.length)} comments`}>
          <Comments comments={comments.slice(0, SHOWN_COMMENTS).map(commentOf)} />
          {comments.length > SHOWN_COMMENTS ? (
            <p class="quiet">The first {SHOWN_COMMENTS} are shown; the API returns all.</p>
          ) : null}
        </Card>
      )}
    </>
  );
}

function commentOf({ author, published_at: time, likes, text, reply_to: parent }: CaptionComment) {
  return { author, time, likes, text, isReply: parent !== null };
}
