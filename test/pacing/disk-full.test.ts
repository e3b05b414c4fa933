import { describe, expect, it } from 'vitest';
import { audio } from '../../workflows/audio.ts';
import { progressQuery } from '../../workflows/messages.ts';
import { aResult, audioHarness, refusal } from '../helpers/audio-harness.ts';
import { waitsOf } from '../helpers/timers.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

const { fetchAudio, finishJob, nowMs, withService } = audioHarness();

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
