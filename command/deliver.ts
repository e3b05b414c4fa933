import { extname } from 'node:path';
import type { DownloadResult, JobDetails } from '../clients/typescript/src/index.ts';
import { sizeText } from '../runtime/terminal-progress.ts';
import { jobIdsOf } from './read-answer.ts';
import { optionOf, type FetchCommand } from './command-table.ts';
import { factsText } from './job-facts.ts';
import type { Asked, Deps, Outcome } from './obtain.ts';
import { jsonText } from './printable.ts';
import { isSaved, saveFile, saveText } from './save-file.ts';
import type { Service } from './reach-service.ts';
import { pathIn, type Naming, type Place } from './download-targets.ts';

/** Where the text of a result is had in other formats. */
const EXPORTS: Readonly<Partial<Record<FetchCommand, string>>> = {
  transcript: '/api/transcripts',
  speakers: '/api/transcriptspeakerid',
};
const OF_FILES: ReadonlySet<FetchCommand> = new Set(['audio', 'video', 'media']);

/** A file that is to be there. */
interface Piece {
  readonly path: string;
  readonly save: () => Promise<void>;
}

export interface Delivery {
  readonly outcome: Outcome;
  readonly place: Place;
}

/**
 * Saves what was had, or prints it for people.
 *
 * @returns paths of the files that are there now
 */
export async function deliver(deps: Deps, asked: Asked, delivery: Delivery): Promise<readonly string[]> {
  const { command, options } = asked;
  const { display } = deps;
  const { state, answer } = delivery.outcome;
  // A list of which a part is missing is worth having.
  if (state === 'pending' || (state === 'failed' && answer.status !== 'success')) return [];
  // Nobody speaks, or there is no audio.
  const isOfSound = command === 'audio' || command === 'speakers';
  if (isOfSound && answer.message !== undefined) display.note(`${asked.text}: ${answer.message}`);
  const isPrinted = options.output === undefined && !OF_FILES.has(command);
  if (isPrinted && !options.isJson) display.printText((await textOf(deps, asked, delivery)).trimEnd());
  if (isPrinted || (options.output === undefined && options.isJson)) return [];
  const pieces = OF_FILES.has(command) ? await linked(deps, asked, delivery) : [await written(deps, asked, delivery)];
  for (const { path, save } of pieces) {
    if (!options.isForced && 'folder' in delivery.place && (await isSaved(path))) {
      display.note(`${path} is there already`, 'dim');
    } else await save();
    if (!options.isJson) display.print(path);
  }
  return pieces.map(({ path }) => path);
}

/** The files behind the links of a record. */
async function linked(
  { service, display }: Deps,
  { text, options }: Asked,
  { outcome, place }: Delivery,
): Promise<readonly Piece[]> {
  const { data } = outcome.answer;
  const links = data?.file_urls ?? [];
  if (data?.id === undefined || links.length === 0) return [];
  const { id } = data;
  const names = await namesOf(service, { id, mediaId: data.media_id, place });
  return links.map((url, index) => {
    const path = pathIn(place, { ...names, ending: extname(new URL(url).pathname) }, index);
    const save = async (): Promise<void> => {
      const work = display.work(text);
      const onProgress = (done: number, total: number): void => {
        work.show({ stage: 'saving', percent: (done / total) * 100, text: `saving ${sizeText(total)}` });
      };
      try {
        const file = await service.open(id, index);
        await saveFile(path, file, { isForced: options.isForced, signal: service.signal, onProgress });
      } finally {
        work.end();
      }
    };
    return { path, save };
  });
}

/** A result that is text. */
async function written(deps: Deps, asked: Asked, delivery: Delivery): Promise<Piece> {
  const { service } = deps;
  const { place, outcome } = delivery;
  // Nobody speaks where there is no audio: that is known without a job, by the id of the audio.
  const [id = outcome.answer.transcript_speaker_id ?? ''] = jobIdsOf(outcome.answer);
  const variant = asked.command === 'transcript' ? String(asked.options.fields['language']) : asked.command;
  const ending = `.${variant}.${formatOf(asked, place) ?? 'json'}`;
  const path = pathIn(place, { ...(await namesOf(service, { id, place })), ending });
  const save = async (): Promise<void> => {
    await saveText(path, await textOf(deps, asked, delivery), { ...asked.options, signal: service.signal });
  };
  return { path, save };
}

interface Named {
  readonly id: string;
  readonly mediaId?: string | undefined;
  readonly place: Place;
}

/** What files are called in a folder; one that has its name already needs none. */
async function namesOf(service: Service, { id, mediaId, place }: Named): Promise<Omit<Naming, 'ending'>> {
  if ('file' in place) return { title: undefined, id };
  const { title } = await service.ask<JobDetails>('GET', `/api/downloads/${id}/job`);
  const known = mediaId ?? (await service.ask<DownloadResult>('GET', `/downloads/${id}`)).data.media_id;
  return { title: title ?? undefined, id: known };
}

async function textOf({ service }: Deps, asked: Asked, { outcome: { answer }, place }: Delivery): Promise<string> {
  const path = EXPORTS[asked.command];
  const format = formatOf(asked, place);
  const [id] = jobIdsOf(answer);
  if (path !== undefined && format !== 'json') {
    // Nobody speaks where there is no audio, and no job was needed to know it.
    return id === undefined ? '' : service.text(`${path}/${id}.${format ?? 'txt'}`);
  }
  return format === undefined ? factsText(answer) : `${jsonText(answer, 2)}\n`;
}

/** @returns undefined where a person reads facts */
function formatOf({ command, options }: Asked, place: Place): string | undefined {
  if (options.format !== undefined) return options.format;
  if (EXPORTS[command] === undefined) return options.output === undefined ? undefined : 'json';
  const ending = 'file' in place ? extname(place.file).slice(1).toLowerCase() : '';
  if (optionOf('format').choices?.includes(ending) === true) return ending;
  // Only there are the comments told.
  return options.hasComments ? 'json' : 'txt';
}
