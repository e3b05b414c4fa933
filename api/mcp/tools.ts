import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Prices } from '../../contract/kinds/configured-prices.ts';
import type { PriceSetting } from '../../contract/kinds/kind.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { formatMoney } from '../../contract/money.ts';
import { isRepeatable, type Operation } from '../operations/operation.ts';
import { inputShapeOf, readableSchema } from '../operations/input-schema.ts';
import { operations } from '../operations/operations.ts';

/** Clients of MCP give up after a minute by default. */
const WAIT_SECONDS = 45;
const WAIT_MAX_SECONDS = 600;

/** The fields that tools have in addition to those of their operations. */
const extraFields = {
  wait_seconds: z
    .int()
    .min(0)
    .max(WAIT_MAX_SECONDS)
    .default(WAIT_SECONDS)
    .describe('How long to wait for the end of the job'),
  times: z.boolean().default(true).describe('Whether each line of a transcript begins with its time'),
  speakers: z.boolean().default(true).describe('Whether each line of a transcript names its speaker, if known'),
  cursor: z.string().max(200).optional().describe('The cursor that the previous page names'),
};
export const extraSchema = z.object(extraFields);

export interface Tool {
  readonly operation: string;
  readonly row: Operation;
  readonly listed: ListedTool;
}

/** The tools of all operations that have one, by their names. */
export function toolsOf(prices: Prices): ReadonlyMap<string, Tool> {
  const tools = Object.entries<Operation>(operations).flatMap(([operation, row]) =>
    row.tool === undefined ? [] : [{ operation, row, listed: listedTool(row, row.tool, prices) }],
  );
  return new Map(tools.map((tool) => [tool.listed.name, tool]));
}

export const isResult = (row: Operation): boolean => row.run === operations.getResult.run;

function listedTool(row: Operation, name: string, prices: Prices): ListedTool {
  const { wait_seconds, times, speakers, cursor } = extraFields;
  const hasText = isResult(row) || row.jobs?.some((type) => type === 'captions' || type === 'speaker_labels') === true;
  // Running jobs are always joined.
  const { limit, on_duplicate: _, ...fields } = inputShapeOf(row);
  const shape = {
    ...fields,
    ...(limit !== undefined && !isResult(row) && { limit }),
    ...(row.wait !== undefined && { wait_seconds }),
    ...(hasText && { times, speakers }),
    ...(isResult(row) && { cursor }),
  };
  const cost = costOf(row, prices);
  return {
    name,
    description: [`${row.summary}.`, cost].filter(Boolean).join(' '),
    inputSchema: readableSchema(shape) as ListedTool['inputSchema'],
    annotations: {
      readOnlyHint: row.method === 'get' || (row.jobs !== undefined && cost === undefined),
      destructiveHint: row.method === 'delete' || name.startsWith('cancel'),
      idempotentHint: row.method === 'get' || row.jobs !== undefined,
      openWorldHint: row.jobs !== undefined || cost !== undefined,
    },
  };
}

/** @returns what a call costs, in sentences; undefined if it is free */
export function costOf({ tool = '', jobs, method, answers }: Operation, prices: Prices): string | undefined {
  if (jobs === undefined) {
    const isStarting = isRepeatable({ method, answers }) && !tool.startsWith('cancel');
    return isStarting ? 'Each job that it starts costs credit.' : undefined;
  }
  const texts = jobs
    .flatMap((type) => Object.entries<PriceSetting>(kinds[type].prices))
    .filter(([name]) => prices[name as keyof Prices] > 0)
    .map(([name, { about }]) => `${about}: ${formatMoney(prices[name as keyof Prices])}.`);
  return texts.length === 0 ? undefined : `Costs credit unless the result is stored. ${[...new Set(texts)].join(' ')}`;
}
