import { describe, expect, it } from 'vitest';
import { progressOf } from '../../api/job-progress.ts';
import { progressSchema } from '../../contract/http/fields.ts';

const window = (percent?: number) => ({
  name: 'transcribeWindow',
  heartbeat: percent === undefined ? undefined : { stage: 'transcribing', percent },
});
const speech = (done: number, windows: number) => ({ speech: { stage: 'transcribing', done, windows } });

describe('the progress of a transcription', () => {
  it.each([
    ['nothing has begun', speech(0, 4), [window(), window()], 0],
    ['windows are under way', speech(1, 4), [window(50), window(), window(10)], 40],
    [
      'an activity has just begun and still waits',
      speech(1, 4),
      [{ ...window(), heartbeat: { stage: 'waiting' } }],
      25,
    ],
    ['shares are no round numbers', speech(0, 3), [window(33.3)], 11.1],
    ['all are done', speech(3, 3), [], 100],
  ])('is the percentage of all windows when %s', (_what, memo, activities, percent) => {
    const { done, windows } = memo.speech;
    const progress = progressOf({ memo, activities });
    expect(progress).toEqual({ stage: 'transcribing', percent, items: done, total_items: windows });
    expect(progressSchema.strict().parse(progress)).toEqual(progress);
  });

  it.each([
    ['there is no window', 0, 0],
    ['the last has ended and is not counted yet', 3, 4],
  ])('has no percentage if %s', (_what, done, windows) => {
    const progress = { stage: 'transcribing', items: done, total_items: windows };
    expect(progressOf({ memo: speech(done, windows), activities: [] })).toEqual(progress);
  });

  it.each([
    ['preparing', 'prepareSpeech', { stage: 'detecting_speech', percent: 12 }],
    ['diarizing', 'labelSpeakers', { stage: 'diarizing' }],
  ])('is the report of the activity before and after the windows (%s)', (stage, name, heartbeat) => {
    expect(progressOf({ memo: { speech: { stage } }, activities: [{ name, heartbeat }] })).toEqual(heartbeat);
    // No worker has started the activity yet.
    const activities = [{ name, heartbeat: undefined }];
    const expected = stage === 'preparing' ? 'waiting' : stage;
    expect(progressOf({ memo: { speech: { stage } }, activities })).toEqual({ stage: expected });
  });

  it('is `waiting` with a reason while an activity waits', () => {
    const queued = { reason: 'The platform limits us.', until: '2026-11-22T10:00:00.000Z' };
    expect(progressOf({ memo: {}, activities: [], queued })).toEqual({ stage: 'waiting', ...queued });
    expect(progressOf({ memo: {}, activities: [] })).toEqual({ stage: 'waiting' });
    const collecting = [{ name: 'collectSnapshot', heartbeat: undefined }];
    expect(progressOf({ memo: {}, activities: collecting })).toMatchObject({ stage: 'fetching' });
  });

  it('is the report of the workflow, also between two activities', () => {
    const memo = { waiting: { reason: 'The service has no space left.' } };
    expect(progressOf({ memo, activities: [], isBetween: true })).toEqual({ stage: 'waiting', ...memo.waiting });
    const diarizing = { speech: { stage: 'diarizing' } };
    expect(progressOf({ memo: diarizing, activities: [], isBetween: true })).toEqual({ stage: 'diarizing' });
  });

  it('is `publishing` while the record is being written', () => {
    const activities = [{ name: 'finishJob', heartbeat: undefined }];
    expect(progressOf({ memo: speech(3, 3), activities })).toEqual({ stage: 'publishing' });
    expect(progressOf({ memo: {}, activities: [], isBetween: true })).toEqual({ stage: 'publishing' });
  });
});
