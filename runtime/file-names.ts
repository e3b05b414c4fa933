/** The limit of a file name in most file systems. */
export const MAX_NAME_BYTES = 255;
/** The limits of the ID and the ending in a file name; the title gets the rest. */
const MAX_PART_BYTES = 60;

export interface Naming {
  readonly title: string | undefined;
  readonly id: string;
  /** The ending with its dot; text before the dot distinguishes variants. */
  readonly ending: string;
}

/** Returns a file name that every system accepts, no shell reads as an option, and that cannot lead to another folder. */
export function fileNameOf({ title, id, ending }: Naming): string {
  const tail = shortened(safe(ending), MAX_PART_BYTES);
  const mark = title === undefined ? '' : ` [${shortened(safe(id), MAX_PART_BYTES)}]`;
  const room = MAX_NAME_BYTES - Buffer.byteLength(mark + tail);
  const head = shortened(safe(title ?? id), room).replace(/^[\s.~-]+/, '') || '_';
  return `${head}${mark}${tail}`;
}

/** The longest name of a file that is made from a template, in bytes. */
const TEMPLATE_MAX_BYTES = 200;
/** Names of devices, with any ending. */
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?=\s*(?:\.|$))/i;

/** @returns a file name that Windows, macOS and Linux accept */
export function safeFileName(text: string, ending: string): string {
  const room = TEMPLATE_MAX_BYTES - Buffer.byteLength(ending);
  const head = shortened(safe(text), room - 1).replace(/^[\s.~-]+|(?<![\s.])[\s.]+$/g, '') || '_';
  return `${head.replace(RESERVED_ON_WINDOWS, '$&_')}${ending}`;
}

/** Removes characters with a meaning for file systems or terminals, and invisible ones except those that join letters and emoji. */
function safe(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{C}/gu, '')
    .replace(/[/\\:*?"<>|]+/g, '_')
    .trim();
}

export function shortened(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  // A character may consist of several code points.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    size += Buffer.byteLength(segment);
    if (size > bytes) break;
    kept += segment;
  }
  return kept.trim();
}
