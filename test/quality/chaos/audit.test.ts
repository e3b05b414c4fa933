import { beforeEach, describe, expect, it } from 'vitest';
import { auditChargesOfBoth, auditCharges } from '../../../quality/chaos/audit/charges.ts';
import type { Evidence, Finding } from '../../../quality/chaos/audit/evidence.ts';
import { auditJobs, isUnpaidTwice } from '../../../quality/chaos/audit/jobs.ts';
import { auditMemory } from '../../../quality/chaos/audit/memory.ts';
import { auditSnapshots } from '../../../quality/chaos/audit/snapshots.ts';
import { auditWebhooks } from '../../../quality/chaos/audit/webhooks.ts';
import { openLedger, type CallersLedger } from '../../../quality/chaos/ledger.ts';
import type { PlannedCall } from '../../../quality/chaos/plan.ts';
import type { Reception } from '../../../quality/chaos/stage.ts';
import type { DownloadRecord, SuccessRecord } from '../../../contract/download-record.ts';
import { UncertainTriggerError } from '../../../sources/imgnet/imgnet-source.ts';

// An audit that finds nothing proves nothing unless it finds what is there: each test spoils one thing.
const ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const CREDIT = 1_000;
const call: PlannedCall = { id: 'c1', kind: 'audio', atMs: 0, path: '', body: {}, expected: 'success' };
const success: SuccessRecord = {
  ...{ id: ID, type: 'audio', subjectId: 'audio/v', mediaId: 'v', status: 'success', price: 5, charge: 5 },
  ...{ createdAt: '2026-11-21T12:00:00.000000Z', finishedAt: '2026-11-21T12:00:01.000000Z', files: [] },
  chargedTo: 'key',
  startedBy: 'key',
};
const entry = { keyId: 'key', recordId: ID, type: 'audio', mediaId: 'v', amount: 5, bookedAt: success.finishedAt };
const account = { keyId: 'key', isUnlimited: false, granted: CREDIT, available: CREDIT - 5, spent: 5, holds: [] };

let ledger: CallersLedger;
beforeEach(() => {
  ledger = openLedger([call], () => 'http://127.0.0.1/hook/c1');
  ledger.entries[0]!.jobs = [{ id: ID, isOwedWebhook: true, status: 'success' }];
});
const evidence = (change: Partial<Evidence> = {}): Evidence => ({
  ...{ records: new Map([[ID, success]]), entries: [entry], account, unbooked: [], givenBack: [] },
  ...change,
});
const withRecord = (record: DownloadRecord): Evidence => evidence({ records: new Map([[record.id, record]]) });
const received = (change: Partial<Reception> = {}): Reception => ({
  ...{ callId: 'c1', webhookId: `${ID}-1`, isSigned: true },
  body: JSON.stringify({ data: { id: ID, status: 'success' } }),
  headers: {
    ...{ 'content-type': 'application/json', 'user-agent': 'Service-Webhook/1.0' },
    ...{ 'x-webhook-endpoint': 'downloads/audio', 'x-webhook-original-status': '200', 'x-webhook-download-id': ID },
  },
  ...change,
});
const found = (findings: readonly Finding[]): string[] =>
  findings.filter(({ ids }) => ids.length > 0).map(({ column }) => column);

describe('the audit of jobs', () => {
  const pending: DownloadRecord = { ...success, status: 'pending' };
  const failed: DownloadRecord = { ...success, status: 'failed', failure: { code: 'internal', message: '' } };

  it('finds nothing where all is well', () => expect(found(auditJobs(ledger, evidence()))).toEqual([]));

  it.each<[string, () => Evidence]>([
    ['jobs lost', () => evidence({ records: new Map() })],
    ['jobs that did not end', () => withRecord(pending)],
    ['jobs that failed though their subject is fine', () => withRecord(failed)],
    [
      'subjects fetched more than once',
      () => evidence({ records: new Map([ID, `${ID.slice(0, -1)}E`].map((id) => [id, { ...success, id }])) }),
    ],
  ])('finds %s', (column, spoilt) => expect(found(auditJobs(ledger, spoilt()))).toContain(column));

  it('finds a job that failed rather than be paid for twice, and snapshots that no job has', () => {
    const { message } = new UncertainTriggerError(new Error('hang'));
    const records = new Map([[ID, { ...failed, failure: { code: 'internal' as const, message } }]]);
    ledger.entries[0]!.jobs = [{ id: ID, isOwedWebhook: true, status: 'failed' }];
    expect(found(auditJobs(ledger, evidence({ records })))).toEqual(['jobs that failed rather than be paid for twice']);
    const started = ['s_1', 's_2'];
    expect(auditSnapshots({ started, held: new Set(['s_1']) }).ids).toEqual(['s_2']);
    expect(auditSnapshots({ started, held: new Set([...started, 's_lost']) }).ids).toEqual([]);
    expect([...records.values()].filter(isUnpaidTwice).map(({ id }) => id)).toEqual([ID]);
  });

  it('finds a caller who was never answered, one who was turned away, and a job that was unknown for a while', () => {
    ledger.entries[0]!.forgotten.push(ID);
    expect(found(auditJobs(ledger, evidence()))).toEqual(['jobs lost']);
    ledger = openLedger([call, call], () => '');
    ledger.entries[0]!.problem = 'answered 404';
    expect(found(auditJobs(ledger, evidence()))).toEqual(['jobs that did not end', 'callers turned away for good']);
  });

  it('finds a success of what cannot be had, and a failure for another reason than there is', () => {
    ledger = openLedger([{ ...call, expected: 'private' }], () => '');
    ledger.entries[0]!.jobs = [{ id: ID, isOwedWebhook: false, status: 'success' }];
    expect(found(auditJobs(ledger, evidence()))).toEqual(['jobs that succeeded though their subject cannot be had']);
    ledger.entries[0]!.jobs = [{ id: ID, isOwedWebhook: false, status: 'failed' }];
    expect(found(auditJobs(ledger, withRecord(failed)))).toEqual(['jobs that failed though their subject is fine']);
  });
});

describe('the audit of charges', () => {
  const columns = (change: Partial<Evidence>): string[] => found(auditCharges(evidence(change), CREDIT));

  it('finds nothing where all is well', () => expect(columns({})).toEqual([]));

  it('finds what was not booked, booked wrongly, booked twice and booked for nothing', () => {
    const broke = { ...account, available: CREDIT, spent: 0 };
    expect(columns({ entries: [], account: broke })).toEqual(['charges missing']);
    const wrong = 'charges doubled, wrong or for nothing';
    expect(columns({ entries: [{ ...entry, amount: 6 }] })).toContain(wrong);
    expect(columns({ entries: [entry, entry] })).toContain(wrong);
    expect(columns({ records: new Map() })).toEqual([wrong]);
  });

  it('finds sums that are off, and money that stays set aside', () => {
    expect(columns({ account: { ...account, available: CREDIT } })).toEqual(['balances that do not add up']);
    const holds = [{ recordId: ID, subjectId: 'audio/v', amount: 5, heldAtMs: 0 }];
    expect(columns({ account: { ...account, available: CREDIT - 10, holds } })).toEqual(['money still set aside']);
    expect(columns({ unbooked: [ID] })).toEqual(['money still set aside']);
  });
});

describe('the audit of a hostile caller', () => {
  const page = { url: 'http://site/small', format: 'audio' };
  const media: SuccessRecord = { ...success, id: `${ID.slice(0, -1)}E`, type: 'media', parameters: { page } };
  const records = new Map([success, media].map((one) => [one.id, one]));
  const both = (entries: Evidence['entries'], spent: number): string[] => {
    const hostile = evidence({ records, entries, account: { ...account, available: CREDIT - spent, spent } });
    return found(auditChargesOfBoth({ ordinary: evidence({ records }), hostile }, CREDIT));
  };

  it('finds nothing where each caller has paid for its own jobs', () => {
    expect(both([{ ...entry, recordId: media.id }], 5)).toEqual([]);
  });

  it('finds a job of the hostile caller that nobody paid for, and one of another caller that it paid for', () => {
    expect(both([], 0)).toEqual(['charges missing']);
    expect(both([{ ...entry, recordId: media.id }, entry], 10)).toEqual(['charges doubled, wrong or for nothing']);
  });

  it('finds a process that took more memory than it is granted', () => {
    const peaks = { api: 1_000, worker: 8_000, temporal: 500, mongodb: 500 };
    expect(auditMemory(peaks).ids).toEqual([]);
    expect(auditMemory({ ...peaks, api: 1_100 }).ids).toEqual(['api: 1100 MiB of 1024']);
  });
});

describe('the audit of webhooks', () => {
  const audit = (receptions: readonly Reception[], kills = 1): string[] =>
    found(auditWebhooks(ledger, receptions, { records: evidence().records, kills }).findings);

  it('finds nothing where all is well, nor in what came again once', () => {
    expect(audit([received()])).toEqual([]);
    expect(audit([received(), received()])).toEqual([]);
  });

  it('finds one that never came, one that came too often, and one that came under another id', () => {
    expect(audit([])).toEqual(['webhooks missed']);
    expect(audit([received(), received(), received()])).toEqual([
      'webhooks repeated more often than something was killed',
    ]);
    expect(audit([received(), received({ webhookId: `${ID}-2` })])).toEqual(['webhooks repeated under another id']);
  });

  it.each([
    ['words with speakers', [{ text: 'Tea?', start: 0, duration: 1, speaker: 'Speaker 1' }], []],
    ['no words', [], ['webhooks with a wrong body, header or signature']],
    [
      'words without a speaker',
      [{ text: 'Tea?', start: 0, duration: 1, speaker: '' }],
      ['webhooks with a wrong body, header or signature'],
    ],
  ])('looks for words and speakers in a transcript: %s', (_name, lines, columns) => {
    const audioId = `${ID.slice(0, -1)}E`;
    const record: SuccessRecord = { ...success, type: 'speaker_labels', parameters: { audioId } };
    const data = { transcriptsWithTimeStamps: lines, language: 'en', duration: 9, engine: 'whisper' };
    const body = { status: 'success', transcript_speaker_id: audioId, media_id: 'v', download_id: ID, data };
    const headers = {
      ...received().headers,
      ...{ 'x-webhook-endpoint': 'transcriptspeakerid', 'x-webhook-download-id': audioId },
    };
    const text = JSON.stringify({ ...body, transcript_speaker_cost: '0.006' });
    const { records } = withRecord(record);
    const { findings } = auditWebhooks(ledger, [received({ body: text, headers })], { records, kills: 1 });
    expect(found(findings)).toEqual(columns);
  });

  it.each<[string, Partial<Reception>]>([
    ['a wrong signature', { isSigned: false }],
    ['a wrong status', { headers: { ...received().headers, 'x-webhook-original-status': '500' } }],
    ['a body of another job', { body: '{"data":{"id":"other","status":"success"}}' }],
    ['a body that is cut', { body: '{"data":' }],
  ])('finds %s', (_name, change) => {
    expect(audit([received(change)])).toEqual(['webhooks with a wrong body, header or signature']);
  });
});
