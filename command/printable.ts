/** A CR before an LF belongs to the same break. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * A text of several lines without the characters that a terminal obeys or that change the direction of writing. Everything
 * that the service sends may hold them: titles, captions and messages are written by others.
 */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_C}/gu, '');
}

/** The same on a single line, so that no text can pass for a line of ours. */
export function oneLine(text: string): string {
  return printable(text.replace(LINE_BREAK, ' '));
}

/** JSON in which such characters are escaped, so that it keeps all of the value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u2028\u2029]|\p{Bidi_C}/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
