import type { z } from 'zod';
import type { Prices } from '../../contract/kinds/configured-prices.ts';
import { MCP_PATH } from '../mcp/mcp-host.ts';
import { costOf } from '../mcp/tools.ts';
import { inputShapeOf, readableSchema } from '../operations/input-schema.ts';
import { errorsOf, scopeOf, type Operation } from '../operations/operation.ts';
import { operationGroups } from '../operations/operations.ts';

export const MARKDOWN_PATH = '/docs/api.md';
const ABOUT = 'Public media, transcripts and metadata as durable jobs, by REST and MCP.';

/** A description of the service for assistants, as llmstxt.org proposes. */
export function llmsText(publicUrl: string): string {
  const groups = operationGroups.map(({ tag, about }) => {
    const anchor = tag.toLowerCase().replaceAll(' ', '-');
    return `- [${tag}](${publicUrl}${MARKDOWN_PATH}#${anchor}): ${about}`;
  });
  return `# Tapedeck

> ${ABOUT}

MCP clients connect to ${publicUrl}${MCP_PATH}. An API key is sent as \`Authorization: Bearer td_…\`.

## API

- [All operations](${publicUrl}${MARKDOWN_PATH}): fields, answers and errors
- [OpenAPI](${publicUrl}/openapi.json): the same for programs, with examples

## Operations

${groups.join('\n')}
`;
}

/** The API page as Markdown. */
export function apiMarkdown(publicUrl: string, prices: Prices): string {
  const groups = operationGroups.map(({ tag, about, rows }) => {
    const operations = Object.values<Operation>(rows).map((row) => operationText(row, prices));
    return [`## ${tag}`, about, ...operations].join('\n\n');
  });
  return [`# Tapedeck API`, `${ABOUT} Addresses begin with ${publicUrl}.`, ...groups].join('\n\n') + '\n';
}

function operationText(row: Operation, prices: Prices): string {
  const { method, path, summary, tool, rpc, answers } = row;
  const scope = scopeOf(row);
  const facts = [
    `${summary}.`,
    costOf(row, prices),
    scope === 'none' ? 'It needs no key.' : `Scope: \`${scope}\`.`,
    tool && `MCP tool: \`${tool}\`.`,
    rpc && `tRPC procedure: \`${rpc}\`.`,
  ];
  const { properties = {}, required = [] } = readableSchema(inputShapeOf(row), true);
  const fields = Object.entries(properties as Readonly<Record<string, Field>>);
  const lines = [
    ...fields.map(([name, field]) => `- \`${name}\`${typeOf(field, required.includes(name))}`),
    ...Object.entries(answers).map(([status, { description }]) => `- **${status}**: ${description}`),
    `- Errors: ${errorsOf(row).join(', ')}`,
  ];
  return `### ${method.toUpperCase()} ${path}\n\n${facts.filter(Boolean).join(' ')}\n\n${lines.join('\n')}`;
}

type Field = z.core.JSONSchema.BaseSchema;

function typeOf({ type, enum: values, description }: Field, isRequired: boolean): string {
  const types = values?.map((value) => JSON.stringify(value)).join(' | ') ?? type;
  const facts = [types, isRequired && 'required'].filter(Boolean).join(', ');
  return `${facts === '' ? '' : ` (${facts})`}${description === undefined ? '' : `: ${description}`}`;
}
