import { describe, expect, it, vi } from 'vitest';
import { awaitEngine } from '../../../runtime/subprocess/await-engine.ts';

const setting = (timeoutMs: number) => {
  const log = { info: vi.fn(), warn: vi.fn() };
  return { name: 'MongoDB', setting: 'MONGODB_URI', timeoutMs, log };
};

describe('the wait for an engine', () => {
  it('says for what it waits, and goes on when it is there', async () => {
    const options = setting(10_000);
    const reach = vi.fn().mockRejectedValueOnce(new Error('connection refused')).mockResolvedValue('reached');
    expect(await awaitEngine(options, reach)).toBe('reached');
    expect(options.log.warn).toHaveBeenCalledExactlyOnceWith(
      'waiting for MongoDB (MONGODB_URI), for up to 10 s: connection refused',
    );
    expect(options.log.info).toHaveBeenCalledExactlyOnceWith('MongoDB answers');
  });

  it('says nothing when there is nothing to wait for', async () => {
    const options = setting(10_000);
    await awaitEngine(options, () => Promise.resolve());
    expect([options.log.info, options.log.warn].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it('ends with the name of the setting when the time is over', async () => {
    const reach = vi.fn().mockRejectedValue(new Error('connection refused'));
    const waiting = awaitEngine(setting(600), reach);
    await expect(waiting).rejects.toThrow(/^MONGODB_URI: MongoDB cannot be used, .*connection refused$/);
    expect(reach.mock.calls.length).toBeGreaterThan(1);
  });

  it('does not wait where that cannot help', async () => {
    const reach = vi.fn().mockRejectedValue(new Error('wrong password'));
    await expect(awaitEngine({ ...setting(60_000), isFinal: () => true }, reach)).rejects.toThrow('wrong password');
    expect(reach).toHaveBeenCalledOnce();
  });
});
