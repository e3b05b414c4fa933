import { parseArgs } from 'node:util';
import {
  commandOf,
  isCommand,
  isFetchCommand,
  optionOf,
  OPTIONS,
  optionsOf,
  type CommandName,
  type FetchCommand,
  type OptionName,
} from './command-table.ts';
import { UsageError } from './exit-codes.ts';
import { mediaOptionsIn } from './media-arguments.ts';

const MAX_CONCURRENCY = 32;
const DEFAULT_CONCURRENCY = 4;
const DEFAULT_LIMIT = 20;

export interface FetchOptions {
  readonly output: string | undefined;
  readonly isForced: boolean;
  readonly isJson: boolean;
  readonly isWaiting: boolean;
  readonly from: string | undefined;
  readonly concurrency: number;
  readonly format: string | undefined;
  readonly hasComments: boolean;
  readonly isVideo: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Parsed =
  | { readonly action: 'help'; readonly command: CommandName | undefined }
  | { readonly action: 'version' | 'mcp' }
  | { readonly action: 'keys'; readonly words: readonly string[] }
  | { readonly action: 'completion'; readonly shell: string }
  | {
      readonly action: 'fetch';
      readonly command: FetchCommand;
      readonly texts: readonly string[];
      readonly options: FetchOptions;
    }
  | {
      readonly action: 'jobs';
      readonly query: Readonly<Record<string, string>>;
      readonly limit: number;
      readonly isJson: boolean;
    }
  | { readonly action: 'job' | 'cancel' | 'items'; readonly ids: readonly string[]; readonly isJson: boolean }
  | {
      readonly action: 'follow';
      readonly urls: readonly string[];
      readonly request: Readonly<Record<string, string>>;
      readonly isVideo: boolean;
      readonly language: string | undefined;
      readonly isJson: boolean;
    }
  | { readonly action: 'unfollow'; readonly ids: readonly string[]; readonly isJson: boolean }
  | {
      readonly action: 'batch';
      readonly command: FetchCommand;
      readonly options: FetchOptions;
      readonly archive: string | undefined;
    }
  | {
      readonly action: 'batches';
      readonly change: string | undefined;
      readonly ids: readonly string[];
      readonly limit: number;
      readonly isJson: boolean;
    }
  | { readonly action: 'upload'; readonly paths: readonly string[]; readonly isJson: boolean }
  | {
      readonly action: 'feed';
      readonly what: 'create' | 'list' | 'revoke';
      readonly id: string;
      readonly isJson: boolean;
    }
  | { readonly action: 'webhook test'; readonly url: string; readonly isJson: boolean };

type Values = Readonly<Partial<Record<OptionName, string | boolean>>>;

export function parseCommandLine(words: readonly string[]): Parsed {
  // The keys command parses its own arguments.
  if (words[0] === 'keys') return { action: 'keys', words: words.slice(1) };
  const { values, positionals } = parse(words);
  const [name, ...rest] = positionals;
  if (values.version === true) return { action: 'version' };
  if (name === undefined || name === 'help') {
    const about = rest[0];
    if (about !== undefined && !isCommand(about)) throw new UsageError(`There is no command ${about}.`);
    if (values.help === true || name === 'help') return { action: 'help', command: about };
    throw new UsageError('No command is given.');
  }
  if (!isCommand(name)) throw new UsageError(`There is no command ${name}.`);
  if (values.help === true) return { action: 'help', command: name };
  for (const option of Object.keys(values) as OptionName[]) {
    if (!optionsOf(name).includes(option)) throw new UsageError(`${name} takes no --${option}.`);
  }
  return commandLine(name, rest, values);
}

function parse(words: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true, allowNegative: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's message explains what to do about arguments that begin with a hyphen, as video IDs may.
    throw new UsageError(error.message);
  }
}

function commandLine(name: CommandName, rest: readonly string[], values: Values): Parsed {
  const isJson = values.json === true;
  if (isFetchCommand(name)) {
    if (rest.length === 0 && values.from === undefined)
      throw new UsageError(`${name}: give at least one URL, handle or ID.`);
    return { action: 'fetch', command: name, texts: rest, options: fetchOptions(name, values) };
  }
  switch (name) {
    case 'jobs':
      if (rest.length > 0) throw new UsageError('jobs takes options only.');
      return { action: 'jobs', query: filtersOf(values), limit: numberOf(values, 'limit') ?? DEFAULT_LIMIT, isJson };
    case 'job':
    case 'cancel':
    case 'items':
      if (rest.length === 0) throw new UsageError(`${name}: give the ID of a job.`);
      return { action: name, ids: rest, isJson };
    case 'follow': {
      const request = given({ since: textOf(values, 'since') ?? 'now', every: textOf(values, 'every') });
      const how = { isVideo: values.video === true, language: textOf(values, 'language') };
      return { action: 'follow', urls: rest, request, ...how, isJson };
    }
    case 'unfollow':
      if (rest.length === 0) throw new UsageError('unfollow: give the ID of a subscription.');
      return { action: 'unfollow', ids: rest, isJson };
    case 'batch': {
      if (rest.length !== 1) throw new UsageError('batch: give one file with a subject per line, or -.');
      const command = (choiceOf(values, 'as') ?? 'audio') as FetchCommand;
      const options = { ...fetchOptions(command, values), from: rest[0] };
      return { action: 'batch', command, options, archive: textOf(values, 'archive') };
    }
    case 'batches': {
      const [change, ...ids] = rest;
      if (change !== undefined && (ids.length === 0 || commandOf('batches').words?.includes(change) !== true))
        throw new UsageError('The usage is: batches [cancel|resume|retry ID…]');
      return { action: 'batches', change, ids, limit: numberOf(values, 'limit') ?? DEFAULT_LIMIT, isJson };
    }
    case 'upload':
      if (rest.length === 0) throw new UsageError('upload: give the path of a file.');
      return { action: 'upload', paths: rest, isJson };
    case 'webhook': {
      const [what, url] = rest;
      if (what !== 'test' || url === undefined || rest.length > 2)
        throw new UsageError('The usage is: webhook test URL');
      return { action: 'webhook test', url, isJson };
    }
    case 'feed': {
      const [what, id = ''] = rest;
      const isKnown = what === 'create' || what === 'revoke' || what === 'list';
      if (!isKnown || (id === '') !== (what === 'list') || rest.length > 2)
        throw new UsageError('The usage is: feed create ID|feeds, feed list, or feed revoke ID');
      return { action: 'feed', what, id, isJson };
    }
    case 'mcp':
      return { action: 'mcp' };
    case 'completion':
      return { action: 'completion', shell: rest[0] ?? '' };
    case 'keys':
      throw new UsageError('keys must be the first word.');
  }
}

function fetchOptions(command: FetchCommand, values: Values): FetchOptions {
  const mode = choiceOf(values, 'mode');
  if (command === 'transcript' && values.language === undefined && mode !== 'generate') {
    throw new UsageError('transcript: --language is required, such as --language en.');
  }
  const format = choiceOf(values, 'format');
  if (format === 'rttm' && command === 'transcript')
    throw new UsageError('--format: rttm is available for speakers only.');
  const speakers = given({
    exact: numberOf(values, 'speakers'),
    min: numberOf(values, 'min-speakers'),
    max: numberOf(values, 'max-speakers'),
  });
  const language = textOf(values, 'language');
  const fields = {
    language: command === 'transcript' && language?.includes(',') === true ? language.split(',') : language,
    mode,
    speakers: Object.keys(speakers).length === 0 ? undefined : speakers,
    max_age_days: numberOf(values, 'max-age-days', 0),
    ...(command === 'media' && mediaOptionsIn((one) => textOf(values, one), flagsOf(values))),
  };
  const concurrency = numberOf(values, 'jobs') ?? DEFAULT_CONCURRENCY;
  if (concurrency > MAX_CONCURRENCY) throw new UsageError(`--jobs: at most ${String(MAX_CONCURRENCY)}`);
  return {
    output: textOf(values, 'output'),
    isForced: values.force === true,
    isJson: values.json === true,
    isWaiting: values.wait !== false,
    from: textOf(values, 'from'),
    concurrency,
    format,
    hasComments: values.comments === true,
    isVideo: values.video === true,
    fields: given(fields),
  };
}

function flagsOf(values: Values) {
  return { isExact: values.exact === true, awaitsStart: values['wait-for-start'] === true };
}

function filtersOf(values: Values): Readonly<Record<string, string>> {
  const query = {
    type: choiceOf(values, 'type'),
    status: choiceOf(values, 'status'),
    media_id: textOf(values, 'media'),
    created_after: timeOf(values, 'after'),
    created_before: timeOf(values, 'before'),
  };
  return given(query);
}

function given<Value>(fields: Readonly<Record<string, Value | undefined>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<string, Value>;
}

function textOf(values: Values, name: OptionName): string | undefined {
  const value = values[name];
  if (value === '') throw new UsageError(`--${name}: the value is empty.`);
  return typeof value === 'string' ? value : undefined;
}

function choiceOf(values: Values, name: OptionName): string | undefined {
  const value = textOf(values, name);
  const { choices = [] } = optionOf(name);
  if (value !== undefined && !choices.includes(value)) throw new UsageError(`--${name}: one of ${choices.join(', ')}`);
  return value;
}

function numberOf(values: Values, name: OptionName, least = 1): number | undefined {
  const value = textOf(values, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,6}$/.test(value) || Number(value) < least) {
    throw new UsageError(`--${name}: a whole number, ${String(least)} or more`);
  }
  return Number(value);
}

/** Without a zone, a time is UTC, which `jobs` prints. */
const TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z| ?UTC|[+-]\d\d:\d\d)?$/;

function timeOf(values: Values, name: OptionName): string | undefined {
  const value = textOf(values, name);
  if (value === undefined) return undefined;
  const [, day, hour = 'T00:00', zone = 'Z'] = TIME.exec(value) ?? [];
  const time = new Date(`${String(day)}${hour.replace(' ', 'T')}${zone.replace(/ ?UTC/, 'Z')}`);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${name}: a time such as 2026-11-21, "2026-11-21 09:30" (UTC) or 2026-11-21T09:30+01:00`);
  return time.toISOString();
}
