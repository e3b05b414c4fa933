import { expect, it, vi } from 'vitest';
import { printItems } from '../../command/list-jobs.ts';
import type { Display } from '../../command/display.ts';
import { EXIT } from '../../command/exit-codes.ts';
import type { Service } from '../../command/reach-service.ts';

/** @param pages by cursor; the first has none */
async function itemsOf(ids: readonly string[], pages: Readonly<Record<string, object>>) {
  const requested: unknown[] = [];
  const lines: string[] = [];
  const notes: string[] = [];
  const send = vi.fn((_method: string, path: string, { query }: { query: Record<string, string> }) => {
    requested.push([path, query]);
    return Promise.resolve(pages[query['cursor'] ?? ''] ?? {});
  });
  const service = { send, signal: new AbortController().signal } as unknown as Service;
  const display = { print: (line: string) => lines.push(line), note: (text: string) => notes.push(text) };
  const code = await printItems({ service, display: display as unknown as Display }, { ids, isJson: false });
  return { code, requested, lines, notes };
}

it('prints the items of all pages of a list', async () => {
  const { code, requested, lines } = await itemsOf(['A'], {
    '': { status: 'success', videos: [{ id: 1 }, { id: 2 }], next_cursor: 'c' },
    c: { status: 'success', videos: [{ id: 3 }], next_cursor: null },
  });
  expect([code, lines]).toEqual([EXIT.success, ['{"id":1}', '{"id":2}', '{"id":3}']]);
  const path = '/api/downloads/A/result';
  expect(requested).toEqual([
    [path, { limit: '500' }],
    [path, { limit: '500', cursor: 'c' }],
  ]);
});

it.each([
  [{ status: 'pending', message: 'It runs.' }, 'A: The job has not ended.'],
  [{ status: 'failed', message: 'The channel was removed.' }, 'A: The channel was removed.'],
])('reports why there are no items: %j', async (answer, note) => {
  expect(await itemsOf(['A'], { '': answer })).toMatchObject({ code: EXIT.failure, lines: [], notes: [note] });
});
