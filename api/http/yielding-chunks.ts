import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';

/** Small chunks are joined, because each chunk is a write to the socket. */
const CHUNK_CHARS = 16_384;

export async function* yieldingChunks<Other = never>(
  chunks: AsyncIterable<string | Other>,
): AsyncGenerator<string | Other> {
  const yieldToEventLoop = createYielder();
  let held = '';
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') held += chunk;
    await yieldToEventLoop();
    if (held !== '' && (held.length >= CHUNK_CHARS || typeof chunk !== 'string')) {
      yield held;
      held = '';
    }
    if (typeof chunk !== 'string') yield chunk;
  }
  if (held !== '') yield held;
}
