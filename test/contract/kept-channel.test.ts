import { expect, it } from 'vitest';
import { renderResult } from '../../contract/kinds/kinds.ts';
import type { ContentsReader } from '../../contract/kinds/contents.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/download-record.ts';
import { jsonChunks } from '../../contract/http/streams.ts';
import { wholeVideo } from '../../contract/kinds/channel.ts';
import { packedListOf } from '../../store/records/contents-store.ts';
import { noLists } from '../helpers/contents.ts';

const ID = 'UCaaaaaaaaaaaaaaaaaaaaaa';
const RECORD: SuccessRecord = {
  id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD',
  startedBy: 'anonymous',
  type: 'list',
  subjectId: 'list/@bridges',
  mediaId: ID,
  createdAt: '2026-11-21T09:30:00.123456Z',
  finishedAt: '2026-11-21T09:30:10.123456Z',
  price: 10,
  charge: 10,
  status: 'success',
  files: [],
  lists: { videos: { pieces: 1, items: 2 } },
};
const url = `https://page.example/channel/${ID}`;

const KEPT = {
  facts: {
    ...{ vidnet_id: ID, title: 'Bridges', description: 'And tea.', url, thumbnail: 'https://i.example/800' },
    ...{ country: 'PT', total_media: 2, subscriber_count: 1230, total_views: 9007 },
    creation_date: '2011-02-03 04:05:06',
  },
  videos: [
    {
      ...{ vidnet_id: 'k3fP0aTz9Qw', title: 'A bridge', thumbnail: 'https://i.example/a' },
      ...{ published_at: '2019-05-06 07:08:09', duration: 59 },
    },
    wholeVideo({ vidnet_id: 'k3fP0aTz9Qx', title: 'Tea' }),
  ],
};

const ANSWER =
  `{"status":"success","vidnet_id":"${ID}","title":"Bridges","description":"And tea.","url":"${url}",` +
  '"thumbnail":"https://i.example/800","country":"PT","total_media":2,"subscriber_count":1230,"total_views":9007,' +
  '"creation_date":"2011-02-03 04:05:06","cost":"0.010","source":"api","videos":[{"vidnet_id":"k3fP0aTz9Qw",' +
  '"title":"A bridge","thumbnail":"https://i.example/a","published_at":"2019-05-06 07:08:09","duration":59},' +
  '{"vidnet_id":"k3fP0aTz9Qx","title":"Tea","thumbnail":null,"published_at":null,"duration":null}],"download":{"id":"01JD5Z3K6VQ0W8R9T2X4Y6B8CD",' +
  '"type":"list","cost":"0.010","status":"success","created_at":"2026-11-21T09:30:00.123456Z",' +
  `"vidnet_video_id":"${ID}","response":null}}`;

interface KeptChannel {
  readonly facts: object;
  readonly videos: readonly object[];
}

/** @param kept the stored contents by record ID */
async function answerTo(record: DownloadRecord, kept: Readonly<Record<string, KeptChannel>>): Promise<string> {
  const contents: ContentsReader = {
    piece: () => Promise.resolve(undefined),
    facts: (recordId) => Promise.resolve(kept[recordId]?.facts as never),
    list: ({ recordId, name, pieces }) =>
      packedListOf(name === 'videos' && pieces > 0 ? ((kept[recordId]?.videos ?? []) as never[]) : []),
  };
  let text = '';
  const context = { prices: priceTable({}), linkTo: () => '', contents, lists: noLists };
  for await (const chunk of jsonChunks(await renderResult(record, context))) text += Buffer.from(chunk).toString();
  return text;
}

it('returns a channel with all fields, null for unknown ones', async () => {
  expect(await answerTo(RECORD, { [RECORD.id]: KEPT })).toBe(ANSWER);
});

it('reads a channel from the record that stores it', async () => {
  const holder = '01JD5Z4M7WR1X9S0V3Y5Z7C9DE';
  expect(await answerTo({ ...RECORD, contentsOf: holder }, { [holder]: KEPT })).toBe(ANSWER);
});

it('returns no videos for a channel without a list, and fails if the contents are removed', async () => {
  const { lists: _none, ...record } = RECORD;
  for (const lists of [undefined, {}]) {
    const without = { ...record, ...(lists && { lists }) };
    expect(JSON.parse(await answerTo(without, { [RECORD.id]: KEPT })) as unknown).toHaveProperty('videos', []);
  }
  await expect(answerTo(RECORD, {})).rejects.toMatchObject({ name: 'MissingContentsError' });
});

it('returns the state and cost of a pending or failed channel', async () => {
  const { charge: _charge, files: _files, lists: _lists, finishedAt, ...begun } = RECORD;
  const failure = { code: 'removed', message: 'There is no such channel.' } as const;
  const download = { id: RECORD.id, vidnet_video_id: ID };
  expect(JSON.parse(await answerTo({ ...begun, status: 'pending' }, {})) as unknown).toMatchObject({
    ...{ status: 'pending', cost: '0.010', download: { ...download, status: 'pending' } },
  });
  expect(JSON.parse(await answerTo({ ...begun, finishedAt, status: 'failed', failure }, {})) as unknown).toMatchObject({
    ...{ status: 'failed', ...failure, cost: '0.000', download: { ...download, status: 'failed' } },
  });
});
