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
