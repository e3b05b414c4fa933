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

/** Removes characters with a meaning for file systems or terminals, and invisible ones: control and direction characters. */
function safe(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .replace(/[/\\:*?"<>|]+/g, '_')
    .trim();
}

export function shortened(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept.trim();
}
