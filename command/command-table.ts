import { CONTAINERS } from '../contract/media-option-values.ts';
import { recordStatusSchema, recordTypeSchema } from '../contract/download-record.ts';

export interface Option {
  readonly short?: string;
  /** The placeholder of the value in the help. An option without one is a flag. */
  readonly value?: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isPath?: true;
}

/** The commands of which the service makes batches. */
export const BATCH_COMMANDS = ['audio', 'video', 'transcript', 'profile', 'post', 'channel', 'media'] as const;

/** How the file of a page's media is made. */
const MEDIA_OPTIONS = {
  container: {
    value: 'NAME',
    about: 'mp4, mkv or webm of a video; m4a, mp3, opus, flac or wav of audio',
    choices: Object.keys(CONTAINERS),
  },
  'max-height': { value: 'LINES', about: 'the most lines of a video' },
  codec: { value: 'NAME', about: 'h264, hevc, vp9 or av1, if the page has it' },
  'bit-rate': { value: 'KBIT', about: 'encode the sound with this many kbit/s' },
  sound: { value: 'CODE', about: 'the language of the sound, such as de (default: the original)' },
  section: { value: 'FROM-TO|TITLE', about: 'only this part, such as 1:30-2:00, 90- or the title of a chapter' },
  exact: { about: 'cut the section to the frame, which encodes it again' },
  embed: { value: 'LIST', about: 'write into the file: tags, cover, chapters, captions' },
  mark: { value: 'LIST', about: 'make chapters of segments of SponsorBlock, such as sponsor,intro' },
  remove: { value: 'LIST', about: 'cut out segments of SponsorBlock' },
  'live-from': {
    value: 'start|now',
    about: 'record a running broadcast from its start or from now (the default); give --seconds or --until',
    choices: ['start', 'now'],
  },
  seconds: { value: 'N', about: 'for how long to record' },
  until: { value: 'TIME', about: 'when to stop recording, such as 2026-11-21T22:00:00Z' },
  'wait-for-start': { about: 'wait for a premiere or an announced broadcast' },
  name: { value: 'TEMPLATE', about: 'the name of the file, such as "{date} {title}"' },
} as const satisfies Record<string, Option>;

/** All options of all commands. Parser, help and shell completion are derived from this table. */
export const OPTIONS = {
  output: {
    short: 'o',
    value: 'FILE|FOLDER',
    about: 'where to save the result; by default, files go to the current folder, and other results are printed',
    isPath: true,
  },
  force: { short: 'f', about: 'overwrite existing files' },
  json: { about: 'print a line of JSON for each result; files are saved only with --output' },
  wait: { about: 'wait for results (the default); --no-wait starts the jobs and prints their ids' },
  from: {
    value: 'FILE|-',
    about: 'read further subjects from a file, one per line; the service fetches them as a batch',
    isPath: true,
  },
  jobs: { short: 'j', value: 'N', about: 'how many to fetch at once (default 4)' },
  language: { short: 'l', value: 'CODE', about: 'such as en, de or pt-BR; for transcript also several, such as de,en' },
  mode: {
    value: 'MODE',
    about:
      'native (captions, the default for videos), auto (captions, or else what is spoken) or generate (what is spoken)',
    choices: ['native', 'auto', 'generate'],
  },
  comments: { about: 'include the comments, in JSON' },
  format: {
    value: 'FORMAT',
    about: 'txt, srt, vtt, rttm (speakers only) or json; by default that of the --output file, else txt',
    choices: ['txt', 'srt', 'vtt', 'rttm', 'json'],
  },
  speakers: { value: 'N', about: 'the exact number of speakers' },
  'min-speakers': { value: 'N', about: 'the least number of speakers' },
  'max-speakers': { value: 'N', about: 'the greatest number of speakers' },
  'max-age-days': { value: 'N', about: 'only posts of the last N days' },
  video: { about: 'the video instead of the audio' },
  ...MEDIA_OPTIONS,
  as: {
    value: 'COMMAND',
    about: 'what to fetch of each subject: audio (the default), video, transcript, profile, post, channel or media',
    choices: BATCH_COMMANDS,
  },
  archive: { value: 'FILE', about: 'save all results as a Zip archive at the end', isPath: true },
  type: { value: 'TYPE', about: 'only jobs of this type', choices: recordTypeSchema.options },
  status: {
    value: 'STATUS',
    about: 'only jobs with this status: pending, success or failed',
    choices: recordStatusSchema.options,
  },
  media: { value: 'ID', about: 'only jobs about this video, channel, account or post' },
  after: {
    value: 'TIME',
    about: 'only jobs created at this time or later, such as 2026-11-21 or "2026-11-21 09:30", in UTC',
  },
  before: { value: 'TIME', about: 'only jobs created before this time, in UTC' },
  limit: { value: 'N', about: 'the greatest number of jobs (default 20)' },
  since: { value: 'now|all|DATE', about: 'what is fetched first (default now)' },
  every: { value: 'TIME', about: 'the time between two checks, such as 30m, 6h or 1d (default 6h)' },
  help: { short: 'h', about: 'show this' },
  version: { about: 'show the version' },
} as const satisfies Record<string, Option>;
export type OptionName = keyof typeof OPTIONS;

/** The same table with a uniform type, for code that iterates over it. */
export const optionOf = (name: OptionName): Option => OPTIONS[name];

const FETCHING = ['output', 'force', 'json', 'wait', 'from', 'jobs'] as const;
export const COMMON_OPTIONS = ['help'] as const;

interface Command {
  readonly operands: string;
  readonly about: string;
  readonly options: readonly OptionName[];
  /** Words that may come first. */
  readonly words?: readonly string[];
}

/** The commands that fetch something, each for any number of subjects. */
export const FETCH_COMMANDS = {
  audio: { operands: 'URL…', about: 'the audio of a video or post, as M4A', options: FETCHING },
  video: { operands: 'URL…', about: 'a video, as MP4', options: FETCHING },
  transcript: {
    operands: 'URL… --language CODE',
    about: 'the captions of a video, or what is spoken at any URL',
    options: ['language', 'mode', 'comments', 'format', ...FETCHING],
  },
  speech: {
    operands: 'URL|ID|FILE…',
    about:
      'a transcript with speakers, of any URL, of a download by its ID, or of a local recording, which is sent first',
    options: ['language', 'speakers', 'min-speakers', 'max-speakers', 'format', ...FETCHING],
  },
  speakers: {
    operands: 'URL|ID…',
    about: 'the same in two steps: the audio is fetched first, and then its speakers are labelled',
    options: ['language', 'speakers', 'min-speakers', 'max-speakers', 'format', ...FETCHING],
  },
  profile: { operands: 'URL|@NAME…', about: 'the profile of an account of the photo platform', options: FETCHING },
  post: { operands: 'URL…', about: 'a post or reel', options: FETCHING },
  list: { operands: 'URL|@NAME…', about: 'the posts and reels of an account', options: ['max-age-days', ...FETCHING] },
  channel: { operands: 'URL|@NAME…', about: 'a channel with all of its videos', options: FETCHING },
  media: {
    operands: 'URL…',
    about: 'the audio or video of any page, as you want the file',
    options: ['video', ...(Object.keys(MEDIA_OPTIONS) as (keyof typeof MEDIA_OPTIONS)[]), ...FETCHING],
  },
  info: { operands: 'URL…', about: 'what a page offers: title, length, formats and captions', options: FETCHING },
} as const satisfies Record<string, Command>;
export type FetchCommand = keyof typeof FETCH_COMMANDS;

const OTHER_COMMANDS = {
  batch: {
    operands: 'FILE|-',
    about: 'fetch the subjects of a list by one batch in the service, one per line',
    options: ['as', 'archive', 'language', 'comments', 'video', 'force', 'json', 'wait'],
  },
  batches: {
    operands: '[cancel|resume|retry ID…]',
    about: 'list batches, newest first, or change some',
    options: ['limit', 'json'],
    words: ['cancel', 'resume', 'retry'],
  },
  jobs: {
    operands: '',
    about: 'list jobs, newest first',
    options: ['type', 'status', 'media', 'after', 'before', 'limit', 'json'],
  },
  job: { operands: 'ID…', about: 'show jobs', options: ['json'] },
  items: { operands: 'ID…', about: 'print the items of lists, page by page, each as a line of JSON', options: [] },
  upload: {
    operands: 'FILE…',
    about: 'send recordings, for `speakers ID`; one that was cut is continued',
    options: ['json'],
  },
  follow: {
    operands: '[URL…]',
    about: 'fetch what channels, playlists, profiles and feeds publish; without a URL, list what is followed',
    options: ['since', 'every', 'video', 'language', 'json'],
  },
  unfollow: { operands: 'ID…', about: 'end what `follow` has begun', options: ['json'] },
  cancel: { operands: 'ID…', about: 'cancel running jobs', options: ['json'] },
  webhook: {
    operands: 'test URL',
    about: 'check that a webhook URL can be reached',
    options: ['json'],
    words: ['test'],
  },
  feed: {
    operands: 'create ID|feeds, list, revoke ID',
    about: 'podcast feeds of the files of batches and subscriptions; `create feeds` makes an OPML list of all of them',
    options: ['json'],
    words: ['create', 'list', 'revoke'],
  },
  mcp: { operands: '', about: 'serve the tools of the service to an assistant by MCP, on standard input', options: [] },
  keys: {
    operands: '…',
    about: 'create, list and revoke API keys in the database, like `npm run keys`',
    options: [],
    words: ['create', 'list', 'revoke', 'credit', 'webhook-secret'],
  },
  completion: {
    operands: 'bash|zsh|fish',
    about: 'print a script that adds completion to the shell',
    options: [],
    words: ['bash', 'zsh', 'fish'],
  },
} as const satisfies Record<string, Command>;

export const COMMANDS = { ...FETCH_COMMANDS, ...OTHER_COMMANDS };
export type CommandName = keyof typeof COMMANDS;
export const commandOf = (name: CommandName): Command => COMMANDS[name];

export function isCommand(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

export function isFetchCommand(name: CommandName): name is FetchCommand {
  return Object.hasOwn(FETCH_COMMANDS, name);
}

export function isBatchCommand(name: FetchCommand): name is (typeof BATCH_COMMANDS)[number] {
  return BATCH_COMMANDS.some((one) => one === name);
}

export function optionsOf(name: CommandName): readonly OptionName[] {
  return [...commandOf(name).options, ...COMMON_OPTIONS];
}
