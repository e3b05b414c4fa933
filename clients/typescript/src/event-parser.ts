/** One server-sent event, as the HTML standard parses a stream of them. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * Parses a stream that comes in pieces. An `EventSource` cannot send an API key, so the stream is read by `fetch`.
 *
 * @param onId told of each id, also where no event comes with it
 * @returns takes a piece of the text, and gives the events that are complete with it
 */
export function createEventParser(onId?: (id: string) => void): (piece: string) => readonly ServerEvent[] {
  let rest = '';
  let type = '';
  let data: string[] = [];
  let id: string | undefined;
  const takeLine = (line: string): ServerEvent | undefined => {
    if (line === '') {
      if (id !== undefined) onId?.(id);
      const event = data.length === 0 ? undefined : { type: type === '' ? 'message' : type, data: data.join('\n'), id };
      type = '';
      data = [];
      return event;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  };
  return (piece) => {
    // A line may end in CR, LF or both; what follows a CR at the end of a piece is known with the next one.
    const text = rest + piece;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => takeLine(line) ?? []);
  };
}

/** The service sends something every 15 seconds. */
const SILENT_MS = 45_000;

/**
 * The data of each event of a stream.
 *
 * @param onId told of the id of each event
 * @throws TypeError when it is cut, or silent for so long that it must be lost
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
      for (const { data } of parse(decoder.decode(value, { stream: true }))) yield data;
    }
  } finally {
    // What was cut already cannot be cancelled.
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
