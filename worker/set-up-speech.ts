import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { chooseSpeech, type Speech } from '../speech/choose-engine.ts';
import { createSpeechLanguages } from '../store/records/speech-languages.ts';
import type { WorkFolders } from '../store/files/work-folders.ts';

/**
 * The engine of this worker, if it has the role.
 *
 * @param deps.folders one of these lasts as long as the worker: not those of attempts, which are gone when a job has ended
 * @throws when one was asked for by name and cannot be had
 */
export async function setUpSpeech(
  config: Config,
  { db, folders, log }: { readonly db: Db; readonly folders: WorkFolders; readonly log: Logger },
): Promise<{ readonly speech: Speech; readonly close: () => Promise<void> }> {
  if (!config.WORKER_ROLES.includes('speech')) {
    const missing = 'This worker hears nothing: WORKER_ROLES does not name speech.';
    return { speech: { missing }, close: () => Promise.resolve() };
  }
  const folder = await folders.open('engine');
  const speech = await chooseSpeech(config, folder.path);
  if ('missing' in speech) {
    // One that was asked for by name is an error of the operator's; without any, everything else works.
    if (config.SPEECH_ENGINE !== 'auto') throw new Error(`SPEECH_ENGINE=${config.SPEECH_ENGINE}: ${speech.missing}`);
    log.warn(`no speaker labels: ${speech.missing}`);
  } else {
    log.info({ engine: speech.engine.name }, 'speech engine');
    await createSpeechLanguages(db)
      .keep(speech.engine.languages)
      // The api refuses nothing then, and the jobs do.
      .catch((error: unknown) => log.warn({ err: error }, 'the api was not told the languages of the speech engine'));
  }
  return { speech, close: folder.remove };
}
