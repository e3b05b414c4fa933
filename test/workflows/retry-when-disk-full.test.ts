import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { audio } from '../../workflows/audio.ts';
import { progressQuery } from '../../workflows/messages.ts';
import { aResult, audioHarness, refusal } from '../helpers/audio-harness.ts';
import { isLong } from '../helpers/rows.ts';
import { waitsOf } from '../helpers/timers.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

const { fetchAudio, finishJob, nowMs, runAudio, withService } = audioHarness();

describe('a job for which there is no space', () => {
  it('waits ever longer, uses up no attempt, and goes on', async () => {
    const times: number[] = [];
    const failures = [
      ...['disk_full', 'disk_full', 'disk_full', 'upstream_error', 'disk_full'],
      ...['upstream_error', 'upstream_error', 'upstream_error', 'upstream_error'],
    ] as const;
    const rest = [...failures];
    fetchAudio.mockImplementation(async () => {
      times.push(await nowMs());
      const code = rest.shift();
      if (code !== undefined) throw refusal(code);
      return aResult;
    });
    const job = anAudioJob();
    const waits = await withService(async (client, taskQueue) => {
      const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
      const handle = await client.workflow.start(audio, options);
      await handle.result();
      return waitsOf(handle);
    });
    expect(waits).toEqual([10, 30, 60, 2, 120, 2, 10, 30, 60]);
    expect(fetchAudio).toHaveBeenCalledTimes(failures.length + 1);
    expect(finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'success', result: aResult });
    const waitsSeconds = times.slice(1).map((time, index) => (time - times[index]!) / 1000);
    for (const [index, seconds] of [10, 30, 60, 2, 120].entries()) {
      expect(waitsSeconds[index]).toBeGreaterThanOrEqual(seconds);
      expect(waitsSeconds[index]).toBeLessThan(seconds + 20);
    }
  });

  it('says why it waits, and until when, to callers and operators', async () => {
    fetchAudio.mockRejectedValueOnce(refusal('disk_full'));
    const job = anAudioJob();
    await withService(async (client, taskQueue) => {
      const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
      const handle = await client.workflow.start(audio, options);
      const waiting = await until(async () => (await handle.describe()).memo?.['waiting'], { what: 'why it waits' });
      expect(waiting).toEqual({ reason: 'It is disk_full.', until: expect.any(String) as string });
      expect(await handle.query(progressQuery)).toMatchObject({ stage: 'waiting', waiting, upstreamRefusals: 0 });
      await handle.result();
      expect((await handle.describe()).memo?.['waiting']).toBeUndefined();
    });
    expect(fetchAudio).toHaveBeenCalledTimes(2);
  });
});

// The last: after a workflow that failed, the test server skips no more time. By itself: patience-when-disk-full.test.ts.
it.runIf(isLong())(
  'a job for which there is no space for half a day fails with that reason',
  async () => {
    const startMs = await nowMs();
    fetchAudio.mockRejectedValue(refusal('disk_full'));
    const endHours: number[] = [];
    finishJob.mockImplementation(async () => void endHours.push(((await nowMs()) - startMs) / 3_600_000));
    expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
    expect(endHours).toHaveLength(1);
    expect(endHours[0]).toBeGreaterThanOrEqual(12);
    expect(endHours[0]).toBeLessThan(12.5);
    expect(finishJob.mock.lastCall?.[0].outcome).toEqual({
      status: 'failed',
      failure: { code: 'disk_full', message: 'It is disk_full.' },
    });
    expect(fetchAudio.mock.calls.length).toBeLessThan(160);
  },
  120_000,
);
