import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import { speakerLabelsSchema, spokenWordsSchema } from '../../contract/kinds/speaker-labels.ts';
import { aLabelsJob, keepAudio, keepLabels, LABELS, SILENCE } from '../helpers/kept-audio.ts';
import { keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const UNKNOWN = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const get = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${facades.url}/api/transcriptspeakerid/${path}`, init);
const bodyOf = async (path: string): Promise<unknown> => (await get(path)).json();

describe('names of speakers', () => {
  const name = (id: string, names: unknown): Promise<Response> =>
    get(`${id}/names`, { method: 'PUT', body: JSON.stringify({ names }) });
  const textOf = async (path: string): Promise<string> => (await get(path)).text();

  it('are kept for every caller, and written into every file, while labels stay the same', async () => {
    const audio = await keepAudio(facades);
    const { id } = await keepLabels(facades, aLabelsJob(audio));
    const names = { 'Speaker 1': 'Anna <A>', 'Speaker 2': 'Zoë' };
    const answer = await name(audio.id, { ...names, 'Speaker 2': '  Zoë ' });
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'success', speaker_names: names }]);
    for (const one of [id, audio.id]) {
      const body = speakerLabelsSchema.strict().parse(await bodyOf(one));
      expect(body.data.speaker_names).toEqual(names);
      expect(body.data.transcriptsWithTimeStamps.map(({ speaker }) => speaker)).toEqual(['Speaker 1', 'Speaker 2']);
      expect(spokenWordsSchema.strict().parse(await bodyOf(`${one}/words`)).speaker_names).toEqual(names);
      expect(await textOf(`${one}.srt`)).toMatch(/^Anna <A>: Shall we[^]+^Zoë: Yes\.$/m);
      expect(await textOf(`${one}.vtt`)).toMatch(/<v Anna &lt;A&gt;>Shall[^]+<v Zoë>Yes/);
      expect(await textOf(`${one}.txt`)).toBe('Anna <A>: Shall we <begin>?\n\nZoë: Yes.\n');
      expect(await textOf(`${one}.rttm`)).toMatch(/ Anna_<A> [^]+ Zoë /);
    }
  });

  it('are replaced by new ones, and removed by an empty object', async () => {
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)));
    const before = await bodyOf(id);
    await name(id, { 'Speaker 1': 'Anna' });
    expect(await facades.rpc.speakers.name.mutate({ id, names: { 'Speaker 2': 'Ben' } })).toEqual({
      ...{ status: 'success', speaker_names: { 'Speaker 2': 'Ben' } },
    });
    expect(await textOf(`${id}.txt`)).toBe('Speaker 1: Shall we <begin>?\n\nBen: Yes.\n');
    await name(id, {});
    expect(await bodyOf(id)).toEqual(before);
    expect(await textOf(`${id}.txt`)).toContain('Speaker 2: ');
  });

  it('may be given to a speaker without words, who is in RTTM only', async () => {
    const speakerTurns = [...LABELS.speakerTurns, { startSeconds: 9, endSeconds: 9.5, speaker: 2 }];
    const labels = { ...LABELS, speakerTurns };
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)), labels);
    expect((await name(id, { 'Speaker 3': 'Cleo' })).status).toBe(200);
    expect(await textOf(`${id}.rttm`)).toContain(' Cleo ');
  });

  it.each([
    [undefined, 'names'],
    [['Anna'], 'names'],
    [{ 'Speaker 1': 7 }, 'names.Speaker 1'],
    [{ 'Speaker 1': '' }, 'names.Speaker 1'],
    [{ 'Speaker 1': ' \t ' }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'a'.repeat(101) }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'a\nb' }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'a\u0000' }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'a\ud800' }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'a\u2028b' }, 'names.Speaker 1'],
    [{ 'Speaker 1': 'Anna', 'Speaker 3': 'Cleo' }, 'names.Speaker 3'],
    [{ Anna: 'Anna' }, 'names.Anna'],
  ])('are refused for %j', async (names, path) => {
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)));
    const answer = await name(id, names);
    const { code, details } = (await answer.json()) as ErrorBody;
    expect([answer.status, code, details?.map((one) => one.path)]).toEqual([400, 'invalid_input', [path]]);
    expect(await bodyOf(id)).not.toHaveProperty('data.speaker_names');
  });

  it('are kept as they were sent, or refused by the field, whatever they are', async () => {
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)));
    let kept: object | undefined;
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 110 }), fc.stringMatching(/^[\p{L} .'-]{1,40}$/u));
    const label = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('Speaker 1', 'Speaker 2') },
      { weight: 1, arbitrary: text },
    );
    const anything = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() });
    const someNames = fc.dictionary(label, anything, { maxKeys: 3 });
    const check = async (names: Readonly<Record<string, unknown>>): Promise<void> => {
      const answer = await name(id, names);
      const body = (await answer.json()) as ErrorBody & { readonly speaker_names?: object };
      if (answer.status === 200) {
        const trimmed = Object.entries(names).map(([key, value]) => [key, String(value).trim()] as const);
        expect(body.speaker_names).toEqual(Object.fromEntries(trimmed));
        kept = trimmed.length === 0 ? undefined : body.speaker_names;
      } else {
        expect([answer.status, body.code]).toEqual([400, 'invalid_input']);
        expect(body.details?.every(({ path }) => path.startsWith('names'))).toBe(true);
      }
      expect(speakerLabelsSchema.parse(await bodyOf(id)).data.speaker_names).toEqual(kept);
      expect((await get(`${id}.vtt`)).status).toBe(200);
    };
    await fc.assert(fc.asyncProperty(someNames, check), { numRuns: 200 });
  });

  it('belong to one transcript, so that of other hints has none', async () => {
    const audio = await keepAudio(facades);
    const { id } = await keepLabels(facades, aLabelsJob(audio));
    await name(id, { 'Speaker 1': 'Anna' });
    const other = await keepLabels(facades, aLabelsJob(audio, { language: 'de' }));
    expect(await bodyOf(other.id)).not.toHaveProperty('data.speaker_names');
    expect(await bodyOf(id)).toHaveProperty('data.speaker_names');
  });

  it('may have a hundred characters beyond the basic plane', async () => {
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)));
    expect((await name(id, { 'Speaker 1': '🦊'.repeat(100) })).status).toBe(200);
  });

  it('are refused while the job runs, for an unknown ID, and without the scope `jobs`', async () => {
    const running = await keepJob(facades.deps.records, aLabelsJob(await keepAudio(facades)));
    facades.jobs.status.mockResolvedValueOnce({ state: 'running', progress: undefined });
    const early = await name(running.id, {});
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '30']);
    expect((await name(UNKNOWN, {})).status).toBe(404);
    expect((await name('nonsense', {})).status).toBe(404);
    const { text } = await facades.deps.keys.create({ name: 'reader', scopes: ['read'] });
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)));
    const headers = { authorization: `Bearer ${text}` };
    expect((await get(`${id}/names`, { method: 'PUT', headers, body: '{"names":{}}' })).status).toBe(403);
  });

  it('are rejected for a transcript without speech', async () => {
    const audio = await keepAudio(facades);
    const { id } = await keepLabels(facades, aLabelsJob(audio), SILENCE);
    const answer = await name(id, { 'Speaker 1': 'Anna' });
    expect([answer.status, ((await answer.json()) as ErrorBody).error]).toEqual([
      400,
      'names.Speaker 1: The transcript has no speakers.',
    ]);
    expect((await name(id, {})).status).toBe(200);
  });
});
