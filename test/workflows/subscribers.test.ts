import { expect, it } from 'vitest';
import { WEBHOOKS_PER_JOB_MAX } from '../../contract/request-limits.ts';
import { Subscribers } from '../../workflows/webhooks/job-subscribers.ts';

it('returns each URL once, with all callers that have subscribed it so far', () => {
  const subscribers = new Subscribers();
  subscribers.add(undefined, 'one');
  subscribers.add('https://a.example/', 'one');
  subscribers.add('https://b.example/', 'two');
  subscribers.add('https://a.example/', 'two');
  subscribers.add('https://a.example/', 'one');
  expect(subscribers.take()).toEqual({ url: 'https://a.example/', number: 1, subscribedBy: ['one', 'two'] });
  subscribers.add('https://a.example/', 'three');
  expect(subscribers.take()).toEqual({ url: 'https://b.example/', number: 2, subscribedBy: ['two'] });
  expect(subscribers.take()).toBeUndefined();
  subscribers.add('https://c.example/', undefined);
  expect(subscribers.take()).toEqual({ url: 'https://c.example/', number: 3, subscribedBy: [] });
});

it('keeps at most 100 URLs, and 100 callers of each', () => {
  const subscribers = new Subscribers();
  for (let n = 1; n <= 5_000; n += 1) subscribers.add(`https://a.example/?n=${String(n)}`, 'one');
  for (let n = 1; n <= 5_000; n += 1) subscribers.add('https://a.example/?n=1', `caller ${String(n)}`);
  const taken = Array.from({ length: 200 }, () => subscribers.take()).filter((one) => one !== undefined);
  expect(taken.map(({ number }) => number)).toEqual(
    Array.from({ length: WEBHOOKS_PER_JOB_MAX }, (_, index) => index + 1),
  );
  expect(taken[0]?.subscribedBy).toHaveLength(WEBHOOKS_PER_JOB_MAX);
});
