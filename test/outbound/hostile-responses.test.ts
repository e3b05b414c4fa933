import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../quality/chaos/plan.ts';
import { MAX_TURN_MS, watchLongest } from '../fuzz/hostile/longest.ts';
import { startHostileServer } from '../fuzz/hostile/responses.ts';

it('no hostile response blocks the event loop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-hostile-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await startHostileServer(folder);
  onTestFinished(() => server.close());
  const random = createRandom(1);
  const watched = watchLongest();
  const answered = new Set<string>();
  for (let count = 0; count < 300; count += 1) {
    const client = random.pick(server.clients);
    const label = `${client}: ${server.prepare(random)}`;
    if (await watched.during(label, () => server.call(client))) answered.add(client);
  }
  const { ms, label } = watched.longest();
  console.log(`longest block ${ms.toFixed(1)} ms: ${label}`);
  expect(answered).toEqual(new Set(server.clients));
  expect(ms, label).toBeLessThan(MAX_TURN_MS);
}, 60_000);
