import { expect, it } from 'vitest';
import { createLocalJobs } from '../../activities/local-jobs.ts';

it('yields for a limited time, however many jobs follow each other', () => {
  let nowMs = 0;
  const jobs = createLocalJobs(() => nowMs);
  jobs.begin('first');
  nowMs = 900;
  jobs.begin('second');
  jobs.end('first');
  expect(jobs.yields()).toBe(true);
  nowMs = 1_100;
  expect(jobs.yields()).toBe(false);
  jobs.end('second');
  jobs.begin('third');
  expect(jobs.yields()).toBe(true);
  nowMs = 2_100;
  expect(jobs.yields()).toBe(false);
});
