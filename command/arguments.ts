import { parseArgs } from 'node:util';
import * as table from './command-table.ts';
import { optional } from '../runtime/optional.ts';
import { UsageError } from './exit-codes.ts';

const MAX_CONCURRENCY = 32;
const DEFAULT_CONCURRENCY = 4;
const DEFAULT_LIMIT = 20;

export type FetchOptions = Readonly<ReturnType<typeof fetchOptions>>;
export type Parsed = ReturnType<typeof parseCommandLine>;
/** The parsed arguments of one command. */
export type ParsedAs<Action extends Parsed['action']> = Extract<Parsed, { readonly action: Action }>;

type Values = Readonly<Partial<Record<table.OptionName, string | boolean>>>;

export function parseCommandLine(words: readonly string[]) {
  // The keys command parses its own arguments.
  if (words[0] === 'keys') return { action: 'keys', words: words.slice(1) } as const;
  const { values, positionals } = parse(words);
  const [name, ...rest] = positionals;
  if (values.version === true) return { action: 'version' } as const;
  if (name === undefined || name === 'help') {
    const about = rest[0];
    if (about !== undefined && !table.isCommand(about)) throw new UsageError(`There is no command ${about}.`);
    if (values.help === true || name === 'help') return { action: 'help', command: about } as const;
    throw new UsageError('No command is given.');
  }
  if (!table.isCommand(name)) throw new UsageError(`There is no command ${name}.`);
  if (values.help === true) return { action: 'help', command: name } as const;
  for (const option of Object.keys(values) as table.OptionName[]) {
    if (!table.optionsOf(name).includes(option)) throw new UsageError(`${name} takes no --${option}.`);
  }
  return commandLine(name, rest, values);
}

/** A value is text unless its option is a flag. */
const PARSED_OPTIONS = Object.fromEntries(
  Object.entries<table.Option>(table.OPTIONS).map(([name, { value, short }]) => [
    name,
    { type: value === undefined ? ('boolean' as const) : ('string' as const), ...optional('short', short) },
  ]),
);

function parse(words: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...words], options: PARSED_OPTIONS, allowPositionals: true, allowNegative: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's message explains what to do about arguments that begin with a hyphen, as video IDs may.
    throw new UsageError(error.message);
  }
}

function commandLine(name: table.CommandName, rest: readonly string[], values: Values) {
  const isJson = values.json === true;
  if (table.isFetchCommand(name)) {
    if (rest.length === 0 && values.from === undefined)
      throw new UsageError(`${name}: give at least one URL, handle or ID.`);
    return { action: 'fetch', command: name, texts: rest, options: fetchOptions(name, values) } as const;
  }
  switch (name) {
    case 'jobs':
      if (rest.length > 0) throw new UsageError('jobs takes options only.');
      return {
        action: 'jobs',
        query: filtersOf(values),
        limit: numberOf(values, 'limit') ?? DEFAULT_LIMIT,
        isJson,
      } as const;
    case 'job':
    case 'cancel':
    case 'items':
      if (rest.length === 0) throw new UsageError(`${name}: give the ID of a job.`);
      return { action: name, ids: rest, isJson } as const;
    case 'follow': {
      const request = given({ since: textOf(values, 'since') ?? 'now', every: textOf(values, 'every') });
      const how = { isVideo: values.video === true, language: textOf(values, 'language') };
      return { action: 'follow', urls: rest, request, ...how, isJson } as const;
    }
    case 'unfollow':
      if (rest.length === 0) throw new UsageError('unfollow: give the ID of a subscription.');
      return { action: 'unfollow', ids: rest, isJson } as const;
    case 'batch': {
      if (rest.length !== 1) throw new UsageError('batch: give one file with a subject per line, or -.');
      const command = (choiceOf(values, 'as') ?? 'audio') as table.FetchCommand;
      const options = { ...fetchOptions(command, values), from: rest[0] };
      return { action: 'batch', command, options, archive: textOf(values, 'archive') } as const;
    }
    case 'batches': {
      const [change, ...ids] = rest;
      if (change !== undefined && (ids.length === 0 || table.commandOf('batches').words?.includes(change) !== true))
        throw new UsageError('The usage is: batches [cancel|resume|retry ID…]');
      return { action: 'batches', change, ids, limit: numberOf(values, 'limit') ?? DEFAULT_LIMIT, isJson } as const;
    }
    case 'upload':
      if (rest.length === 0) throw new UsageError('upload: give the path of a file.');
      return { action: 'upload', paths: rest, isJson } as const;
    case 'webhook': {
      const [what, url] = rest;
      if (what !== 'test' || url === undefined || rest.length > 2)
        throw new UsageError('The usage is: webhook test URL');
      return { action: 'webhook test', url, isJson } as const;
    }
    case 'feed': {
      const [what, id = ''] = rest;
      const isKnown = what === 'create' || what === 'revoke' || what === 'list';
      if (!isKnown || (id === '') !== (what === 'list') || rest.length > 2)
        throw new UsageError('The usage is: feed create ID|feeds, feed list, or feed revoke ID');
      return { action: 'feed', what, id, isJson } as const;
    }
    case 'mcp':
      return { action: 'mcp' } as const;
    case 'completion':
      return { action: 'completion', shell: rest[0] ?? '' } as const;
    case 'keys':
      throw new UsageError('keys must be the first word.');
  }
}

function fetchOptions(command: table.FetchCommand, values: Values) {
  const mode = choiceOf(values, 'mode');
  if (command === 'transcript' && values.language === undefined && mode !== 'generate') {
    throw new UsageError('transcript: --language is required, such as --language en.');
  }
  const format = choiceOf(values, 'format');
  if (format === 'rttm' && command === 'transcript')
    throw new UsageError('--format: rttm is available for speakers only.');
  const language = textOf(values, 'language');
  const fields = {
    language: command === 'transcript' && language?.includes(',') === true ? language.split(',') : language,
    mode,
    speakers: anyOf({
      exact: numberOf(values, 'speakers'),
      min: numberOf(values, 'min-speakers'),
      max: numberOf(values, 'max-speakers'),
    }),
    max_age_days: numberOf(values, 'max-age-days', 0),
    ...(command === 'media' && mediaFields(values)),
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

/** The fields of a request that say how the file of a page's media is made. */
function mediaFields(values: Values) {
  const listOf = (name: table.OptionName) => textOf(values, name)?.split(',');
  const live = anyOf({
    from: textOf(values, 'live-from'),
    seconds: numberOf(values, 'seconds'),
    until: textOf(values, 'until'),
  });
  return {
    container: textOf(values, 'container'),
    codec: textOf(values, 'codec'),
    max_height: numberOf(values, 'max-height'),
    bit_rate: numberOf(values, 'bit-rate'),
    sound_language: textOf(values, 'sound'),
    section: sectionOf(textOf(values, 'section'), values.exact),
    embed: listOf('embed'),
    sponsorblock: anyOf({ mark: listOf('mark'), remove: listOf('remove') }),
    live: live && { from: 'now', ...live },
    wait_for_start: values['wait-for-start'],
    file_name: textOf(values, 'name'),
  };
}

function sectionOf(text: string | undefined, exact: Values['exact']): object | undefined {
  if (text === undefined) {
    if (exact === true) throw new UsageError('--exact: give a --section, too.');
    return undefined;
  }
  const [, from = '', to = ''] = /^([\d:.]*)-([\d:.]*)$/.exec(text) ?? [];
  if (from + to === '') return given({ chapter: text, exact });
  return given({ from: from || undefined, to: to || undefined, exact });
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

/** @returns undefined if no field is given */
function anyOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const some = given(fields);
  return Object.keys(some).length === 0 ? undefined : some;
}

function textOf(values: Values, name: table.OptionName): string | undefined {
  const value = values[name];
  if (value === '') throw new UsageError(`--${name}: the value is empty.`);
  return typeof value === 'string' ? value : undefined;
}

function choiceOf(values: Values, name: table.OptionName): string | undefined {
  const value = textOf(values, name);
  const { choices = [] } = table.optionOf(name);
  if (value !== undefined && !choices.includes(value)) throw new UsageError(`--${name}: one of ${choices.join(', ')}`);
  return value;
}

function numberOf(values: Values, name: table.OptionName, least = 1): number | undefined {
  const value = textOf(values, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,6}$/.test(value) || Number(value) < least) {
    throw new UsageError(`--${name}: a whole number, ${String(least)} or more`);
  }
  return Number(value);
}

/** Without a zone, a time is UTC, which `jobs` prints. */
const TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z| ?UTC|[+-]\d\d:\d\d)?$/;

function timeOf(values: Values, name: table.OptionName): string | undefined {
  const value = textOf(values, name);
  if (value === undefined) return undefined;
  const [, day, hour = 'T00:00', zone = 'Z'] = TIME.exec(value) ?? [];
  const time = new Date(`${String(day)}${hour.replace(' ', 'T')}${zone.replace(/ ?UTC/, 'Z')}`);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${name}: a time such as 2026-11-21, "2026-11-21 09:30" (UTC) or 2026-11-21T09:30+01:00`);
  return time.toISOString();
}
