import type { z } from 'zod';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { ResultPage } from '../../contract/http/fields.ts';
import { LIST_MAX_ITEMS } from '../../contract/request-limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import {
  renderDownload,
  renderListed,
  renderResult,
  type DownloadList,
  type DownloadResult,
  type jobResultSchema,
} from '../../contract/kinds/kinds.ts';
import type { DownloadListQuery } from '../../contract/http/download-schemas.ts';
import { renderJobDetails, type JobDetails } from '../../contract/http/job-details.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import type { RecordFilter } from '../../store/records/record-store.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { answerJob, currentJob, recordOf, type CurrentJob, type OneDownload } from './current-job.ts';
import { isPage, withPage } from './result-pages.ts';
import { subscriberOf } from './subscribers.ts';

/** A cancelled job first stops its activities. Most jobs have ended after this time, so that the answer shows the end. */
const END_WAIT_MS = 5_000;
/** How many pages of a key's downloads one request searches for those that match its filters. */
const MAX_PAGES = 5;

/** GET /downloads/{downloadId}: the record, with a fresh link for a success and with progress while it is pending. */
export const getDownload: UseCase<OneDownload, DownloadResult> = async (deps, caller, { download_id: id, waitMs }) =>
  answerJob(deps, await currentJob(deps, await recordById(deps, caller, id), waitMs), renderRecord);

/**
 * GET /api/downloads/{downloadId}/result: the result of a job of any kind, as in its webhook, or with a page of its list. It
 * starts nothing and is free.
 */
export const getResult: UseCase<OneDownload & ResultPage, Streamable<z.infer<typeof jobResultSchema>>> = async (
  deps,
  caller,
  { download_id: id, waitMs, ...page },
) =>
  answerJob(deps, await currentJob(deps, await recordById(deps, caller, id), waitMs), async ({ rendering }, job) => {
    const result = await renderResult(job.record, rendering, job.progress);
    return job.record.status === 'success' && isPage(page) ? withPage(id, result, page) : result;
  });

/** GET /api/downloads/{downloadId}/job: facts about a job that are not part of its record. */
export const getJob: UseCase<OneDownload, JobDetails> = async (deps, caller, { download_id: id }) => {
  const { record } = await currentJob(deps, await recordById(deps, caller, id), 0);
  const speed = await deps.speechLanguages.speed();
  return { state: 'finished', body: renderJobDetails(record, deps.workflowUrl(record.subjectId), speed) };
};

/**
 * DELETE /downloads/{downloadId}: cancels a pending job. It ends as failed, and its webhooks are sent. It is free unless a
 * provider that bills the service was used already.
 */
export const cancelDownload: UseCase<OneDownload, DownloadResult> = async (deps, caller, { download_id: id }) => {
  const record = await recordById(deps, caller, id);
  requireStarter(caller, record);
  const running =
    record.status === 'pending' && (await deps.jobs.cancel({ subjectId: record.subjectId, recordId: id }));
  const now = await currentJob(deps, record, running ? END_WAIT_MS : 0);
  if (!running && now.record.status !== 'pending') {
    throw new ApiError('already_finished', 'The download has ended already; there is nothing to cancel.', { id });
  }
  return answerJob(deps, now, renderRecord);
};

/** Callers without a key count as one caller. Internal services act for operators. */
export function requireStarter(caller: Caller, record: DownloadRecord): void {
  if (caller.kind === 'service' || subscriberOf(caller) === record.startedBy) return;
  throw new ApiError('forbidden', 'Only who has started a download can cancel it or remove its contents.');
}

export const listDownloads: UseCase<DownloadListQuery, DownloadList> = async (deps, caller, query) => {
  const { records, stoppedAt } = await listed(deps, caller, {
    type: query.type,
    status: query.status,
    mediaId: query.media_id,
    createdAfter: inMicroseconds(query.created_after),
    createdBefore: inMicroseconds(query.created_before),
    before: query.cursor,
    // One more than the page shows whether another page follows.
    limit: query.limit + 1,
  });
  const shown = records.slice(0, query.limit);
  const next = records.length > query.limit ? shown.at(-1)?.id : stoppedAt;
  const downloads = shown.map((record) => renderListed(record, deps.rendering).data);
  return { state: 'finished', body: { downloads, next_cursor: next ?? null } };
};

export function renderRecord({ rendering }: ServiceDeps, { record, progress }: CurrentJob): DownloadResult {
  return renderDownload(record, rendering, progress);
}

export async function recordById(deps: ServiceDeps, caller: Caller, id: string): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record === undefined) throw new ApiError('not_found', 'There is no download with this id.');
  return record;
}

interface Listed {
  readonly records: readonly DownloadRecord[];
  /** The last ID that was searched, if older downloads are left for another request. */
  readonly stoppedAt?: string | undefined;
}

/**
 * The downloads of a caller's list, newest first. A key lists the downloads that it requested, including those that another caller started; callers
 * without a key list those that neither a key nor a service started; services list all. Media info is listed only by
 * their type, because the console takes many. If few downloads of a key match the
 * filter, the result may be shorter than the limit although older ones follow.
 */
export async function listed(
  deps: Pick<ServiceDeps, 'records' | 'keyDownloads'>,
  caller: Caller,
  query: RecordFilter,
): Promise<Listed> {
  const filter = { ...query, isWithoutMediaInfo: query.type === undefined };
  if (caller.kind !== 'key') {
    return { records: await deps.records.list({ ...filter, isWithoutKey: caller.kind === 'anonymous' }) };
  }
  const records: DownloadRecord[] = [];
  let { before } = filter;
  for (let page = 0; page < MAX_PAGES && records.length < filter.limit; page += 1) {
    const ids = await deps.keyDownloads.list(caller.key.id, { before, limit: LIST_MAX_ITEMS });
    const limit = filter.limit - records.length;
    records.push(...(await deps.records.list({ ...filter, before: undefined, ids, limit })));
    before = ids.at(-1);
    if (ids.length < LIST_MAX_ITEMS) return { records };
  }
  return { records, stoppedAt: before };
}

/** Records have times in microseconds, more than a Date holds, and they are compared as text. */
function inMicroseconds(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const [fraction = ''] = /\.\d+/.exec(time) ?? [];
  const microseconds = Number(fraction.slice(1, 7).padEnd(6, '0'));
  return formatMicroseconds(Date.parse(time.replace(fraction, '')) * 1000 + microseconds);
}
