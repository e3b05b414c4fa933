import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import * as workflows from '../../workflows/index.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));

const OF_OTHER_CODE = 'of other code';

/** What replaying each of them said, by its name: one worker for all, since each new one loads the workflows anew. */
const replayed = new Map<string, Error | undefined>();
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = await loadWorkflows();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories())) {
    replayed.set(workflowId, error);
  }
}, 60_000);

const load = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');
async function* histories() {
  for (const name of names) yield { workflowId: name, history: historyFromJSON(JSON.parse(await load(name))) };
  const other = (await load('audio-success.json')).replaceAll('"fetchAudio"', '"fetchVideo"');
  expect(other).toContain('fetchVideo');
  yield { workflowId: OF_OTHER_CODE, history: historyFromJSON(JSON.parse(other)) };
}

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

  it.each(names)('%s can be replayed: a running job survives a deploy', (name) => {
    expect([replayed.has(name), replayed.get(name)]).toEqual([true, undefined]);
  });

  it('of other code is refused', () => {
    expect(replayed.get(OF_OTHER_CODE)).toMatchObject({ name: 'DeterminismViolationError' });
  });
});
