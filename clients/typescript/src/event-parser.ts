import { TapedeckError } from './client-errors.ts';

/** The longest events carry a list of up to 40 MB. */
const MAX_EVENT_CHARS = 128 * 1024 ** 2;

/**
 * Parses server-sent events (WHATWG HTML, section 9.2) from chunks of a stream in linear time. An `EventSource` cannot
 * send an API key, so the stream is read with `fetch`.
 * @param onId called with each ID, including IDs without an event
 * @returns a function that takes a chunk of text and returns the data of the events that it completes
 * @throws TapedeckError for a line or event that is longer than any of the service
 */
export function createEventParser(
  onId?: (id: string) => void,
  maxChars = MAX_EVENT_CHARS,
): (piece: string) => readonly string[] {
  /** The chunks of a line whose end has not arrived. */
  let open: string[] = [];
  let data: string[] = [];
  let heldChars = 0;
  let endedInCr = false;
  let id: string | undefined;
  const takeLine = (line: string): string | undefined => {
    if (line === '') {
      if (id !== undefined) onId?.(id);
      const event = data.length === 0 ? undefined : data.join('\n');
      data = [];
      heldChars = 0;
      return event;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  };
  return (piece) => {
    if (piece === '') return [];
    // A line ends with CR, LF or CRLF. An LF at the start of a chunk belongs to a CR at the end of the previous chunk.
    const lines = piece.slice(endedInCr && piece.startsWith('\n') ? 1 : 0).split(/\r\n|[\r\n]/);
    endedInCr = piece.endsWith('\r');
    const rest = lines.pop() ?? '';
    const events: string[] = [];
    for (const line of lines) {
      heldChars += line.length + 1;
      const event = takeLine(open.join('') + line);
      open = [];
      if (event !== undefined) events.push(event);
    }
    heldChars += rest.length;
    if (rest !== '') open.push(rest);
    if (heldChars > maxChars) {
      throw new TapedeckError('The service sent an event that is too long.', { code: 'unexpected_answer' });
    }
    return events;
  };
}

/** The service sends at least a comment every 15 seconds. */
const SILENT_MS = 45_000;

/**
 * Yields the data of each event of a stream.
 * @param onId called with the ID of each event
 * @throws TypeError when the stream is cut off or silent for too long; TapedeckError for an event that is too long
 */
export async function* textsOf(
  stream: ReadableStream<Uint8Array>,
  onId?: (id: string) => void,
): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const parse = createEventParser(onId);
  try {
    for (;;) {
      const { value } = await withinSilence(reader.read());
      if (value === undefined) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    // A body that was cut off cannot be cancelled.
    await reader.cancel().catch(() => undefined);
  }
}

async function withinSilence<Value>(read: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TypeError('The stream of events is silent.')), SILENT_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
