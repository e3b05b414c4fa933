import { readFile, writeFile } from 'node:fs/promises';
import type { Span } from './time-spans.ts';

export interface Chapter extends Span {
  readonly title: string;
}

interface FileMetadata {
  /** By ffmpeg's names. */
  readonly tags: Readonly<Record<string, string | undefined>>;
  readonly chapters: readonly Chapter[];
  /** A JPEG that is written as a comment, as Ogg files hold covers. */
  readonly commentCover?: string | undefined;
}

/** Writes tags and chapters in the format of ffmpeg. */
export async function writeMetadata(path: string, { tags, chapters, commentCover }: FileMetadata): Promise<void> {
  const cover: FileMetadata['tags'] =
    commentCover === undefined ? {} : { METADATA_BLOCK_PICTURE: pictureBlock(await readFile(commentCover)) };
  const lines = [
    ';FFMETADATA1',
    ...Object.entries({ ...tags, ...cover }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${escaped(value)}`],
    ),
    ...chapters.flatMap(({ title, start, end }) => [
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
