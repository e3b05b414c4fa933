import { describe, expect, it } from 'vitest';
import { planCuts, planKills } from '../../../quality/chaos/planned-faults.ts';
import { planCalls, createRandom } from '../../../quality/chaos/plan.ts';
import { LINES } from '../../../quality/chaos/stage.ts';
import { IMGNET_KINDS, KIND_WEIGHTS } from '../../../quality/chaos/subjects.ts';
import type { SandboxIndex } from '../../../quality/chaos/sandbox-index.ts';

const many = (name: string): string[] => Array.from({ length: 30 }, (_, index) => `${name}${String(index)}`);
const index: SandboxIndex = {
  talks: many('talk'),
  videos: (kind) => [`${kind}1`],
  channels: (...kinds) => kinds.flatMap(many),
  accounts: (...kinds) => kinds.flatMap(many),
  posts: (deleted) => (deleted ? ['gone'] : many('post')),
  videoUrl: (id) => `https://videos.example/watch?v=${id}`,
  video: () => undefined,
};
const plan = (seed: number) => planCalls(index, createRandom(seed), { jobs: 60, durationMs: 60_000 });

describe('a plan', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(plan(1)).toEqual(plan(1));
    expect(plan(1)).not.toEqual(plan(2));
    const kills = (seed: number) => planKills(createRandom(seed), { kills: 30, durationMs: 300_000 });
    expect(kills(3)).toEqual(kills(3));
    expect(kills(3)).not.toEqual(kills(4));
  });

  it('has every kind of job, some of several callers, and some that must fail', () => {
    const calls = plan(5);
    expect(new Set(calls.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KIND_WEIGHTS)));
    expect(calls.filter(({ expected }) => expected !== 'success').length).toBeGreaterThan(2);
    expect(calls.filter(({ id }) => id.includes('-')).length).toBeGreaterThan(5);
    for (const { after } of calls) {
      if (after !== undefined) expect(calls.map(({ id }) => id)).toContain(after.callId);
    }
  });

  it('has the requested share of jobs about the photo platform', () => {
    const shareOf = (imgnetShare: number): number => {
      const calls = planCalls(index, createRandom(7), { jobs: 400, durationMs: 60_000, imgnetShare });
      return calls.filter(({ kind }) => IMGNET_KINDS.includes(kind)).length / calls.length;
    };
    expect(shareOf(0.9)).toBeGreaterThan(0.85);
    expect(shareOf(0.1)).toBeLessThan(0.2);
  });

  it('kills every process and cuts every line, all through the run', () => {
    const kills = planKills(createRandom(6), { kills: 30, durationMs: 300_000 });
    expect(kills.length).toBe(30);
    expect(new Set(kills.flatMap(({ victims }) => victims))).toEqual(
      new Set(['api', 'worker', 'temporal', 'mongodb', 'tool', 'warm-yt-dlp']),
    );
    expect(kills.map(({ atMs }) => atMs)).toEqual(kills.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    expect(Math.max(...kills.map(({ atMs }) => atMs))).toBeGreaterThan(270_000);
    const cuts = planCuts(createRandom(6), { kills: 30, durationMs: 300_000 });
    expect(new Set(cuts.map(({ line }) => line))).toEqual(new Set(LINES));
  });
});
