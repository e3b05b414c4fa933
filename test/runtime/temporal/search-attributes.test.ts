import type { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { isFinalRefusal } from '../../../runtime/temporal/temporal-client.ts';
import { checkSearchAttributes, registerSearchAttributes } from '../../../runtime/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES } from '../../../runtime/temporal/visibility.ts';
import { failureOf } from '../../helpers/promises.ts';

const INVALID_ARGUMENT = 3;
const refusal = (message: string, code = INVALID_ARGUMENT) =>
  Promise.reject(Object.assign(new Error(message), { code }));

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
  const error = (await failureOf(checkSearchAttributes(server, 'media', true))) as Error;
  expect(error.message).toMatch(/does not know the registered search attributes yet/);
  expect(isFinalRefusal(error)).toBe(false);
});

describe('Temporal Cloud, which opens the operators’ service to no client', () => {
  const PERMISSION_DENIED = 7;
  /** @param code of the answer when jobs are asked for by our attributes */
  const cloud = (code?: number) =>
    ({
      operatorService: { listSearchAttributes: () => refusal('Request unauthorized.', PERMISSION_DENIED) },
      workflowService: {
        countWorkflowExecutions: () => (code === undefined ? Promise.resolve({}) : refusal('is not valid', code)),
      },
    }) as unknown as Connection;

  it('is good when the attributes were made there', async () => {
    expect(await registerSearchAttributes(cloud(), 'media.a1b2c')).toBe(false);
    await checkSearchAttributes(cloud(), 'media.a1b2c', false);
  });

  it('ends the start at once when they were not, with the command that makes all', async () => {
    const error = (await failureOf(checkSearchAttributes(cloud(INVALID_ARGUMENT), 'media.a1b2c', false))) as Error;
    expect(error.message).toMatch(/tcld namespace search-attributes add --namespace media.a1b2c --search-attribute /);
    for (const name of Object.values(SEARCH_ATTRIBUTES)) expect(error.message).toContain(`${name}=Keyword`);
    expect(isFinalRefusal(error)).toBe(true);
  });

  it('ends the start with its own words when the key is not good', async () => {
    const error = await failureOf(checkSearchAttributes(cloud(PERMISSION_DENIED), 'media.a1b2c', false));
    expect(isFinalRefusal(error)).toBe(true);
  });
});
