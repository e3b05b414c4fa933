import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { MEMO_SPEECH } from '../../contract/job-input.ts';
import { refusal, ENGINE_KEY, PREPARED, speechHarness } from '../helpers/workflow-harness.ts';
import { aSpeakerLabelsJob } from '../helpers/jobs.ts';
import { until } from '../helpers/until.ts';

const { speech, records, run } = speechHarness('real');
const numbers = () => speech.transcribeWindow.mock.calls.map(([order]) => order.number).sort((a, b) => a - b);

it('prepares once, transcribes each window once, and labels the speakers at the end', async () => {
  const job = aSpeakerLabelsJob();
  expect(await run(job)).toBeUndefined();
  const order = { recordId: job.recordId, ...job.parameters };
  expect(speech.prepareSpeech).toHaveBeenCalledExactlyOnceWith(order);
  expect(numbers()).toEqual([1, 2, 3]);
  expect(speech.labelSpeakers).toHaveBeenCalledExactlyOnceWith({
    ...{ ...order, ...PREPARED },
  });
  expect(records.clearSpeech).toHaveBeenCalledExactlyOnceWith(job.recordId);
  const outcome = { status: 'success', result: { charge: job.price, durationSeconds: 700 } };
  expect(records.finishJob).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, price: job.price, outcome });
});

it('sends the windows to workers with the engine that began', async () => {
  speech.prepareSpeech.mockResolvedValue({ ...PREPARED, windows: 2 });
  const queues = new Set<string>();
  const note = () => void queues.add(Context.current().info.taskQueue.replace(/^.*?-speech/, 'speech'));
  speech.transcribeWindow.mockImplementation(() => Promise.resolve((note(), { words: 1, voices: 1 })));
  speech.labelSpeakers.mockImplementation(() => Promise.resolve((note(), { durationSeconds: 400 })));
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expect(speech.transcribeWindow.mock.calls.map(([order]) => order.engineKey)).toEqual([ENGINE_KEY, ENGINE_KEY]);
  expect([...queues].sort()).toEqual([`speech-by-${ENGINE_KEY}`, `speech-steps-by-${ENGINE_KEY}`]);
});

it('transcribes nothing if there is no speech', async () => {
  speech.prepareSpeech.mockResolvedValue({ ...PREPARED, windows: 0, durationSeconds: 60 });
  speech.labelSpeakers.mockResolvedValue({ durationSeconds: 60, charge: 0 });
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expect(speech.transcribeWindow).not.toHaveBeenCalled();
  expect(speech.labelSpeakers).toHaveBeenCalledOnce();
});

it('shows the number of finished windows in its memo', async () => {
  const job = aSpeakerLabelsJob();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  speech.transcribeWindow.mockImplementation(async ({ number }) => {
    if (number === 2) await held;
    return { words: 1, voices: 1 };
  });
  await run(job, async (client) => {
    const memo = async () => (await client.workflow.getHandle(job.subjectId).describe()).memo?.[MEMO_SPEECH];
    await until(async () => JSON.stringify(await memo()) === '{"stage":"transcribing","done":2,"windows":3}');
    release();
  });
  expect(numbers()).toEqual([1, 2, 3]);
});

it('runs at most eight windows at once, so that other jobs get slots', async () => {
  speech.prepareSpeech.mockResolvedValue({ ...PREPARED, windows: 30 });
  const job = aSpeakerLabelsJob();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  speech.transcribeWindow.mockImplementation(async () => {
    await held;
    return { words: 1, voices: 1 };
  });
  await run(job, async (client) => {
    const pending = async () =>
      (await client.workflow.getHandle(job.subjectId).describe()).raw.pendingActivities?.length ?? 0;
    await until(async () => (await pending()) === 8);
    release();
  });
  expect(numbers()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

it('fails with the failure of a window after the others were cancelled, and removes the audio', async () => {
  const job = aSpeakerLabelsJob();
  let cancelled = 0;
  speech.transcribeWindow.mockImplementation(async () => {
    // The queue keeps no order, and has two slots for three windows: the one that fails must not be the one that waits.
    if (speech.transcribeWindow.mock.calls.length === 2) throw refusal('unsupported');
    const context = Context.current();
    for (;;) {
      context.heartbeat();
      await context.sleep(50).catch((error: unknown) => {
        cancelled += 1;
        throw error;
      });
    }
  });
  expect(await run(job)).toBeInstanceOf(WorkflowFailedError);
  // The slot of the failed one may have gone to the third in between.
  const others = speech.transcribeWindow.mock.calls.length - 1;
  expect(others).toBeGreaterThan(0);
  expect(cancelled).toBe(others);
  expect(records.clearSpeech).toHaveBeenCalledOnce();
  const outcome = { status: 'failed', failure: { code: 'unsupported', message: 'It is unsupported.' } };
  expect(records.finishJob).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, price: job.price, outcome });
});

it('stops all windows when it is cancelled, and removes the audio', async () => {
  const job = aSpeakerLabelsJob();
  let stopped = 0;
  speech.transcribeWindow.mockImplementation(async () => {
    const context = Context.current();
    for (;;) {
      context.heartbeat();
      await context.sleep(50).catch((error: unknown) => {
        stopped += 1;
        throw error;
      });
    }
  });
  const error = await run(job, async (client) => {
    await until(() => speech.transcribeWindow.mock.calls.length === 2);
    await client.workflow.getHandle(job.subjectId).cancel();
  });
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect(stopped).toBe(2);
  expect(records.clearSpeech).toHaveBeenCalledOnce();
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'cancelled' } });
});
