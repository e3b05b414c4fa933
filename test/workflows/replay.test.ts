import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { arrayFromPayloads, defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { activityInputs } from '../../activities/create-activities.ts';
import { inputErrorOf } from '../../runtime/inputs/check-input.ts';
import { jobInputs } from '../../contract/kinds/job-inputs.ts';
import * as workflows from '../../workflows/index.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { quietRuntime } from '../helpers/workflow-run.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));
const texts = new Map(
  await Promise.all(names.map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')] as const)),
);

const OF_OTHER_CODE = 'of other code';

/** The results by name. One worker replays all histories, because each worker loads the workflows again. */
const replayed = new Map<string, Error | undefined>();
beforeAll(async () => {
  quietRuntime();
  const workflowBundle = await loadWorkflows();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories())) {
    replayed.set(workflowId, error);
  }
});

const parse = (text: string) => historyFromJSON(JSON.parse(text));

function* histories() {
  for (const [workflowId, text] of texts) yield { workflowId, history: parse(text) };
  const other = texts.get('audio-success.json')!.replaceAll('"fetchAudio"', '"fetchVideo"');
  expect(other).toContain('fetchVideo');
  yield { workflowId: OF_OTHER_CODE, history: parse(other) };
}

interface RecordedOrders {
  readonly workflow: string;
  readonly input: readonly unknown[];
  /** Activities with their arguments. Local activities leave no arguments in a history. */
  readonly orders: readonly (readonly [activity: string, args: readonly unknown[]])[];
}

function ordersIn(text: string): RecordedOrders {
  const { events } = parse(text);
  const [start] = events ?? [];
  const { workflowType, input } = start!.workflowExecutionStartedEventAttributes!;
  const argsOf = (payloads: Parameters<typeof arrayFromPayloads>[1]) =>
    arrayFromPayloads(defaultPayloadConverter, payloads);
  const orders = events!.flatMap(({ activityTaskScheduledEventAttributes: order }) =>
    order ? [[order.activityType!.name!, argsOf(order.input?.payloads)] as const] : [],
  );
  return { workflow: workflowType!.name!, input: argsOf(input?.payloads), orders };
}

/** @returns the refusals of a worker. The first step of a job gets the input of its workflow. */
function refusalsOf({ workflow, input, orders }: RecordedOrders): (string | undefined)[] {
  const isJob = Object.hasOwn(jobInputs, workflow);
  return [
    ...(isJob ? [inputErrorOf(jobInputs, workflow, input), inputErrorOf(activityInputs, 'beginJob', input)] : []),
    ...orders.map(([activity, args]) => inputErrorOf(activityInputs, activity, args)),
  ].filter((refusal) => refusal !== undefined);
}

describe('a recorded history', () => {
  it('exists for every workflow', () => {
    const recorded = new Set([...texts.values()].map((text) => ordersIn(text).workflow));
    // Add a missing one to test/histories/record.ts, and run: npm run record-histories -- NAME
    expect(Object.keys(workflows).filter((name) => !recorded.has(name))).toEqual([]);
  });

  it.each(names)('%s can be replayed, so that a running job survives a deploy', (name) => {
    expect([replayed.has(name), replayed.get(name)]).toEqual([true, undefined]);
  });

  it.each([...texts])(
    '%s has arguments that this release accepts, so that a deploy refuses no running job',
    (_name, text) => {
      expect(refusalsOf(ordersIn(text))).toEqual([]);
    },
  );

  it('contains the arguments of every activity except those that need two jobs or a pause', () => {
    const recorded = new Set(
      [...texts.values()].flatMap((text) => ordersIn(text).orders.map(([activity]) => activity)),
    );
    // Local activities leave no arguments in a history.
    recorded.add('beginJob');
    const missing = ['awaitOtherListing', 'awaitOwnerProfile', 'finishJob', 'refusalOf'];
    expect(Object.keys(activityInputs).filter((activity) => !recorded.has(activity))).toEqual(missing);
  });

  it('of other code fails', () => {
    expect(replayed.get(OF_OTHER_CODE)).toMatchObject({ name: 'DeterminismViolationError' });
  });

  it('with arguments that this release does not accept is noticed', () => {
    const recorded = ordersIn(texts.get('transcript-with-comments.json')!);
    const renamed = JSON.parse(JSON.stringify(recorded).replaceAll('"mediaId"', '"videoId"')) as RecordedOrders;
    expect(refusalsOf(renamed)).toEqual([
      expect.stringContaining('transcript refuses its input: mediaId'),
      expect.stringContaining('beginJob refuses its input'),
      expect.stringContaining('fetchTranscript refuses its input: mediaId'),
      expect.stringContaining('fetchComments refuses its input: mediaId'),
    ]);
  });
});
