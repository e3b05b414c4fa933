import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { activityInputs } from '../../activities/create-activities.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';
import { ENGINE_KEY } from '../helpers/speech-harness.ts';
import type { FakeActivities } from '../helpers/workflow-run.ts';
import { stepsOfWorkflows, usualAnswer, type StepsOf } from '../helpers/workflow-steps.ts';

// Workers of the release before read what workflows hand to activities too, and refuse what they do not know. A replay does not
// compare arguments.

const { withService } = workflowBench('real');
const cases = stepsOfWorkflows.map(([workflow, known]) => [workflow, known.of ?? '', known] as const);

/** Activities with all names that record their arguments. */
function noting(answers: StepsOf['answers'] = {}) {
  const steps: unknown[][] = [];
  const left = new Map(Object.entries(answers).map(([activity, all]) => [activity, [...all]]));
  const noted = Object.keys(activityInputs).map((activity) => [
    activity,
    (...args: readonly unknown[]) => {
      steps.push([activity, ...args]);
      return Promise.resolve(left.has(activity) ? left.get(activity)?.shift() : usualAnswer(activity, args[0]));
    },
  ]);
  const all = Object.fromEntries(noted) as object;
  const activities: FakeActivities = { records: all, fetch: all, speech: all, deliver: all };
  return { activities, steps };
}

it.each(cases)('%s%s calls its activities with the known arguments', async (workflow, _of, known) => {
  const { activities, steps } = noting(known.answers);
  await withService({ activities, engineKey: ENGINE_KEY }, async (client, taskQueue) => {
    const args = [known.input];
    await client.workflow.execute(workflow, { workflowId: `${workflow}/${ulid()}`, taskQueue, args });
    // Nobody waits for a job's webhook, which is a workflow of its own.
    const [, order] = known.steps.find(([activity]) => activity === 'attemptDelivery') ?? [];
    if ('webhookUrl' in known.input) {
      await client.workflow.getHandle((order as { readonly deliveryId: string }).deliveryId).result();
    }
  });
  expect(steps).toStrictEqual(known.steps);
});
