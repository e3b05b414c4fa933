import { beforeEach, describe, expect, it } from 'vitest';
import {
  createReceiverShares,
  ReceiverBusyError,
  type ReceiverSlot,
  type ReceiverShares,
} from '../../../outbound/webhooks/receiver-shares.ts';

let nowMs = 0;
let shares: ReceiverShares;
beforeEach(() => {
  nowMs = 1_000;
  shares = createReceiverShares({ maxAtOnce: 100, now: () => nowMs, random: () => 0.5 });
});

/** Claims slots until none is left. */
function fill(url: (index: number) => string, addresses?: (index: number) => string[]): ReceiverSlot[] {
  const slots: ReceiverSlot[] = [];
  for (let index = 0; index < 200; index += 1) {
    try {
      const slot = shares.enter(url(index));
      slots.push(slot);
      if (addresses !== undefined) slot.addAddresses(addresses(index));
    } catch (error) {
      if (!(error instanceof ReceiverBusyError)) throw error;
      if (slots.length > index) slots.pop()?.leave();
      break;
    }
  }
  return slots;
}

function waitOf(url: string): number {
  try {
    shares.enter(url).leave();
    return 0;
  } catch (error) {
    if (error instanceof ReceiverBusyError) return error.retryAfterMs;
    throw error;
  }
}

const anAddress = (index: number): string => `93.184.${Math.floor(index / 250)}.${index % 250}`;

describe('a receiver', () => {
  it('has a tenth of the slots, whatever the path, the case or a trailing dot of its URL', () => {
    const spellings = [
      'https://a.example/',
      'https://A.example/x?y',
      'https://a.example.:443/',
      'https://a.example:443',
    ];
    expect(fill((index) => spellings[index % 4]!)).toHaveLength(10);
    for (const other of ['https://b.example/', 'http://a.example/', 'https://a.example:8443/']) {
      expect(waitOf(other), other).toBe(0);
    }
  });

  it('has its slots back when requests end, and no slot twice', () => {
    const [first] = fill(() => 'https://a.example/');
    first?.leave();
    first?.leave();
    expect(fill(() => 'https://a.example/')).toHaveLength(1);
  });

  it('with many names has three tenths of the slots for each port of an address, and six tenths for the address', () => {
    const names = (port: number) => (index: number) => `https://n${index}.example:${port}/`;
    expect(fill(names(443), () => ['93.184.215.14'])).toHaveLength(30);
    expect(fill(names(8443), () => ['93.184.215.14'])).toHaveLength(30);
    expect(fill(names(9443), () => ['93.184.215.14'])).toHaveLength(0);
    expect(fill(names(9443), () => ['93.184.215.15'])).toHaveLength(30);
  });

  it('has one share for all IPv6 addresses of its network', () => {
    const ownNetwork = (index: number) => [`2606:4700:0:1::${(index + 1).toString(16)}`];
    expect(fill((index) => `https://n${index}.example/`, ownNetwork)).toHaveLength(30);
    const spellings = ['2606:4700::1:ffff:1:2:3', '2606:4700:0:1:0:0:0:9', '2606:4700:0:1::'];
    for (const address of spellings) {
      expect(() => shares.enter('https://other.example/').addAddresses([address]), address).toThrow(ReceiverBusyError);
    }
    expect(() => shares.enter('https://other.example/').addAddresses(['2606:4700:0:2::1'])).not.toThrow();
  });

  it('is counted once for two addresses in one network', () => {
    expect(
      fill(
        (index) => `https://n${index}.example/`,
        () => ['2606:4700::1', '2606:4700::2'],
      ),
    ).toHaveLength(30);
  });

  it('that is refused because of its address keeps no slot', () => {
    fill(
      (index) => `https://n${index}.example/`,
      () => ['93.184.215.14'],
    );
    for (let times = 0; times < 20; times += 1) {
      const slot = shares.enter('https://late.example/');
      expect(() => slot.addAddresses(['93.184.215.14'])).toThrow(ReceiverBusyError);
      slot.leave();
    }
    expect(fill(() => 'https://late.example/', anAddressOnly)).toHaveLength(10);
  });

  it('that is refused because of other ports of its address keeps no slot', () => {
    const elsewhere = [8001, 8002].flatMap((port) =>
      fill(
        (index) => `https://n${index}.example:${port}/`,
        () => ['93.184.215.14'],
      ),
    );
    expect(elsewhere).toHaveLength(60);
    for (let times = 0; times < 40; times += 1) {
      const slot = shares.enter(`https://late${times}.example/`);
      expect(() => slot.addAddresses(['93.184.215.14'])).toThrow(ReceiverBusyError);
      slot.leave();
    }
    for (const slot of elsewhere) slot.leave();
    nowMs += 120_000;
    const names = (index: number) => `https://n${index}.example/`;
    expect(fill(names, () => ['93.184.215.14'])).toHaveLength(30);
  });
});
const anAddressOnly = (index: number): string[] => [anAddress(index)];

describe('a refused request', () => {
  it('gets a delay of its own, so that few requests are refused again', () => {
    fill(() => 'https://slow.example/');
    nowMs += 10_000;
    // The ten running requests have taken 10 s each, so a slot becomes free every second.
    expect([1, 2, 3, 4].map(() => waitOf('https://slow.example/'))).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  it('waits for at most a minute, and many of them do not return at once', () => {
    fill(() => 'https://slow.example/');
    nowMs += 10_000;
    const waits = Array.from({ length: 1_000 }, () => waitOf('https://slow.example/'));
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    expect(waits.filter((waitMs) => waitMs === 45_000).length).toBeGreaterThan(900);
  });

  it('waits for at least half a second, even for a fast receiver', () => {
    for (const slot of fill(() => 'https://fast.example/')) {
      nowMs += 5;
      slot.leave();
    }
    fill(() => 'https://fast.example/');
    expect(waitOf('https://fast.example/')).toBe(500);
  });

  it('does not wait for reservations that have passed', () => {
    const slots = fill(() => 'https://slow.example/');
    nowMs += 10_000;
    for (let times = 0; times < 50; times += 1) waitOf('https://slow.example/');
    for (const slot of slots) slot.leave();
    nowMs += 3_600_000;
    fill(() => 'https://slow.example/');
    expect(waitOf('https://slow.example/')).toBeLessThanOrEqual(2_000);
  });
});

it('gives every receiver a slot if the worker has few', () => {
  shares = createReceiverShares({ maxAtOnce: 1, now: () => nowMs });
  const slot = shares.enter('https://a.example/');
  slot.addAddresses(['93.184.215.14']);
  expect(waitOf('https://a.example/')).toBeGreaterThan(0);
  slot.leave();
  expect(waitOf('https://a.example/')).toBe(0);
});

it('accepts an invalid URL, which the guard refuses', () => {
  expect(() => shares.enter('not a URL').leave()).not.toThrow();
});

describe('a caller', () => {
  /** Claims slots at different receivers until none is left. */
  const slotsOf = (caller: string | undefined): number => {
    for (let count = 0; count < 200; count += 1) {
      try {
        shares.enter(`https://${String(count)}.${caller ?? 'none'}.example/`, caller);
      } catch (error) {
        if (error instanceof ReceiverBusyError) return count;
        throw error;
      }
    }
    return 200;
  };

  it('uses at most half of the slots, whatever the number of its receivers', () => {
    expect(slotsOf('a')).toBe(50);
    expect(slotsOf('b')).toBe(50);
    expect(slotsOf(undefined)).toBe(200);
  });

  it('keeps no slot of a receiver if it has used up its own', () => {
    const held = Array.from({ length: 50 }, (_, n) => shares.enter(`https://${String(n)}.example/`, 'a'));
    for (let n = 0; n < 20; n += 1) expect(() => shares.enter('https://c.example/', 'a')).toThrow(ReceiverBusyError);
    expect(fill(() => 'https://c.example/')).toHaveLength(10);
    held[0]?.leave();
    nowMs += 100_000;
    expect(() => shares.enter('https://d.example/', 'a')).not.toThrow();
  });
});
