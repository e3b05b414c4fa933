import { expect, it, vi } from 'vitest';
import { createExportPlaces } from '../../api/export-places.ts';

async function* letters(): AsyncGenerator<string> {
  for (const letter of 'abc') yield await Promise.resolve(letter);
}
const textOf = async (chunks: AsyncGenerator<string>): Promise<string> => {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
};

it('a file waits for its place, and has it when another one is whole', async () => {
  const places = createExportPlaces(1, 60_000);
  const first = await places.enter(letters);
  const second = places.enter(letters);
  expect(await textOf(first)).toBe('abc');
  expect(await textOf(await second)).toBe('abc');
});

it('a file that waits too long is refused, with the time to ask again', async () => {
  const places = createExportPlaces(1, 10);
  const first = await places.enter(letters);
  await expect(places.enter(letters)).rejects.toMatchObject({ code: 'unavailable', extras: { retryAfterSeconds: 5 } });
  await first.next();
  // Who leaves in the midst of it gives the place back too, once.
  await first.return(undefined);
  await first.return(undefined);
  const next = await places.enter(letters);
  await expect(places.enter(letters)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await textOf(next)).toBe('abc');
});

it('a reader that takes nothing holds no place for long', async () => {
  vi.useFakeTimers();
  try {
    const places = createExportPlaces(1, 60_000);
    await places.enter(letters);
    const second = places.enter(letters);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await textOf(await second)).toBe('abc');
  } finally {
    vi.useRealTimers();
  }
});
