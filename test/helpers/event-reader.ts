/** An event as an EventSource gives it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventReader = Awaited<ReturnType<typeof readEvents>>;

/** Reads server-sent events as a browser does, without coming again by itself. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}) {
  const left = new AbortController();
  const response = await fetch(url, { headers, signal: left.signal });
  const reader = {
    status: response.status,
    headers: response.headers,
    /** The events that have arrived. */
    received: [] as ReceivedEvent[],
    /** The ID with which a reader reconnects. */
    lastEventId: '',
    text: '',
    /** How the stream ended: by itself, or cut. */
    end: undefined as 'whole' | 'cut' | undefined,
    leave: () => left.abort(),
  };
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      reader.text += chunk;
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(reader, block);
    }
  };
  const over = read().then(
    () => (reader.end = 'whole'),
    () => (reader.end = 'cut'),
  );
  return Object.assign(reader, { over });
}

function take(reader: { received: ReceivedEvent[]; lastEventId: string }, block: string): void {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  reader.lastEventId = field('id') ?? reader.lastEventId;
  const data = field('data');
  if (data !== undefined)
    reader.received.push({ id: reader.lastEventId, data: JSON.parse(data) as ReceivedEvent['data'] });
}
