import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { chooseSpeech, type Speech } from '../speech/choose-engine.ts';
import { createSpeechLanguages } from '../store/records/speech-languages.ts';
import { transcribedWindows } from '../runtime/telemetry/diagnostics.ts';
import type { WorkFolders } from '../store/files/work-folders.ts';

/** Sets up the engine of a worker with the role. @throws if SPEECH_ENGINE names an engine that is not available */
export async function setUpSpeech(
  config: Config,
  { db, folders, log }: { readonly db: Db; readonly folders: WorkFolders; readonly log: Logger },
): Promise<{ readonly speech: Speech; readonly close: () => Promise<void> }> {
  if (!config.WORKER_ROLES.includes('speech')) {
    const missing = 'This worker transcribes nothing: WORKER_ROLES does not contain speech.';
    return { speech: { missing }, close: () => Promise.resolve() };
  }
  const folder = await folders.open('engine');
  const speech = await chooseSpeech(config, folder.path);
  if ('missing' in speech) {
    // With `auto`, the other roles work without an engine.
    if (config.SPEECH_ENGINE !== 'auto') throw new Error(`SPEECH_ENGINE=${config.SPEECH_ENGINE}: ${speech.missing}`);
    log.warn(`no speaker labels: ${speech.missing}`);
  } else {
    log.info({ engine: speech.engine.name, models: speech.engine.models }, 'speech engine');
    const languages = createSpeechLanguages(db);
    await languages
      .keep(speech.engine.languages)
      // Without this list, the api accepts every language, and the job fails.
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the languages of the speech engine could not be stored for the api'),
      );
    transcribedWindows.subscribe((window) => {
      languages
        .noteSpeed(window)
        .catch((error: unknown) => log.warn({ err: error }, 'the speed of the speech engine could not be stored'));
    });
  }
  const close = async (): Promise<void> => {
    if (!('missing' in speech)) await speech.engine.close?.();
    await folder.remove();
  };
  return { speech, close };
}
