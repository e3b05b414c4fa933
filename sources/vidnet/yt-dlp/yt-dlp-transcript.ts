import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { CAPTIONS_MAX_BYTES } from '../../../contract/request-limits.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { CaptionLine, TranscriptFacts, VideoFacts } from '../../../contract/kinds/transcript-facts.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { rankTracks } from '../captions/choose-track.ts';
import { emptyCaptions, noCaptions } from '../captions/caption-languages.ts';
import { CAPTION_FORMATS, type CaptionFormat } from '../captions/parse-captions.ts';
import { readCaptions } from '../captions/read-captions.ts';
import { broadcastFailure, ytdlpRefusal } from './yt-dlp-failures.ts';
import { readFileBy } from './read-file.ts';
import { runYtdlp } from './run-yt-dlp.ts';
import { readFacts } from './yt-dlp-facts.ts';
import { firstTrackArguments, fetchedSchema, trackListSchema, tracksOf, type YtdlpTrack } from './yt-dlp-tracks.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';
import { toVideoFacts, VIDEO_KEYS, videoSchema } from './yt-dlp-video.ts';

interface WantedCaptions {
  readonly languages: readonly string[];
  readonly page?: string | undefined;
}

export type TranscriptSource = ReturnType<typeof createTranscriptSource>;

/** The page has no captions in the languages, but its other facts are known. */
export class NoCaptionsError extends JobError {
  readonly video: VideoFacts;

  constructor(failure: Failure, video: VideoFacts) {
    super(failure);
    this.video = video;
  }
}

const factsSchema = videoSchema.extend({
  subtitles: trackListSchema,
  automatic_captions: trackListSchema,
  requested_subtitles: fetchedSchema,
  formats: z.array(z.unknown()).catch([]),
});
type Facts = z.infer<typeof factsSchema>;

const TEMPLATE = `video:%(.{${VIDEO_KEYS},subtitles,automatic_captions,requested_subtitles,formats.:.format_id})j`;

export function createTranscriptSource(settings: YtdlpSettings) {
  return {
    /**
     * Reads the best track of the first language that has one, or the next one if it is empty.
     *
     * @param wanted a language, or several with the page of another site; without a page, the ID names a video
     * @throws NoCaptionsError, or JobError for a page that cannot be read
     */
    async fetch(id: string, wanted: string | WantedCaptions, call: SourceCall): Promise<TranscriptFacts> {
      const { languages, page }: WantedCaptions = typeof wanted === 'string' ? { languages: [wanted] } : wanted;
      const { facts, warnings, folder } = await readFacts<Facts>(settings, call, {
        subject: page === undefined ? 'video' : 'page',
        url: page ?? videoUrl(settings, id),
        // A video may have captions though its media cannot be fetched from here.
        args: [
          ...['--playlist-items', '1', '--no-playlist', '--ignore-no-formats-error'],
          ...firstTrackArguments(languages[0], MAX_CAPTIONS_BYTES),
        ],
        extractorArgs: [{ extractor: 'youtube', args: { skip: ['translated_subs'] } }],
        template: TEMPLATE,
        schema: factsSchema,
      });
      const broadcast = broadcastFailure(facts);
      if (broadcast !== undefined) throw broadcast;
      const tracks = tracksOf(facts.subtitles, facts.automatic_captions);
      const ranked = new Set(languages.flatMap((language) => rankTracks(tracks, language)));
      const candidates = [...ranked].slice(0, MAX_TRACKS_READ);
      const video =
        page === undefined
          ? toVideoFacts(settings, id, facts)
          : { ...toVideoFacts(settings, page, facts), videoId: undefined, link: facts.webpage_url ?? page };
      const named = languages.join('`, `');
      if (candidates.length === 0)
        throw refusalWithout(tracks, { facts, warnings }) ?? new NoCaptionsError(noCaptions(tracks, named), video);
      const fetched = new Set(Object.values(facts.requested_subtitles).map(({ url }) => url));
      for (const [index, track] of candidates.entries()) {
        const from =
          index === 0 && track.files.some(({ url }) => fetched.has(url))
            ? folder
            : await fetchTrack(settings, { ...call, folder }, track);
        const lines = await readLines(from, track, call);
        if (lines.length === 0) continue;
        const { language: trackLanguage, kind, name } = track;
        return {
          video,
          track: { language: trackLanguage, kind, name },
          lines: lines.map((line) => endedBy(facts.duration, line)),
        };
      }
      throw new NoCaptionsError(emptyCaptions(candidates.length, named), video);
    },
  };
}

/** An author may leave a track empty. Each track that is read takes one more request to the platform. */
const MAX_TRACKS_READ = 3;

/** The times of the words take several times as much as the words. */
const MAX_CAPTIONS_BYTES = 8 * CAPTIONS_MAX_BYTES;

function refusalWithout(
  tracks: readonly YtdlpTrack[],
  { facts, warnings }: { readonly facts: Facts; readonly warnings: string },
): JobError | undefined {
  const refusal = ytdlpRefusal(warnings, 'video');
  const showsNothing = tracks.length === 0 && facts.formats.length === 0;
  return showsNothing || refusal?.code === 'tool_missing' ? refusal : undefined;
}

/** yt-dlp fetches the track, so that the operator's proxy, cookies and limits hold for captions too. */
async function fetchTrack(settings: YtdlpSettings, call: SourceCall, track: YtdlpTrack): Promise<string> {
  // Without a webpage_url: with one, yt-dlp answers a refusal by asking for the whole page again.
  const info = {
    _type: 'video',
    id: 'track',
    title: 'track',
    extractor: 'track',
    extractor_key: 'Track',
    formats: [],
    subtitles: { und: track.files },
  };
  // Of its own: yt-dlp keeps a file that an earlier track has left.
  const folder = await mkdtemp(join(call.folder, 'track-'));
  await writeFile(join(folder, 'track.info.json'), JSON.stringify(info));
  await runYtdlp(
    settings,
    { ...call, folder },
    {
      subject: 'video',
      args: [
        ...['--load-info-json', 'track.info.json', '--skip-download', '--ignore-no-formats-error'],
        // Otherwise captions that are refused are a mere warning, and the exit code is 0.
        '--no-ignore-errors',
        ...['--write-subs', '--sub-langs', 'all', '--sub-format', CAPTION_FORMATS.join('/')],
        ...['--max-filesize', String(MAX_CAPTIONS_BYTES), '--output', 'track.%(ext)s'],
      ],
      maxFileBytes: MAX_CAPTIONS_BYTES,
    },
  );
  return folder;
}

/** @param folder with the one file of captions that a run has written */
async function readLines(
  folder: string,
  { kind }: YtdlpTrack,
  call: Pick<SourceCall, 'signal'>,
): Promise<readonly CaptionLine[]> {
  const { path, format } = await findFile(folder);
  const lines: CaptionLine[] = [];
  for await (const page of readFileBy(readCaptions, { path, format, kind }, call)) lines.push(...page);
  return lines;
}

/** Ends a caption with the video. A caption that begins later shows that the stated length is wrong, so it is unchanged. */
function endedBy(videoSeconds: number | undefined, line: CaptionLine): CaptionLine {
  const leftSeconds = Math.ceil(videoSeconds ?? Infinity) - line.startSeconds;
  return leftSeconds > 0 && leftSeconds < line.durationSeconds ? { ...line, durationSeconds: leftSeconds } : line;
}

async function findFile(folder: string): Promise<{ path: string; format: CaptionFormat }> {
  const names = await readdir(folder);
  for (const format of CAPTION_FORMATS) {
    const name = names.find((each) => each.endsWith(`.${format}`));
    const path = name === undefined ? undefined : join(folder, name);
    // Facts may be larger, and are written by the same run.
    if (path !== undefined && (await stat(path)).size <= MAX_CAPTIONS_BYTES) return { path, format };
  }
  // --max-filesize ends with exit code 0 and no file.
  throw new JobError('captionsTooLarge');
}
