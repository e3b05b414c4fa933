import type { Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { isFinalRefusal } from '../../../runtime/temporal/client.ts';
import { checkSearchAttributes, registerSearchAttributes } from '../../../runtime/temporal/search-attributes.ts';
import { failureOf } from '../../helpers/failure-of.ts';

const INVALID_ARGUMENT = 3;
const refusal = (message: string) => Promise.reject(Object.assign(new Error(message), { code: INVALID_ARGUMENT }));

/** A server whose namespace is full, or whose frontends have not heard of new attributes yet. */
const server = {
  operatorService: {
    listSearchAttributes: () => Promise.resolve({ customAttributes: { TapedeckType: 2, TapedeckMediaId: 2 } }),
    addSearchAttributes: () => refusal('cannot have more than 10 search attribute of type Keyword.'),
  },
  workflowService: { countWorkflowExecutions: () => refusal("column name 'TapedeckCaller' is not valid") },
} as unknown as Connection;

it('a namespace that takes no more search attributes ends the start at once, with the command that registers the missing', async () => {
  const error = (await failureOf(registerSearchAttributes(server, 'media'))) as Error;
  expect(error.message).toMatch(/^Namespace media lacks search attributes, .*cannot have more than 10/);
  expect(error.message).toMatch(/search-attribute create --namespace media --name TapedeckDownloadId --type Keyword /);
  expect(error.message).not.toContain('--name TapedeckType');
  expect(isFinalRefusal(error)).toBe(true);
});

it('a server that does not know them yet is waited for', async () => {
  const error = (await failureOf(checkSearchAttributes(server, 'media'))) as Error;
  expect(error.message).toMatch(/not known everywhere yet/);
  expect(isFinalRefusal(error)).toBe(false);
});
