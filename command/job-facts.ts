import type { MediaInfo } from '../clients/typescript/src/index.ts';
import { sizeText } from '../runtime/terminal-progress.ts';
import { oneLine } from './printable.ts';

/** Lists in a result whose items get a line each. */
const LISTED = ['videos', 'posts', 'reels'] as const;
/** Fields that say nothing about the subject. */
const HIDDEN: ReadonlySet<string> = new Set(['status', 'message', 'source', 'list_id', 'download_id']);
const NAME_CHARS = 22;
const MAX_CHARS = 160;

interface Item {
  readonly vidnet_id?: string;
  readonly published_at?: string | null;
  readonly date_posted?: string | null;
  readonly url?: string;
  readonly title?: string;
  readonly description?: string | null;
}

/** Formats a profile, post, list or channel for people: one line per fact, then one per item. */
export function factsText(answer: object): string {
  const facts = Object.entries({ ...answer, ...choicesOf(answer) }).flatMap(([name, value]) => factOf(name, value));
  const lists = answer as Readonly<Partial<Record<(typeof LISTED)[number], readonly Item[]>>>;
  const items = LISTED.flatMap((name) => {
    const rows = lists[name] ?? [];
    // The video URLs of a post are not items.
    return rows.every((row) => typeof row === 'object') ? rows.map(rowOf) : [];
  });
  return [...facts, ...(items.length > 0 && facts.length > 0 ? [''] : []), ...items].join('\n');
}

function choicesOf(answer: object): Readonly<Record<string, string>> {
  const { video_formats, audio_formats, audio_languages, captions, chapters } = answer as Partial<MediaInfo>;
  if (video_formats === undefined) return {};
  const size = (bytes: number | null): string => (bytes === null ? '' : ` (${sizeText(bytes)})`);
  const lines = {
    video_formats: video_formats.map(
      ({ height, frame_rate, container, size: bytes }) =>
        `${String(height ?? '?')}p${String(frame_rate ?? '')} ${container}${size(bytes)}`,
    ),
    audio_formats: audio_formats?.map(({ container, language, size: bytes }) =>
      [language ?? '', `${container}${size(bytes)}`].join(' ').trim(),
    ),
    audio_languages: audio_languages?.map(({ language, is_original }) => language + (is_original ? ' (original)' : '')),
    captions: captions?.map(({ language, kind }) => language + (kind === 'manual' ? '' : ' (automatic)')),
    chapters: chapters?.map(({ title }) => title),
  };
  return Object.fromEntries(Object.entries(lines).map(([name, texts = []]) => [name, texts.join(', ')]));
}

function factOf(name: string, value: unknown): readonly string[] {
  if (HIDDEN.has(name) || value === null || value === '') return [];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  return [`${name.replaceAll('_', ' ').padEnd(NAME_CHARS)}  ${shortened(String(value))}`];
}

function rowOf({ vidnet_id: id, published_at, date_posted, url, title, description }: Item): string {
  const day = (published_at ?? date_posted ?? '').slice(0, 10).padEnd(10);
  return oneLine([day, id ?? url ?? '', shortened(title ?? description ?? '')].join('  ').trimEnd());
}

function shortened(text: string): string {
  const line = oneLine(text).replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}
