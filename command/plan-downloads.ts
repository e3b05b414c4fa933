import type { Offer, Resolved, Subject } from '../clients/typescript/src/index.ts';
import type { FetchOptions } from './arguments.ts';
import type { FetchCommand } from './command-table.ts';
import { UsageError } from './exit-codes.ts';

export interface JobRequest {
  readonly operation?: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Plan {
  /** The request whose result the other request needs. */
  readonly first?: JobRequest | undefined;
  readonly request: JobRequest;
  /** The field that is filled from the first result. */
  readonly needs?: string | undefined;
}

export type Options = Pick<FetchOptions, 'fields' | 'hasComments' | 'isVideo'>;

const OPERATIONS: Readonly<Record<FetchCommand, readonly string[]>> = {
  audio: ['requestAudio', 'requestImgnetAudio'],
  video: ['requestVideo'],
  transcript: ['requestTranscript'],
  speech: ['requestSpeech'],
  speakers: ['requestSpeakerLabels'],
  profile: ['requestImgnetProfile'],
  post: ['requestImgnetContent'],
  list: ['requestImgnetList'],
  channel: ['requestChannel'],
  media: ['requestMedia'],
  info: ['requestMediaInfo'],
};
const BY_ID: Readonly<Partial<Record<FetchCommand, readonly [path: string, field: string]>>> = {
  speech: ['/api/speech', 'download_id'],
  speakers: ['/api/transcriptspeakerid', 'transcript_with_speaker_id'],
};
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** @returns the plan for arguments that need no resolving: the transcript of a download that exists, or a page */
export function planById(command: FetchCommand, text: string, { fields, isVideo }: Options): Plan | undefined {
  if (command === 'media' && URL.canParse(text)) {
    const body = { url: text, format: isVideo ? 'video' : 'audio', ...fields };
    return { request: { operation: 'requestMedia', path: '/api/downloads/media', body } };
  }
  const [path, field] = BY_ID[command] ?? [];
  if (!ULID.test(text) || path === undefined || field === undefined) return undefined;
  return { request: { path, body: { ...fields, [field]: text } } };
}

/** @param resolved the subjects that the service recognized in the text @throws UsageError that lists the available alternatives */
export function planOf(command: FetchCommand, text: string, about: Options & { readonly resolved: Resolved }): Plan {
  const { subjects } = about.resolved;
  for (const subject of subjects) {
    const offer = subject.offers.find((one) => isMeant(command, one, about));
    if (offer === undefined) continue;
    const first = subject.offers.find(({ operation }) => operation === offer.after);
    return {
      first: first && { path: first.path, body: first.body },
      request: { operation: offer.operation, path: offer.path, body: { ...offer.body, ...about.fields } },
      needs: first && offer.needs[0],
    };
  }
  throw new UsageError(refusalOf(command, text, subjects));
}

function isMeant(command: FetchCommand, { operation, body }: Offer, { hasComments, isVideo }: Options): boolean {
  if (!OPERATIONS[command].includes(operation)) return false;
  if (command === 'transcript') return (body['include_comments'] === true) === hasComments;
  if (command === 'media') return (body['format'] === 'video') === isVideo;
  return true;
}

function refusalOf(command: FetchCommand, text: string, subjects: readonly Subject[]): string {
  const [subject] = subjects;
  // The name of a missing file may also be that of an account.
  const file = command === 'speech' && !URL.canParse(text) ? 'there is no such file, and ' : '';
  if (subject === undefined) return `${text}: ${file}this is no URL, handle or id that the service knows.`;
  if (subject.note !== null) return `${text}: ${subject.note}`;
  const commands = Object.entries(OPERATIONS)
    .filter(([, operations]) => subject.offers.some(({ operation }) => operations.includes(operation)))
    .map(([name]) => name);
  return `${text}: ${file}it is a ${subject.kind}, of which there is no ${command}; there is: ${commands.join(', ')}`;
}
