import { describe, expect, it } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import type { MediaJob } from '../../contract/kinds/media.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { media } from '../../workflows/jobs/media.ts';
import { breakersOn } from '../helpers/breakers.ts';
import { anAudioJob } from '../helpers/jobs.ts';
import { watchAttempts } from '../helpers/workflow-bench.ts';
import { aResult, mediaHarness, refusal } from '../helpers/workflow-harness.ts';

const DAY_MS = 86_400_000;

const aMediaJob = (options?: MediaJob['parameters']['page']['options']): MediaJob => ({
  ...anAudioJob(),
  type: 'media',
  mediaId: 'a'.repeat(32),
  parameters: { page: { url: 'https://example.com/tea', format: 'video', ...(options && { options }) } },
});
const awaiting = { wait_for_start: true };

/** The looks themselves take time on a slow machine, which also makes a late start later. */
function expectRoughly(seconds: readonly number[], expected: readonly number[]): void {
  expect(seconds.map((one, index) => one > expected[index]! - 0.1 && one < expected[index]! + 20)).toEqual(
    expected.map(() => true),
  );
}

describe('a job that waits for a start', () => {
  const { fetchMedia, run, nowMs } = mediaHarness('skipping');

  /** @param steps what each attempt reports, with the announced time in seconds from the first attempt */
  const attempts = (...steps: readonly (readonly [FailureCode, (number | undefined)?])[]): readonly number[] => {
    const left = [...steps];
    let firstMs: number | undefined;
    return watchAttempts(fetchMedia, nowMs, async () => {
      firstMs ??= await nowMs();
      const [code, seconds] = left.shift() ?? [];
      if (code === undefined) return aResult;
      throw refusal(code, seconds === undefined ? undefined : firstMs + seconds * 1000);
    });
  };

  it('looks again a little after the announced time, which may move, and then after growing pauses', async () => {
    const waits = attempts(['not_started', 600], ['not_started', 900], ['not_started', 900], ['not_started'], ['live']);
    expect(await run(media, aMediaJob(awaiting))).toBeUndefined();
    const [first = 0, second = 0, ...late] = waits;
    expectRoughly([first, first + second, ...late], [610, 910, 30, 40, 80]);
  });

  it('looks every twelve hours, because the announced time may become earlier', async () => {
    const waits = attempts(['not_started', (3 * DAY_MS) / 1000], ['not_started', 43_300]);
    expect(await run(media, aMediaJob(awaiting))).toBeUndefined();
    const [first = 0, second = 0] = waits;
    expectRoughly([first, first + second], [43_200, 43_310]);
  });

  it('takes no hundred looks for a start that does not come', async () => {
    fetchMedia.mockImplementation(async () => {
      firstMs ??= await nowMs();
      throw refusal('not_started', firstMs + 60_000);
    });
    let firstMs: number | undefined;
    expect(await run(media, aMediaJob(awaiting))).toMatchObject({ cause: { type: 'not_started' } });
    expect((await nowMs()) - firstMs!).toBeGreaterThan(3 * DAY_MS);
    expect(fetchMedia.mock.calls.length).toBeLessThan(40);
  });

  it.each<[string, FailureCode, number | undefined, object | undefined]>([
    ['when nothing is announced', 'not_started', undefined, awaiting],
    ['when it begins too late', 'not_started', 8 * 86_400, awaiting],
    ['for a broadcast that was not awaited', 'live', undefined, awaiting],
    ['for another reason', 'private', undefined, awaiting],
    ['without the option', 'not_started', 600, undefined],
  ])('fails %s', async (_case, code, seconds, options) => {
    attempts([code, seconds]);
    expect(await run(media, aMediaJob(options))).toMatchObject({ cause: { type: code } });
    expect(fetchMedia).toHaveBeenCalledOnce();
  });
});

describe('while a job waits for a start', () => {
  const { fetchMedia, withService } = mediaHarness('real');

  it('says for what and until when, and a cancellation ends it at once', async () => {
    const startsAtMs = Date.now() + 600_000;
    fetchMedia.mockImplementation(() => Promise.reject(refusal('not_started', startsAtMs)));
    const job = aMediaJob(awaiting);
    await withService(async (client, taskQueue) => {
      const jobs = createJobGateway(client, taskQueue, breakersOn());
      await jobs.start('media', job);
      const start = new Date(startsAtMs).toISOString();
      const until = new Date(startsAtMs + 10_000).toISOString();
      const progress = { stage: 'waiting', until, reason: `The start is announced for ${start}.` };
      await expect.poll(() => jobs.status(job, 0), { timeout: 20_000 }).toEqual({ state: 'running', progress });
      const handle = client.workflow.getHandle(job.subjectId);
      expect((await handle.describe()).raw.pendingActivities).toEqual([]);
      const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      expect(metadata.currentDetails).toBe(`${progress.reason} The page is read again at ${until}.`);
      expect(await jobs.cancel(job)).toBe(true);
      await expect(handle.result()).rejects.toThrow('cancelled');
      expect(fetchMedia).toHaveBeenCalledOnce();
    });
  });
});
