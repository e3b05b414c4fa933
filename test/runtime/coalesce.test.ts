import { expect, it } from 'vitest';
import { coalesce } from '../../runtime/coalesce.ts';

function aRead() {
  const pending: {
    readonly key: string;
    readonly end: (value: number) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const read = coalesce(
    (key: string) => new Promise<number>((resolve, reject) => pending.push({ key, end: resolve, fail: reject })),
  );
  return { pending, read };
}

it('answers calls that arrive during a call by one that begins after them', async () => {
  const { pending, read } = aRead();
  const first = read('a');
  const others = [read('a'), read('a')];
  expect(pending.map(({ key }) => key)).toEqual(['a']);
  pending[0]!.end(1);
  expect(await first).toBe(1);
  await expect.poll(() => pending.length).toBe(2);
  pending[1]!.end(2);
  expect(await Promise.all(others)).toEqual([2, 2]);
  void read('a');
  expect(pending).toHaveLength(3);
});

it('keeps calls for different keys apart', async () => {
  const { pending, read } = aRead();
  const both = [read('a'), read('b')];
  pending[1]!.end(2);
  pending[0]!.end(1);
  expect(await Promise.all(both)).toEqual([1, 2]);
});

it('begins the next call also after one that fails', async () => {
  const { pending, read } = aRead();
  const [first, second] = [read('a'), read('a')];
  pending[0]!.fail(new Error('the database is away'));
  await expect(first).rejects.toThrow('the database is away');
  await expect.poll(() => pending.length).toBe(2);
  pending[1]!.end(2);
  expect(await second).toBe(2);
});
