import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';

/** Small chunks are joined, because each chunk is a write to the socket. */
const CHUNK_CHARS = 16_384;

export async function* yieldingChunks(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const yieldToEventLoop = createYielder();
  let held = '';
  for await (const chunk of chunks) {
    held += chunk;
    await yieldToEventLoop();
    if (held.length < CHUNK_CHARS) continue;
    yield held;
    held = '';
  }
  if (held !== '') yield held;
}
