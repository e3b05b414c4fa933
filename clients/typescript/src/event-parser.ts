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
