/** A CR before an LF belongs to the same line break. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Removes characters that control a terminal or the direction of writing, which texts of third parties may contain. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_C}/gu, '');
}

/** Does the same for a single line, so that no text can imitate a line of this program. */
export function oneLine(text: string): string {
  return printable(text.replace(LINE_BREAK, ' '));
}

/** Returns JSON in which these characters are escaped, so that the value stays complete. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u2028\u2029]|\p{Bidi_C}/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
