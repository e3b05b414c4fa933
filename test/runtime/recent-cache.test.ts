import { describe, expect, it } from 'vitest';
import { createRecentCache } from '../../runtime/recent-cache.ts';

describe('a cache of recent values', () => {
  it('keeps a value for its time, and returns it if it is new enough', () => {
    let nowMs = 0;
    const cache = createRecentCache<string>({ keptMs: 5_000, most: 10, now: () => nowMs });
    expect(cache.keep('tea', 'green')).toBe('green');
    nowMs = 4_999;
    expect([cache.get('tea'), cache.get('tea', 4_999), cache.get('tea', 5_000), cache.get('tea', 0)]).toEqual([
      ...['green', undefined, 'green', undefined],
    ]);
    nowMs = 5_000;
    expect(cache.get('tea')).toBeUndefined();
  });

  it('replaces a value, and its time starts again', () => {
    let nowMs = 0;
    const cache = createRecentCache<string>({ keptMs: 5_000, most: 10, now: () => nowMs });
    cache.keep('tea', 'green');
    nowMs = 4_000;
    cache.keep('tea', 'black');
    nowMs = 8_000;
    expect(cache.get('tea')).toBe('black');
    cache.forget('tea');
    expect(cache.get('tea')).toBeUndefined();
  });

  it('evicts the oldest value when it is full', () => {
    const cache = createRecentCache<number>({ keptMs: 5_000, most: 1_000, now: () => 0 });
    for (let n = 0; n <= 1_000; n += 1) cache.keep(String(n), n);
    expect([cache.get('0'), cache.get('1'), cache.get('1000')]).toEqual([undefined, 1, 1_000]);
  });
});
