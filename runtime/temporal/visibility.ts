import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import type { JobInput } from '../../contract/job-input.ts';
import type { RecordType } from '../../contract/download-record.ts';
import { receiverHostOf } from '../../contract/http/webhook-delivery.ts';

/**
 * The search attributes of jobs and deliveries. All are keywords, of which a namespace on SQL has ten. They must not contain
 * secrets, because they are never encrypted.
 */
export const SEARCH_ATTRIBUTES = {
  type: 'TapedeckType',
  mediaId: 'TapedeckMediaId',
  downloadId: 'TapedeckDownloadId',
  /** `vidnet`, `imgnet`, or the host of a site. */
  platform: 'TapedeckPlatform',
  /** The ID of a key, or a word such as `anonymous`. */
  caller: 'TapedeckCaller',
  /** The host of the first webhook of a job, or of a delivery. */
  webhookHost: 'TapedeckWebhookHost',
  /** The batch that started a job, or the batch itself. */
  batchId: 'TapedeckBatchId',
  /** The code of the failure; absent if there is none. */
  failure: 'TapedeckFailure',
} as const;

/** The failure of an abandoned delivery. */
export const ABANDONED = 'webhook_abandoned';

/** The limit of a column in MySQL and PostgreSQL. Names of channels can be longer. */
const KEYWORD_MAX_CHARS = 255;

/** The types of jobs that use no upstream. */
const LOCAL_TYPES: readonly RecordType[] = ['speaker_labels', 'upload'];

/** @param site of a job of another site, which it has in its parameters */
function platformOf(type: RecordType, site: string | undefined): string | undefined {
  if (LOCAL_TYPES.includes(type)) return undefined;
  return site ?? (type.startsWith('imgnet_') ? 'imgnet' : 'vidnet');
}

export function searchAttributesOf(input: Omit<JobInput, 'version'>): SearchAttributePair[] {
  const { type, mediaId, recordId, webhookUrl, parameters, batchId } = input;
  const site = (parameters as { readonly site?: string } | undefined)?.site;
  return attributes({
    type,
    mediaId,
    downloadId: recordId,
    platform: platformOf(type, site),
    caller: input.chargedTo ?? input.startedBy,
    webhookHost: webhookUrl === undefined ? undefined : receiverHostOf(webhookUrl),
    batchId,
  });
}

/** @param job the job whose result is delivered; its attributes make the delivery appear in searches for the job */
export function webhookAttributesOf(
  { recordId, url, subscribedBy = [] }: { recordId: string; url: string; subscribedBy?: readonly string[] },
  job?: Omit<JobInput, 'version'>,
): SearchAttributePair[] {
  const ofJob = job === undefined ? [] : searchAttributesOf(job);
  const own = attributes({ downloadId: recordId, caller: subscribedBy[0], webhookHost: receiverHostOf(url) });
  const names = new Set(own.map(({ key }) => key.name));
  return [...ofJob.filter(({ key }) => !names.has(key.name)), ...own];
}

export function batchAttributesOf(batchId: string, startedBy: string): SearchAttributePair[] {
  return attributes({ batchId, caller: startedBy });
}

export function failureAttribute(code: string): SearchAttributePair[] {
  return attributes({ failure: code });
}

function attributes(
  values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string | undefined>>,
): SearchAttributePair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : {
          key: defineSearchAttributeKey(
            SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES],
            SearchAttributeType.KEYWORD,
          ),
          value: Array.from(value).slice(0, KEYWORD_MAX_CHARS).join(''),
        },
  );
}
