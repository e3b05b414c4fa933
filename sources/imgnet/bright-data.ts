import { z } from 'zod';
import { JobError } from '../../runtime/job-error.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { triggerRequest, type TriggerSettings } from './bright-data-requests.ts';
import {
  createDatasetClient,
  NotBegunError,
  type DatasetAnswer,
  type DatasetClient,
  type DatasetClientSettings,
} from './dataset-client.ts';
import { EMPTY_SNAPSHOT, httpFailure, LOST_SNAPSHOT, rowFailure } from './dataset-failures.ts';
import {
  SnapshotLostError,
  SnapshotNotReadyError,
  UncertainTriggerError,
  type ImgnetCall,
  type ImgnetSource,
  type SnapshotPage,
  type SnapshotProgress,
} from './imgnet-source.ts';
import { linesOf, type LineLimits } from './read-lines.ts';
import { brightDataFacts } from './records/sparse-facts.ts';
import { pagesOf } from './snapshot-rows.ts';
import { startedSnapshots } from './started-snapshots.ts';

/** 20,000 records have 60 MB, and a record has up to 30 KB. Each record is parsed in one step of the event loop. */
const LIMITS: LineLimits = { maxLineBytes: 1024 ** 2, maxBodyBytes: 2 * 1024 ** 3 };

export type BrightDataSettings = DatasetClientSettings & TriggerSettings;

const triggerSchema = z.object({ snapshot_id: z.string().regex(/^[\w-]{1,100}$/) });
const progressSchema = z.object({ status: z.string(), error_message: z.string().nullish() });
/** Any other status except `ready` means that the snapshot is running. The API uses both spellings of "cancelled". */
const FAILED = new Set(['failed', 'error', 'canceled', 'cancelled']);

/** Bright Data's dataset API, version 3. */
export function createBrightDataSource(settings: BrightDataSettings): ImgnetSource {
  const client = createDatasetClient(settings);
  const hosts = [new URL(settings.platformUrl).host];

  return {
    async trigger(request, call) {
      call.signal.throwIfAborted();
      // A trigger is not aborted after it was sent, because its answer holds the ID of a snapshot that will be charged.
      const sent = { signal: new AbortController().signal, timeoutMs: call.timeoutMs };
      try {
        return await client.exchange(triggerRequest(request, settings), sent, async (answer) => {
          const { statusCode, retryAtMs } = answer;
          const text = await client.text(answer);
          const started = triggerSchema.safeParse(parseJson(text));
          if (statusCode < 300 && started.success) return { snapshotId: started.data.snapshot_id };
          const failure = httpFailure({ statusCode, text }, retryAtMs);
          throw isRefusal(statusCode) ? new NotBegunError(failure) : failure;
        });
      } catch (error) {
        if (error instanceof NotBegunError || !(error instanceof JobError)) throw error;
        throw new UncertainTriggerError(error.cause);
      }
    },

    ...startedSnapshots(client, settings),

    progress: (snapshotId, call) =>
      client.exchange({ method: 'GET', path: snapshotPath('progress', snapshotId) }, call, async (answer) => {
        const text = await client.text(answer);
        if (answer.statusCode >= 300) return lostOrThrow(answer, text);
        const parsed = progressSchema.safeParse(parseJson(text));
        if (!parsed.success) throw httpFailure({ statusCode: answer.statusCode, text });
        return progressOf(parsed.data);
      }),

    rows: (snapshotId, call) => rowsOf(client, { snapshotId, hosts }, call),
    facts: brightDataFacts({ platformUrl: settings.platformUrl, hosts }),
    close: () => client.close(),
  };
}

/** A refused trigger starts no snapshot. After a server error or a timeout, a snapshot may have been started. */
function isRefusal(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 500 && statusCode !== 408;
}

function progressOf({ status, error_message }: z.infer<typeof progressSchema>): SnapshotProgress {
  if (status === 'ready') return 'ready';
  if (!FAILED.has(status)) return 'running';
  const failure = rowFailure(`${status}: ${error_message ?? 'no reason was given'}`);
  return failure === 'empty' ? 'empty' : { failed: failure };
}

function lostOrThrow({ statusCode, retryAtMs }: DatasetAnswer, text: string): SnapshotProgress {
  if (LOST_SNAPSHOT.test(`${String(statusCode)} ${text}`)) return { failed: lost() };
  throw httpFailure({ statusCode, text }, retryAtMs);
}

function rowsOf(
  client: DatasetClient,
  { snapshotId, hosts }: { snapshotId: string; hosts: readonly string[] },
  call: ImgnetCall,
): AsyncIterable<SnapshotPage> {
  const request = { method: 'GET', path: `${snapshotPath('snapshot', snapshotId)}?format=ndjson` } as const;
  return client.stream(request, call, async function* (answer) {
    const { statusCode, retryAtMs, body } = answer;
    if (statusCode === 202) throw new SnapshotNotReadyError(retryAtMs);
    if (statusCode === 200) {
      yield* pagesOf(linesOf(body, LIMITS), { hosts, retryAtMs });
      return;
    }
    const text = await client.text(answer);
    const answerText = `${String(statusCode)} ${text}`;
    if (EMPTY_SNAPSHOT.test(answerText)) return;
    throw LOST_SNAPSHOT.test(answerText) ? lost() : httpFailure({ statusCode, text }, retryAtMs);
  });
}

function lost(): SnapshotLostError {
  return new SnapshotLostError('snapshotExpired');
}

function snapshotPath(what: 'progress' | 'snapshot', snapshotId: string): string {
  return `/datasets/v3/${what}/${encodeURIComponent(snapshotId)}`;
}
