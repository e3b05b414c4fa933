import { expect, it } from 'vitest';
import { Subscribers } from '../../workflows/subscribers.ts';

it('a URL is told once, for all who asked for it until then', () => {
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
  // As an older version signals it.
  subscribers.add('https://c.example/', undefined);
  expect(subscribers.take()).toEqual({ url: 'https://c.example/', number: 3, subscribedBy: [] });
});

it('of thousands of URLs and callers a job keeps 50, whoever sends them', () => {
  const subscribers = new Subscribers();
  for (let n = 1; n <= 5_000; n += 1) subscribers.add(`https://a.example/?n=${String(n)}`, 'one');
  for (let n = 1; n <= 5_000; n += 1) subscribers.add('https://a.example/?n=1', `caller ${String(n)}`);
  const taken = Array.from({ length: 100 }, () => subscribers.take()).filter((one) => one !== undefined);
  expect(taken.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(taken[0]?.subscribedBy).toHaveLength(50);
});
