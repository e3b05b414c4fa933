import { ApiError } from '../../contract/http/api-error.ts';
import { failureFor } from '../../contract/failures.ts';
import { POLL_INTERVAL_SECONDS } from '../../contract/request-limits.ts';
import type { DownloadRecord, RecordType, SuccessRecord } from '../../contract/download-record.ts';
import { renderLastResponse, type LastResponse } from '../../contract/http/job-answers.ts';
import { renderResult, type JobResultBody, type ResultOf } from '../../contract/kinds/kinds.ts';
import type { SpeakerLabelsParameters } from '../../contract/kinds/speaker-labels.ts';
import type { Progress } from '../../contract/http/fields.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { subscriberOf } from './subscribers.ts';
import type { Answer, UseCase } from '../operations/operation.ts';

export interface OneDownload {
  readonly download_id: string;
  readonly waitMs: number;
}

export interface CurrentJob {
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
}

export type RenderJob<Body> = (deps: ServiceDeps, job: CurrentJob) => Body | Promise<Body>;

/** Renders the answer of the kind. */
export const renderJob: RenderJob<JobResultBody> = ({ rendering }, { record, progress }) =>
  renderResult(record, rendering, progress);

/** @returns undefined if there is no such record, or if it is an upload of another caller, or made of one */
export async function recordOf(
  deps: Pick<ServiceDeps, 'records'>,
  caller: LimitedCaller,
  id: string,
): Promise<DownloadRecord | undefined> {
  const { found } = caller;
  const record = found?.id === id ? found : await deps.records.getKnown(id);
  if (record === undefined || caller.kind === 'service') return record;
  const { audioId } = (record.parameters ?? {}) as Partial<SpeakerLabelsParameters>;
  const source = audioId === undefined ? record : ((await deps.records.get(audioId)) ?? record);
  return source.type === 'upload' && source.startedBy !== subscriberOf(caller) ? undefined : record;
}

export async function currentJob(
  deps: Pick<ServiceDeps, 'records' | 'jobs' | 'stopping'>,
  record: DownloadRecord,
  waitMs: number,
): Promise<CurrentJob> {
  let newest = record;
  if (newest.status === 'pending' && waitMs > 0) {
    // When the process is about to stop, a waiting caller gets the current state.
    await deps.jobs.waitFor({ subjectId: record.subjectId }, waitMs, deps.stopping);
    newest = (await deps.records.get(record.id)) ?? record;
  }
  if (newest.status !== 'pending') return { record: newest };
  const status = await deps.jobs.status({ subjectId: record.subjectId, recordId: record.id });
  if (status.state === 'gone') {
    // A workflow ends its record before it closes. If the record is still pending, the workflow was terminated, or Temporal
    // lost its data. Without this step the caller would poll forever.
    const outcome = { status: 'failed', failure: failureFor('stoppedByOperator') } as const;
    return { record: await finishRecord(deps.records, record.id, outcome) };
  }
  return { record: newest, progress: status.state === 'running' ? status.progress : undefined };
}

export async function answerJob<Body>(
  deps: ServiceDeps,
  job: CurrentJob,
  render: RenderJob<Body>,
): Promise<Answer<Body>> {
  return { state: job.record.status === 'pending' ? 'pending' : 'finished', body: await render(deps, job) };
}

/** @throws ApiError `not_found` for a record of another type */
export async function transcriptRecord(
  deps: Pick<ServiceDeps, 'records'>,
  caller: LimitedCaller,
  { id, type }: { readonly id: string; readonly type: RecordType },
): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record?.type !== type) throw new ApiError('not_found', 'There is no transcript with this id.');
  return record;
}

/** @returns the use case that answers with the current state of a transcript. It starts nothing and is free. */
export const gettingTranscript =
  <Type extends RecordType>(type: Type): UseCase<OneDownload, ResultOf<Type>> =>
  async (deps, caller, { download_id: id, waitMs }) => {
    const job = await currentJob(deps, await transcriptRecord(deps, caller, { id, type }), waitMs);
    return answerJob(deps, job, renderJob as RenderJob<ResultOf<Type>>);
  };

/** @param pending the message of the error while the job runs @returns the record of a finished transcript */
export async function finishedTranscript(
  deps: ServiceDeps,
  found: DownloadRecord,
  pending: string,
): Promise<SuccessRecord> {
  const { record } = await currentJob(deps, found, 0);
  if (record.status === 'pending') throw notReady(pending, record);
  if (record.status === 'success') return record;
  throw new ApiError('not_found', `There is no transcript: ${record.failure.message}`, { id: record.id });
}

export function notReady(message: string, { id }: DownloadRecord): ApiError {
  return new ApiError('not_ready', message, { id, retryAfterSeconds: POLL_INTERVAL_SECONDS });
}

/** @returns the last failure of the record's subject within the last 30 minutes */
export async function lastResponseOf(
  deps: ServiceDeps,
  { subjectId }: DownloadRecord,
): Promise<LastResponse | undefined> {
  return renderLastResponse(await deps.records.failureOf(subjectId), deps.now());
}
