import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { DownloadResult, JobDetails } from '../clients/typescript/src/index.ts';
import { sizeText } from '../runtime/terminal-progress.ts';
import { jobIdsOf, type JobAnswer } from './read-answer.ts';
import { optionOf, type FetchCommand } from './command-table.ts';
import { factsText } from './job-facts.ts';
import type { FetchRequest, Deps, Outcome } from './obtain.ts';
import { jsonText } from './printable.ts';
import { saveFile, saveText } from './save-file.ts';
import type { Service } from './reach-service.ts';
import type { Naming } from '../runtime/file-names.ts';
import { pathByLink, pathIn, type SaveTarget } from './download-targets.ts';

/** The paths that return a result in other formats. */
const EXPORTS: Readonly<Partial<Record<FetchCommand, string>>> = {
  transcript: '/api/transcripts',
  speech: '/api/transcriptspeakerid',
  speakers: '/api/transcriptspeakerid',
};
const OF_FILES: ReadonlySet<FetchCommand> = new Set(['audio', 'video', 'media']);

interface FileToSave {
  readonly path: string;
  readonly save: () => Promise<void>;
}

/** A request with the target of its result. */
export interface SavedRequest extends FetchRequest {
  readonly target: SaveTarget;
}

/** Saves the result of a request, or prints it. @returns the paths of the saved files */
export async function deliver(deps: Deps, fetchRequest: SavedRequest, outcome: Outcome): Promise<readonly string[]> {
  const { command, options, target } = fetchRequest;
  const { display } = deps;
  const { state, answer } = outcome;
  // A list is saved even if one of its parts is missing.
  if (state === 'pending' || (state === 'failed' && answer.status !== 'success')) return [];
  // The audio has no speech, or the video has no audio.
  const isOfSound = command === 'audio' || command === 'speech' || command === 'speakers';
  if (isOfSound && answer.message !== undefined) display.note(`${fetchRequest.text}: ${answer.message}`);
  if (answer.source?.reason !== undefined) display.note(`${fetchRequest.text}: ${answer.source.reason}`, 'dim');
  const isPrinted = options.output === undefined && !OF_FILES.has(command);
  if (isPrinted && !options.isJson) display.printText((await textOf(deps, fetchRequest, answer)).trimEnd());
  if (isPrinted || (options.output === undefined && options.isJson)) return [];
  const files = OF_FILES.has(command)
    ? await filesOf(deps, fetchRequest, answer)
    : [await textFileOf(deps, fetchRequest, answer)];
  // A file gets its name only when it is complete.
  for (const { path, save } of files) {
    if (!options.isForced && 'folder' in target && existsSync(path)) {
      display.note(`${path} already exists`, 'dim');
    } else await save();
    if (!options.isJson) display.print(path);
  }
  return files.map(({ path }) => path);
}

async function filesOf(
  { service, display }: Deps,
  { text, options, target }: SavedRequest,
  { data }: JobAnswer,
): Promise<readonly FileToSave[]> {
  const links = data?.file_urls ?? [];
  if (data?.id === undefined || links.length === 0) return [];
  const { id } = data;
  const names = await namesOf(service, { id, mediaId: data.media_id, target });
  return links.map((url, index) => {
    const path =
      'folder' in target && options.fields['file_name'] !== undefined
        ? pathByLink(target.folder, url)
        : pathIn(target, { ...names, ending: extname(new URL(url).pathname) }, index);
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

async function textFileOf(deps: Deps, fetchRequest: SavedRequest, answer: JobAnswer): Promise<FileToSave> {
  const { service } = deps;
  // The absence of speech is known without a job; the ID is then that of the audio.
  const [id = answer.transcript_speaker_id ?? ''] = jobIdsOf(answer);
  const { command, options, target } = fetchRequest;
  const wanted = options.fields['language'] as string | readonly string[] | undefined;
  const language = [wanted ?? []].flat().join('-');
  const variant = command === 'transcript' && language !== '' ? language : command;
  const ending = `.${variant}.${formatOf(fetchRequest) ?? 'json'}`;
  const path = pathIn(target, { ...(await namesOf(service, { id, target })), ending });
  const save = async (): Promise<void> => {
    await saveText(path, await textOf(deps, fetchRequest, answer), { ...options, signal: service.signal });
  };
  return { path, save };
}

/** Returns the names for files in a folder. A target with a file name of its own needs none. */
async function namesOf(
  service: Service,
  { id, mediaId, target }: { readonly id: string; readonly mediaId?: string | undefined; readonly target: SaveTarget },
): Promise<Omit<Naming, 'ending'>> {
  if ('file' in target) return { title: undefined, id };
  const { title } = await service.send<JobDetails>('GET', `/api/downloads/${id}/job`);
  const known = mediaId ?? (await service.send<DownloadResult>('GET', `/downloads/${id}`)).data.media_id;
  return { title: title ?? undefined, id: known };
}

async function textOf({ service }: Deps, fetchRequest: SavedRequest, answer: JobAnswer): Promise<string> {
  const path = EXPORTS[fetchRequest.command];
  const format = formatOf(fetchRequest);
  const [id] = jobIdsOf(answer);
  if (path !== undefined && format !== 'json') {
    // Without audio there was no job, so there is no text.
    return id === undefined ? '' : service.text(`${path}/${id}.${format ?? 'txt'}`);
  }
  return format === undefined ? factsText(answer) : `${jsonText(answer, 2)}\n`;
}

/** @returns undefined if the result is printed as facts for people */
function formatOf({ command, options, target }: SavedRequest): string | undefined {
  if (options.format !== undefined) return options.format;
  if (EXPORTS[command] === undefined) return options.output === undefined ? undefined : 'json';
  const ending = 'file' in target ? extname(target.file).slice(1).toLowerCase() : '';
  if (optionOf('format').choices?.includes(ending) === true) return ending;
  // Only JSON contains the comments.
  return options.hasComments ? 'json' : 'txt';
}
