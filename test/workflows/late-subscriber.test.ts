import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { quietRuntime } from '../helpers/quiet-runtime.ts';

interface Event {
  readonly eventId: string;
  readonly eventType: string;
}

const RECORDED = join(import.meta.dirname, '../histories/audio-subscribed.json');

/**
 * The history of a job whose subscriber comes at the last moment: its record has ended, nobody is left to be told, and
 * only the release of its permit is still under way to the limiter. Made of one in which the subscriber comes at the beginning.
 */
async function lastMomentHistory(): Promise<unknown> {
  const { events } = JSON.parse(await readFile(RECORDED, 'utf8')) as { events: readonly Event[] };
  const of = (type: string): Event => {
    const found = events.find(({ eventType }) => eventType === `EVENT_TYPE_${type}`);
    if (found === undefined) throw new Error(`the history has no event ${type}`);
    return found;
  };
  const [subscribe, turnEnded] = [of('WORKFLOW_EXECUTION_SIGNALED'), of('EXTERNAL_WORKFLOW_EXECUTION_SIGNALED')];
  expect(JSON.stringify(subscribe)).toContain('"subscribe"');
  const rest = events.filter((event) => event !== subscribe && event !== turnEnded);
  const child = rest.indexOf(of('START_CHILD_WORKFLOW_EXECUTION_INITIATED'));
  // The task in which the job saw that its record has ended; the one in which it sees the subscriber is a copy.
  const task = rest.slice(child - 3, child);
  const copy = renamed(task, new Map(task.map(({ eventId }) => [eventId, `copy of ${eventId}`])));
  const all = [...rest.slice(0, child), subscribe, turnEnded, ...copy, ...rest.slice(child)];
  return { events: renamed(all, new Map(all.map(({ eventId }, index) => [eventId, String(index + 1)]))) };
}

/** Events name others by their ids. */
function renamed(events: readonly Event[], ids: ReadonlyMap<string, string>): readonly Event[] {
  const text = JSON.stringify(events, (key, value: unknown) =>
    /eventId$/i.test(key) ? (ids.get(String(value)) ?? value) : value,
  );
  return JSON.parse(text) as Event[];
}

it('a webhook that is added while a job still releases its permit is delivered', async () => {
  quietRuntime();
  const workflowBundle = await loadWorkflows();
  const history = historyFromJSON(await lastMomentHistory());
  await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined();
});
