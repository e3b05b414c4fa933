import { createTurns } from '../../runtime/subprocess/yield-to-event-loop.ts';

/** One chunk for each line would be one write to the socket for each. */
const CHUNK_CHARS = 16_384;

/** The same text in chunks of a fair size, made in turns with everything else that this process does. */
export async function* paced(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const giveWay = createTurns();
  let held = '';
  for await (const chunk of chunks) {
    held += chunk;
    await giveWay();
    if (held.length < CHUNK_CHARS) continue;
    yield held;
    held = '';
  }
  if (held !== '') yield held;
}
