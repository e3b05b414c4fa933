import { expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { upstreamUses } from '../../runtime/pacing.ts';
import { formerRoutesOf, upstreamLimitsOf } from '../../worker/upstream-limits.ts';

it('a worker serves the routes of all settings: jobs that began with other ones may still wait there', () => {
  const configs = [{}, { VIDNET_API_KEY: 'k'.repeat(39) }].map((env) => loadConfig(env));
  const used = configs.map((config) => upstreamUses.map((use) => upstreamLimitsOf(config)[use].route));
  expect(new Set(used[0])).not.toEqual(new Set(used[1]));
  for (const [index, config] of configs.entries()) {
    const served = new Set([...(used[index] ?? []), ...Object.keys(formerRoutesOf(config))]);
    expect(served).toEqual(new Set(used.flat()));
  }
});
