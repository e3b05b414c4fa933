import { accountQuerySchema, accountSchema } from '../../contract/http/account-schemas.ts';
import { healthSchema, liveSchema } from '../../contract/http/health-schemas.ts';
import { operation } from './operation.ts';
import { getAccount } from '../use-cases/credit.ts';
import { checkHealth, checkLive, checkReady } from '../use-cases/check-health.ts';

/** Accounts, and the state of the service. */
export const serviceOperations = {
  getAccount: operation({
    method: 'get',
    path: '/api/account',
    summary: 'Get the credit of an API key, and what its downloads have cost',
    query: accountQuerySchema,
    answers: { 200: { description: 'The account, with a page of its entries', schema: accountSchema } },
    run: getAccount,
  }),
  checkLive: operation({
    method: 'get',
    scope: 'none',
    path: '/live',
    summary: 'Whether the process runs; it asks no engine',
    answers: { 200: { description: 'It runs', schema: liveSchema } },
    errors: ['method_not_allowed'],
    run: checkLive,
  }),
  checkReady: operation({
    method: 'get',
    scope: 'none',
    path: '/ready',
    summary: 'Whether requests should be sent here',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away, or the process is about to stop', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkReady,
  }),
  checkHealth: operation({
    method: 'get',
    scope: 'none',
    path: '/health',
    rpc: 'health',
    summary: 'Whether the service can work',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkHealth,
  }),
} as const;
