import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { batchSchema, renderBatch } from '../../contract/batches/batch-answers.ts';
import { BATCH_ENDPOINT } from '../../contract/batches/batch-state.ts';
import { renderSubscription, subscriptionSchema } from '../../contract/subscriptions/subscription-request.ts';
import { SUBSCRIPTION_ENDPOINT } from '../../contract/subscriptions/subscription-state.ts';
import { WEBHOOK_TEST_BODY, webhookIdSchema, webhookTestBodySchema } from '../../contract/http/delivery-schemas.ts';
import { ulidSchema } from '../../contract/ids.ts';
import type { RenderContext } from '../../contract/kinds/kind.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { WEBHOOK_USER_AGENT } from '../../contract/http/webhook-headers.ts';
import type { RecordType } from '../../contract/download-record.ts';
import type { Operation } from '../operations/operation.ts';
import { webhooksOfJobs } from './answer-examples.ts';
import { CONTEXT, finishedBatch } from './batch-examples.ts';
import { FINISHED_AT } from './sample-records.ts';
import { failedSubscription } from './subscription-examples.ts';
import { one, type Examples } from './render-examples.ts';
import { JSON_TYPE } from './operation-responses.ts';

interface Webhook {
  readonly operationId: string;
  readonly endpoint: string;
  readonly summary: string;
  readonly schema: z.ZodType;
  readonly examples: Examples;
  readonly id: z.ZodType;
}

const optionalText = (description: string) => z.string().optional().describe(description);

export async function webhooksOf(
  rows: Readonly<Record<string, Pick<Operation, 'path' | 'jobs' | 'answers'>>>,
  rendering: RenderContext,
): Promise<readonly RouteConfig[]> {
  const ofJobs = Object.entries(rows).flatMap(([name, { jobs, path, answers }]) => {
    const schemas = [answers[200]?.schema, answers[400]?.schema].filter((schema) => schema !== undefined);
    const [type] = jobs ?? [];
    return type === undefined || jobs === undefined ? [] : [{ name, type, jobs, path, schema: z.union(schemas) }];
  });
  const pathsOf = (type: RecordType) => ofJobs.filter((one) => one.type === type).map(({ path }) => path);
  // Two operations may start the same kind of job.
  const firsts = ofJobs.filter(({ type }, index) => ofJobs.findIndex((one) => one.type === type) === index);
  const described = firsts.map(async ({ name, type, jobs, schema }) =>
    routeOf({
      operationId: `${name}Ended`,
      endpoint: kinds[type].endpoint,
      summary: `The end of ${jobs.length === 1 ? 'a job' : 'each part of a job'} of POST ${pathsOf(type).join(' or ')}`,
      examples: await webhooksOfJobs(rendering, jobs),
      id: webhookIdSchema,
      schema,
    }),
  );
  const test = routeOf({
    operationId: 'testWebhookSent',
    endpoint: 'webhook/test',
    summary: 'What POST /api/webhook/test sends',
    examples: one('A sample', WEBHOOK_TEST_BODY),
    id: z.string(),
    schema: webhookTestBodySchema,
  });
  const batch = routeOf({
    operationId: 'createBatchEnded',
    endpoint: BATCH_ENDPOINT,
    summary: 'The end of a batch of POST /api/batches',
    examples: one('A batch that has ended', renderBatch(finishedBatch, CONTEXT)),
    id: webhookIdSchema,
    schema: batchSchema,
  });
  const subscription = routeOf({
    operationId: 'subscriptionPaused',
    endpoint: SUBSCRIPTION_ENDPOINT,
    summary: 'The pause of a subscription of POST /api/subscriptions that its caller has not requested',
    examples: one('Its source is gone', renderSubscription(failedSubscription, Date.parse(FINISHED_AT))),
    id: webhookIdSchema,
    schema: subscriptionSchema,
  });
  return [...(await Promise.all(described)), batch, subscription, test];
}

function routeOf({ operationId, endpoint, summary, schema, examples, id }: Webhook): RouteConfig {
  return {
    method: 'post',
    path: endpoint,
    operationId,
    tags: ['Webhooks'],
    summary,
    security: [],
    request: {
      headers: z.object({
        'User-Agent': z.literal(WEBHOOK_USER_AGENT),
        'X-Webhook-Endpoint': z.literal(endpoint),
        'X-Webhook-Original-Status': z
          .enum(['200', '400', '500'])
          .describe('200 for a success, as the endpoint answers'),
        'X-Webhook-Download-Id': ulidSchema,
        'webhook-id': id,
        'webhook-timestamp': optionalText('The time of the attempt in Unix seconds; only with a secret'),
        'webhook-audience': optionalText('The receiver; only with a secret'),
        'webhook-signature': optionalText('Standard Webhooks; only with a secret'),
      }),
      body: { required: true, content: { [JSON_TYPE]: { schema, examples: { ...examples } } } },
    },
    responses: {
      '2XX': { description: 'Acknowledges the webhook; after any other answer it is sent again, up to three times' },
    },
  };
}
