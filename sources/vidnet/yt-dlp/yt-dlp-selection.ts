import { z } from 'zod';
import { DEFAULT_CONTAINERS } from '../../../contract/media-option-values.ts';
import type { MediaOptions } from '../../../contract/kinds/media-options.ts';
import type { MediaPage } from '../../../contract/kinds/media.ts';
import { amountSchema, chaptersSchema, lineSchema, oneLine } from '../fact-schemas.ts';
import { AUDIO_FORMATS, PROTOCOLS, SOUND_ORDER, videoFormats, type YtdlpSelection } from './yt-dlp-arguments.ts';

/** Expressions for yt-dlp's names of codecs. */
const CODECS = { h264: '^(avc|h264)', hevc: '^(hev|hvc|h265|hevc)', vp9: '^vp0?9', av1: '^av0?1' } as const;
const SOUND_CODECS: Readonly<Record<string, string>> = { opus: 'acodec:opus', mp3: 'acodec:mp3', flac: 'acodec:flac' };
/** What ffmpeg reads of a broadcast. */
const LIVE_PROTOCOLS = {
  start: '[protocol^=m3u8][url~="^https?://"]',
  now: '[protocol~="^(https?|m3u8|m3u8_native|http_dash_segments)$"][url~="^https?://"]',
} as const;

export function selectionOf({ format, options = {} }: Omit<MediaPage, 'url'>, maxVideoHeight: number): YtdlpSelection {
  const { max_height = maxVideoHeight, container = DEFAULT_CONTAINERS[format], section, live } = options;
  const language = options.sound_language;
  const height = Math.min(max_height, maxVideoHeight);
  const sound = language === undefined ? '' : `[language~='(?i)^${language}(-(?!desc)|$)']`;
  const formats = format === 'audio' ? AUDIO_FORMATS + sound : videosOf(options, height, sound);
  const order = SOUND_CODECS[container];
  return {
    formats: live === undefined ? formats : formats.replaceAll(PROTOCOLS, LIVE_PROTOCOLS[live.from]),
    soundOrder: order === undefined ? SOUND_ORDER : SOUND_ORDER.map((part) => part.replace('aext:m4a', order)),
    more: [
      ...(section === undefined ? [] : sectionArguments(section)),
      ...(options.wait_for_start === true ? ['--ignore-no-formats-error'] : []),
      ...(live === undefined ? [] : ['--no-match-filters', '--match-filters', 'is_live']),
      ...(live?.from === 'start' ? ['--live-from-start'] : []),
      ...embeddedArguments(options),
    ],
  };
}

function videosOf({ container, codec }: MediaOptions, height: number, sound: string): string {
  const limit = `[height<=?${String(height)}]${PROTOCOLS}`;
  const pairOf = (pictures: string, more = ''): string =>
    `bv${pictures}${limit}+ba${more}${sound}${PROTOCOLS}/b${pictures}${more}${sound}${limit}`;
  const preferred = codec === undefined ? [] : [`[vcodec~='${CODECS[codec]}']`];
  if (container === 'webm') return [...preferred, ''].map((one) => pairOf(`${one}[ext=webm]`, '[ext=webm]')).join('/');
  // Of a page on which all pictures are taller, the lowest are taken.
  const lowest = `wv${PROTOCOLS}+ba${sound}${PROTOCOLS}/w${sound}${PROTOCOLS}`;
  const usual = container === 'mkv' || sound !== '' ? pairOf('') : videoFormats(height);
  return [...preferred.map((one) => pairOf(one)), usual, lowest].join('/');
}

function sectionArguments({ from = 0, to, chapter }: NonNullable<MediaOptions['section']>): readonly string[] {
  const range = chapter === undefined ? `*${from}-${to ?? 'inf'}` : `^\\s*${escaped(chapter)}\\s*$`;
  return ['--download-sections', range];
}

/** Titles are shown with single spaces. */
function escaped(text: string): string {
  return oneLine(text)
    .replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`)
    .replaceAll(' ', String.raw`\s+`);
}

export const COVER_NAME = 'cover.';
export const CAPTIONS_NAME = 'captions.';
export const DETAILS_PREFIX = 'TAPEDECK-DETAILS ';

const LINES = [
  ...(['title', 'track', 'artist', 'album', 'creator', 'uploader', 'channel', 'webpage_url'] as const),
  ...(['language', 'release_date', 'upload_date'] as const),
];

/** What a page says about its media, for the tags and the name of a file. */
export const detailsSchema = z.object({
  ...(Object.fromEntries(LINES.map((name) => [name, lineSchema])) as Record<(typeof LINES)[number], typeof lineSchema>),
  height: amountSchema,
  section_start: amountSchema,
  section_end: amountSchema,
  chapters: chaptersSchema,
});
export type MediaDetails = z.infer<typeof detailsSchema>;
const DETAILS = `before_dl:${DETAILS_PREFIX}%(.{${Object.keys(detailsSchema.shape).join(',')}})j`;

function embeddedArguments({ embed = [] }: MediaOptions): readonly string[] {
  const cover = ['--write-thumbnail', '--output', `thumbnail:${COVER_NAME}%(ext)s`];
  const captions = '--write-subs --sub-langs all,-live_chat --sub-format vtt/srt --output'.split(' ');
  return [
    ...['--print', DETAILS],
    ...(embed.includes('cover') ? cover : []),
    ...(embed.includes('captions') ? [...captions, `subtitle:${CAPTIONS_NAME}%(ext)s`] : []),
  ];
}
