import { expect, it } from 'vitest';
import { readArguments } from '../../../quality/bench/arguments.ts';
import { hostileFindings } from '../../../quality/bench/parts/hostile.ts';
import { HOSTILE_KINDS } from '../../../quality/hostile/kinds.ts';

const alone = { job: 500, event: 400, live: 2 };
const rounds = {
  ...(Object.fromEntries(HOSTILE_KINDS.map((kind) => [kind, [[alone], [alone]]])) as Record<
    (typeof HOSTILE_KINDS)[number],
    (typeof alone)[][]
  >),
  alone: [[alone, alone], [{ ...alone, job: 9_000 }]],
};

it('takes the number of jobs in a round as an argument', () => {
  expect(readArguments(['hostile', '--caller-jobs', '1'])).toMatchObject({
    parts: ['hostile'],
    options: { callerJobs: 1 },
  });
  expect(readArguments([]).options.callerJobs).toBe(3);
});

it('compares the median of each measure beside each kind of attack with the one alone, and puts the worst on the page', () => {
  const slow = { job: 1_500, event: 900, live: 3 };
  const findings = hostileFindings({ ...rounds, 'slow files': [[slow, slow, alone]] });
  expect(findings.length).toBe(3 * HOSTILE_KINDS.length + 1);
  expect(findings).toContainEqual({
    ...{ what: 'small job beside slow files', unit: 'ms', value: 1_500, isChief: true },
    reference: { what: 'alone', value: 500 },
  });
  expect(findings).toContainEqual({
    ...{ what: 'small job beside slow pages', unit: 'ms', value: 500, isChief: false },
    reference: { what: 'alone', value: 500 },
  });
});

it('counts jobs that did not end, and leaves out an event that was not measured', () => {
  const never = { job: 60_000, event: undefined, live: 2 };
  const findings = hostileFindings({ ...rounds, 'slow pages': [[never], [never]] });
  expect(findings.map(({ what }) => what)).not.toContain('event of its end beside slow pages');
  expect(findings.at(-1)).toMatchObject({ value: 2, isChief: true });
});
