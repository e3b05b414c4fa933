import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import * as workflows from '../../workflows/index.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  workflowBundle = await loadWorkflows();
}, 60_000);

const load = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');
const replay = (json: string): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, historyFromJSON(JSON.parse(json)));

function workflowOf(json: string): string | undefined {
  const { events } = JSON.parse(json) as {
    events: { workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }[];
  };
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name;
}

describe('a recorded history', () => {
  it('is there of every workflow', async () => {
    const recorded = new Set((await Promise.all(names.map(load))).map(workflowOf));
    // What is missing is recorded with: npm run record-histories -- NAME, after adding it to test/histories/record.ts.
    expect(Object.keys(workflows).filter((name) => !recorded.has(name))).toEqual([]);
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
