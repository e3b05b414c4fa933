import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../worker/create-workers.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  workflowBundle = await bundleWorkflows();
}, 60_000);

const load = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');
const replay = (json: string): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, historyFromJSON(JSON.parse(json)));

describe('a recorded history', () => {
  it('is there for each way that a workflow can take', () => {
    expect(names.length).toBeGreaterThanOrEqual(10);
  });

  it.each(names)('%s can be replayed: a running job survives a deploy', async (name) => {
    await replay(await load(name));
  });

  it('of other code is refused', async () => {
    const json = (await load('audio-success.json')).replaceAll('"fetchAudio"', '"fetchVideo"');
    expect(json).toContain('fetchVideo');
    await expect(replay(json)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });
});
