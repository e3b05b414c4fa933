import { readFile, writeFile } from 'node:fs/promises';
import { clock } from '../contract/text/transcript-formats.ts';

/** A part of a recording, in seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Chapter extends Span {
  readonly title: string;
}

interface FileMetadata {
  /** By ffmpeg's names. */
  readonly tags: Readonly<Record<string, string | undefined>>;
  readonly chapters: readonly Chapter[];
  /** A JPEG. */
  readonly coverPath: string | undefined;
  /** Whether cover and chapters are written as comments, as Ogg files hold them. ffmpeg itself rounds their seconds up. */
  readonly isOgg: boolean;
}

/** Writes tags and chapters in the format of ffmpeg. */
export async function writeMetadata(path: string, { tags, chapters, coverPath, isOgg }: FileMetadata): Promise<void> {
  const comments = chapters.flatMap(({ title, start }, index) => {
    const name = `CHAPTER${String(index).padStart(3, '0')}`;
    return [[name, clock(Math.round(start * 1000), '.')] as const, [`${name}NAME`, title] as const];
  });
  const cover = isOgg && coverPath !== undefined ? pictureBlock(await readFile(coverPath)) : undefined;
  const lines = [
    ';FFMETADATA1',
    ...[...Object.entries(tags), ['METADATA_BLOCK_PICTURE', cover] as const, ...(isOgg ? comments : [])].flatMap(
      ([name, value]) => (value === undefined ? [] : [`${name}=${escaped(value)}`]),
    ),
    ...(isOgg ? [] : chapters).flatMap(({ title, start, end }) => [
      ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${Math.round(start * 1000)}`, `END=${Math.round(end * 1000)}`],
      `title=${escaped(title)}`,
    ]),
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
}

function escaped(text: string): string {
  return text.replaceAll(/[=;#\\\n]/g, String.raw`\$&`);
}

const FRONT_COVER = 3;

/** A picture as FLAC describes it (RFC 9639, section 8.8), in Base64. Sizes of 0 are unknown. */
function pictureBlock(jpeg: Buffer): string {
  const type = 'image/jpeg';
  const header = Buffer.alloc(32 + type.length);
  header.writeUInt32BE(FRONT_COVER, 0);
  header.writeUInt32BE(type.length, 4);
  header.write(type, 8);
  header.writeUInt32BE(jpeg.length, 28 + type.length);
  return Buffer.concat([header, jpeg]).toString('base64');
}

/** @returns what remains of the spans without others */
export function without<Kind extends Span>(spans: readonly Kind[], others: readonly Span[]): readonly Kind[] {
  return others.reduce<readonly Kind[]>(
    (rest, other) =>
      rest.flatMap((span) =>
        [
          { ...span, end: Math.min(span.end, other.start) },
          { ...span, start: Math.max(span.start, other.end) },
        ].filter(({ start, end }) => end > start),
      ),
    spans,
  );
}

export function shifted<Kind extends Span>(spans: readonly Kind[], seconds: number): readonly Kind[] {
  return spans.map((span) => ({ ...span, start: span.start + seconds, end: span.end + seconds }));
}

/** @returns the spans on the time line of a recording of which only some parts, in order, are kept */
export function onKeptTime<Kind extends Span>(spans: readonly Kind[], kept: readonly Span[]): readonly Kind[] {
  const timeOf = (time: number): number =>
    kept.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(time, end) - start), 0);
  return spans
    .map((span) => ({ ...span, start: timeOf(span.start), end: timeOf(span.end) }))
    .filter(({ start, end }) => end > start);
}
