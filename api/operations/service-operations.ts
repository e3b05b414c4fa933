import { accountSchema } from '../../contract/http/account-schemas.ts';
import { pageQuerySchema } from '../../contract/http/fields.ts';
import { healthSchema, liveSchema } from '../../contract/http/health-schemas.ts';
import { operation } from './operation.ts';
import { getAccount } from '../use-cases/credit.ts';
import { checkHealth, checkLive, checkReady } from '../use-cases/check-health.ts';

export const serviceOperations = {
  getAccount: operation('GET /api/account', {
    tool: 'get_account',
    summary: 'Get the credit of an API key and the costs of its downloads',
    query: pageQuerySchema,
    answers: { 200: { description: 'The account with a page of its ledger', schema: accountSchema } },
    run: getAccount,
  }),
  checkLive: operation('GET /live', {
    scope: 'none',
    summary: 'Check whether the process runs; no engine is checked',
    answers: { 200: { description: 'The process runs', schema: liveSchema } },
    errors: ['method_not_allowed'],
    run: checkLive,
  }),
  checkReady: operation('GET /ready', {
    scope: 'none',
    summary: 'Check whether this process should receive requests',
    answers: {
      200: { description: 'All engines are reachable', schema: healthSchema },
      503: { description: 'An engine cannot be reached, or the process is about to stop', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkReady,
  }),
  checkHealth: operation('GET /health', {
    scope: 'none',
    rpc: 'health',
    summary: 'Check whether the service can work',
    answers: {
      200: { description: 'All engines are reachable', schema: healthSchema },
      503: { description: 'An engine cannot be reached', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkHealth,
  }),
} as const;
