import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPauseView } from '../../runtime/pause-view.ts';
import { createRouteCommands } from '../../worker/routes/commands.ts';
import { UsageError } from '../../runtime/operator-command.ts';
import { pass, workerWith } from '../helpers/busy-worker.ts';
import { memoryPacing } from '../helpers/memory-pacing.ts';

const MINUTE_MS = 60_000;
const REASON = 'The address is being changed.';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => void vi.useRealTimers());

function operator(store = memoryPacing()) {
  const commands = createRouteCommands({ store, taskQueue: 'q', routes: ['page', 'vidnet'], now: () => Date.now() });
  const run = (command: string, args: readonly string[] = [], options = {}): Promise<string> =>
    commands.run({ command, args, options });
  return { store, run, pauseOf: createPauseView(store, 'q') };
}

describe('a route that an operator pauses', () => {
  it('begins nothing, tells callers why and until when, and goes on one by one when it is resumed', async () => {
    const { store, run, pauseOf } = operator();
    const worker = await workerWith({}, store);
    expect(worker.begunMs).toHaveLength(4);
    const told = await run('pause', ['page'], { minutes: '30', reason: REASON });
    const untilMs = Date.now() + 30 * MINUTE_MS;
    expect(told).toBe(`page is paused until ${new Date(untilMs).toISOString()}.`);
    await pass(2_000);
    // What has begun goes on, and its end does not open the route.
    for (const use of [...worker.running]) await use.end();
    await pass(10 * MINUTE_MS);
    expect(worker.begunMs).toHaveLength(4);
    expect(await pauseOf('page')).toMatchObject({ reason: REASON, untilMs });
    expect(await run('list')).toMatch(
      /^page {2}paused since .* until 2026-11-21T00:30:.*: The address is being changed\.$/m,
    );

    expect(await run('resume', ['page'])).toMatch(/^page is open/);
    await pass(90_000);
    expect(worker.begunMs).toHaveLength(8);
    expect(await run('list')).toBe('page  open\nvidnet  open');
    await worker.stop();
  });

  it('lets one use try when the time is over, and the others after its answer', async () => {
    const { store, run } = operator();
    await run('pause', ['page'], { minutes: '1' });
    const worker = await workerWith({}, store);
    await pass(MINUTE_MS - 1_000);
    expect(worker.running).toHaveLength(0);
    await pass(5_000);
    expect(worker.running).toHaveLength(1);
    await worker.running[0]?.end();
    await pass(MINUTE_MS);
    expect(worker.running).toHaveLength(4);
    await worker.stop();
  });

  it('may be a site, whose workers share a document of their own', async () => {
    const { run, pauseOf } = operator();
    await run('pause', ['site/example.com'], { reason: REASON });
    expect(await pauseOf('site/example.com')).toMatchObject({ reason: REASON });
    expect(await pauseOf('vidnet')).toBeUndefined();
  });
});

it.each([
  ['pause', ['nowhere'], {}],
  ['pause', ['site/two words'], {}],
  ['pause', [], {}],
  ['pause', ['page'], { minutes: '0' }],
  ['pause', ['page'], { minutes: 'an hour' }],
  ['pause', ['page'], { reason: ' ' }],
  ['end', ['page'], {}],
])('the command line %s %o %o is refused and changes nothing', async (command, args, options) => {
  const { store, run } = operator();
  await expect(run(command, args, options)).rejects.toThrow(UsageError);
  expect(await store.read('q')).toBeUndefined();
});
