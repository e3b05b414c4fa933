import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { LIST_MAX_ITEMS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { renderDownload, renderListed, type DownloadList, type DownloadResult } from '../../contract/kinds/kinds.ts';
import type { DownloadListQuery } from '../../contract/http/download-schemas.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import type { RecordFilter } from '../../store/records/record-store.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { answerJob, currentJob, recordOf, type CurrentJob } from './current-job.ts';
import { subscriberOf } from './subscribers.ts';

/** A cancelled job stops its downloads first; most have ended within this time, and the answer then says so. */
const END_WAIT_MS = 5_000;
/** How many times a page of {@link LIST_MAX_ITEMS} downloads of a key is looked through for those that match. */
const MAX_LOOKS = 5;

interface OneDownload {
  readonly download_id: string;
  readonly waitMs: number;
}

/**
 * GET /downloads/{downloadId}: the record, with a fresh link when it is a success and with progress while it is pending.
 *
 * @throws ApiError `not_found`
 */
export const getDownload: UseCase<OneDownload, DownloadResult> = async (deps, caller, { download_id: id, waitMs }) =>
  answerJob(deps, await currentJob(deps, await recordById(deps, caller, id), waitMs), renderRecord);

/**
 * DELETE /downloads/{downloadId}: cancels a pending job. It ends as failed, and its webhooks are told. It costs nothing unless a
 * provider that bills us was asked for it already ({@link chargeOf}).
 *
 * @throws ApiError `not_found`; `forbidden` when somebody else has started it; `already_finished` when there is nothing to cancel
 */
export const cancelDownload: UseCase<OneDownload, DownloadResult> = async (deps, caller, { download_id: id }) => {
  const record = await recordById(deps, caller, id);
  if (!mayCancel(caller, record)) {
    throw new ApiError('forbidden', 'Only who has started a download can cancel it.');
  }
  const running =
    record.status === 'pending' && (await deps.jobs.cancel({ subjectId: record.subjectId, recordId: id }));
  const now = await currentJob(deps, record, running ? END_WAIT_MS : 0);
  if (!running && now.record.status !== 'pending') {
    throw new ApiError('already_finished', 'The download has ended already; there is nothing to cancel.', { id });
  }
  return answerJob(deps, now, renderRecord);
};

/**
 * GET /api/downloads: records that match all filters, newest first, a page at a time. A key gets those that it has asked
 * for, whoever started them; where few of them match, a page may be short of its limit and yet not the last. Callers
 * without a key get what neither a key nor a service of ours has started, and services get all.
 */
export const listDownloads: UseCase<DownloadListQuery, DownloadList> = async (deps, caller, query) => {
  const { records, stoppedAt } = await listed(deps, caller, {
    type: query.type,
    status: query.status,
    mediaId: query.media_id,
    createdAfter: inMicroseconds(query.created_after),
    createdBefore: inMicroseconds(query.created_before),
    before: query.cursor,
    // One more than shown tells whether a page follows.
    limit: query.limit + 1,
  });
  const shown = records.slice(0, query.limit);
  const next = records.length > query.limit ? shown.at(-1)?.id : stoppedAt;
  return {
    state: 'finished',
    body: {
      downloads: shown.map((record) => renderListed(record, deps.rendering).data),
      next_cursor: next ?? null,
    },
  };
};

/** The download record of a job, as GET /downloads/{downloadId} shows it. */
export function renderRecord({ rendering }: ServiceDeps, { record, progress }: CurrentJob): DownloadResult {
  return renderDownload(record, rendering, progress);
}

/** @throws ApiError `not_found` */
export async function recordById(deps: ServiceDeps, caller: Caller, id: string): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record === undefined) throw new ApiError('not_found', 'There is no download with this id.');
  return record;
}

/**
 * Others may wait for what somebody has started, but only who started it stops it: a key, or callers without a key together.
 * Services of ours, which act for operators, stop all, and they alone stop what another job has started.
 */
function mayCancel(caller: Caller, { startedBy }: DownloadRecord): boolean {
  return caller.kind === 'service' || subscriberOf(caller) === startedBy;
}

interface Listed {
  readonly records: readonly DownloadRecord[];
  /** The last id that was looked at, where older ones were left for another request. */
  readonly stoppedAt?: string | undefined;
}

/** What the list of a caller has. */
export async function listed(
  deps: Pick<ServiceDeps, 'records' | 'keyDownloads'>,
  caller: Caller,
  filter: RecordFilter,
): Promise<Listed> {
  if (caller.kind !== 'key') {
    return { records: await deps.records.list({ ...filter, isWithoutKey: caller.kind === 'anonymous' }) };
  }
  const records: DownloadRecord[] = [];
  let { before } = filter;
  for (let looks = 0; looks < MAX_LOOKS && records.length < filter.limit; looks += 1) {
    const ids = await deps.keyDownloads.list(caller.key.id, { before, limit: LIST_MAX_ITEMS });
    const limit = filter.limit - records.length;
    records.push(...(await deps.records.list({ ...filter, before: undefined, ids, limit })));
    before = ids.at(-1);
    if (ids.length < LIST_MAX_ITEMS) return { records };
  }
  return { records, stoppedAt: before };
}

/** Records tell their time in microseconds, which a Date does not hold; only times written alike can be compared as text. */
function inMicroseconds(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const [fraction = ''] = /\.\d+/.exec(time) ?? [];
  const microseconds = Number(fraction.slice(1, 7).padEnd(6, '0'));
  return formatMicroseconds(Date.parse(time.replace(fraction, '')) * 1000 + microseconds);
}
