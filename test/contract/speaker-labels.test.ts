import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContentsReader } from '../../contract/kinds/contents.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import type { DownloadRecord, PendingRecord } from '../../contract/download-record.ts';
import type { RenderContext } from '../../contract/kinds/kind.ts';
import {
  renderAudioRequired,
  renderNoAudio,
  renderSpeakerLabels,
  speakerLabelsRequestSchema,
  audioRequiredSchema,
  speakerLabelsFailedSchema,
  speakerLabelsPendingSchema,
  speakerLabelsResultSchema,
  speakerLabelsSchema,
  type SpeakerLabels,
} from '../../contract/kinds/speaker-labels.ts';
import { writeSpeakerLabels } from '../../contract/text/speaker-label-formats.ts';
import { labelsOfAudio, speakerLabelsSubjectOf, subjectAbove } from '../../contract/kinds/subjects.ts';
import { parseCaptions } from '../../sources/vidnet/captions/parse-captions.ts';
import { readRttm } from '../../quality/bench/eval/recordings.ts';
import { LABELS, SILENCE } from '../helpers/kept-audio.ts';
import { noLists, keptFacts, streamOf, wholeOf } from '../helpers/contents.ts';

const SEGMENTS = LABELS.segments.map(({ wordStarts: _wordStarts, ...segment }) => segment);

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The fields of a schema as the tables of the docs write them: a path such as `video.comments[].text`, and a type. */
function fieldsOf(schema: z.ZodType): [path: string, type: string][] {
  const { $defs: definitions = {}, ...root } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  const resolved = (one: JsonSchema): JsonSchema =>
    one.$ref === undefined ? one : resolved(definitions[one.$ref.split('/').at(-1) ?? ''] ?? {});
  const partsOf = (one: JsonSchema): readonly JsonSchema[] => (one.anyOf ?? one.oneOf ?? []).map(resolved);
  const typeOf = (one: JsonSchema): string => {
    const parts = partsOf(one);
    if (parts.length > 0) return [...new Set(parts.map(typeOf))].join(' or ');
    if (one.type === 'array') return `array of ${typeOf(resolved(one.items ?? {}))}`;
    return [one.type ?? 'any'].flat().join(' or ');
  };
  const fieldsBelow = (prefix: string, one: JsonSchema): [string, string][] =>
    Object.entries(one.properties ?? {}).flatMap(([name, property]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const field = resolved(property);
      const inner = partsOf(field).find(({ type }) => type !== 'null') ?? field;
      const items = inner.items === undefined ? undefined : resolved(inner.items);
      return [
        [path, typeOf(field)] as [string, string],
        ...(items === undefined ? fieldsBelow(path, inner) : fieldsBelow(`${path}[]`, items)),
      ];
    });
  return fieldsBelow('', resolved(root));
}

const AUDIO_ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const JOB_ID = '01JD5Z4M7WR1X9S0V3Y5Z7C9DE';
const pending: PendingRecord = {
  id: JOB_ID,
  startedBy: 'anonymous',
  type: 'speaker_labels',
  subjectId: labelsOfAudio(AUDIO_ID),
  mediaId: 'kX3vQ9mTz0A',
  createdAt: '2026-11-21T09:30:00.123456Z',
  price: 12,
  parameters: { audioId: AUDIO_ID },
  status: 'pending',
};
const success: DownloadRecord = { ...pending, status: 'success', finishedAt: pending.createdAt, charge: 12, files: [] };
const subject = { transcript_speaker_id: AUDIO_ID, media_id: 'kX3vQ9mTz0A' };

function contextOf(labels: SpeakerLabels | undefined): RenderContext {
  const contents: ContentsReader = {
    piece: () => Promise.resolve(undefined),
    facts: () => Promise.resolve(labels && (keptFacts(labels) as never)),
    list: () => {
      throw new Error('speaker labels have no lists');
    },
  };
  return { prices: priceTable({}), linkTo: () => '', contents, lists: noLists };
}

const rendered = async (...args: Parameters<typeof renderSpeakerLabels>): Promise<unknown> =>
  wholeOf(await renderSpeakerLabels(...args));

describe('the result of speaker labels', () => {
  it('has the fields of the specification (2.8) and few more', () => {
    expect(fieldsOf(speakerLabelsSchema)).toEqual([
      ['status', 'string'],
      ['message', 'string'],
      ['transcript_speaker_id', 'string'],
      ['media_id', 'string'],
      ['transcript_speaker_cost', 'string'],
      // Additions: the price with that of the audio, and the record of the job.
      ['cost', 'string'],
      ['download_id', 'string'],
      ['data', 'object'],
      ['data.transcriptsWithTimeStamps', 'array of object'],
      ['data.transcriptsWithTimeStamps[].text', 'string'],
      ['data.transcriptsWithTimeStamps[].start', 'number'],
      ['data.transcriptsWithTimeStamps[].duration', 'number'],
      ['data.transcriptsWithTimeStamps[].speaker', 'string'],
      // Additions: what the engine reports, and the hints of the request.
      ['data.transcriptsWithTimeStamps[].confidence', 'number'],
      ['data.language', 'string'],
      ['data.language_probability', 'number'],
      ['data.speaker_names', 'object'],
      ['data.hints', 'object'],
      ['data.hints.language', 'string'],
      ['data.hints.speakers', 'object'],
      ['data.hints.speakers.exact', 'integer'],
      ['data.hints.speakers.min', 'integer'],
      ['data.hints.speakers.max', 'integer'],
      ['data.duration', 'number'],
      ['data.message', 'string'],
      // An addition: the name of the engine.
      ['data.engine', 'string'],
    ]);
    expect(fieldsOf(audioRequiredSchema).map(([path]) => path)).toEqual(['status', 'message', 'transcript_speaker_id']);
  });

  it('of a success contains the transcript', async () => {
    const body = await rendered(success, contextOf(LABELS));
    expect(speakerLabelsSchema.strict().parse(body)).toEqual({
      ...{ status: 'success', ...subject, transcript_speaker_cost: '0.012', download_id: JOB_ID },
      data: { transcriptsWithTimeStamps: SEGMENTS, language: 'en', duration: 61.2, engine: 'sherpa' },
    });
  });

  it('has the confidences that the engine reported, also of a language that was found', async () => {
    const [first, second] = LABELS.segments;
    const segments = [{ ...first!, wordConfidences: [0.9, 0.5, 0.25] }, second!];
    const labels = { ...LABELS, segments, languageProbability: 0.97 };
    expect(speakerLabelsSchema.parse(await rendered(success, contextOf(labels))).data).toEqual({
      transcriptsWithTimeStamps: [{ ...SEGMENTS[0], confidence: 0.55 }, SEGMENTS[1]],
      ...{ language: 'en', language_probability: 0.97, duration: 61.2, engine: 'sherpa' },
    });
    const silence = { ...SILENCE, language: 'en', languageProbability: 0.4 };
    const given = { ...success, parameters: { audioId: AUDIO_ID, language: 'en' } };
    for (const body of [await rendered(success, contextOf(silence)), await rendered(given, contextOf(labels))]) {
      expect(JSON.stringify(body)).not.toContain('probability');
    }
  });

  it.each([
    [{ language: 'en' }, { language: 'en' }],
    [{ minSpeakers: 2 }, { speakers: { min: 2 } }],
    [
      { language: 'de', minSpeakers: 2, maxSpeakers: 3 },
      { language: 'de', speakers: { min: 2, max: 3 } },
    ],
    [{ minSpeakers: 2, maxSpeakers: 2 }, { speakers: { exact: 2 } }],
  ])('names the hints of a request with %j', async (options, hints) => {
    const record = { ...success, parameters: { audioId: AUDIO_ID, ...options } };
    expect(speakerLabelsSchema.parse(await rendered(record, contextOf(LABELS))).data.hints).toEqual(hints);
  });

  it('has times to the millisecond for any duration of the audio', async () => {
    const body = await rendered(success, contextOf({ ...LABELS, durationSeconds: 61.2049375 }));
    expect(body).toMatchObject({ data: { duration: 61.205 } });
  });

  it('omits the times of words', async () => {
    const body = await rendered(success, contextOf(LABELS));
    expect(body).toMatchObject({ data: { transcriptsWithTimeStamps: SEGMENTS } });
    expect(JSON.stringify(body)).not.toContain('wordStarts');
  });

  it('has the language `und` if the engine reports none', async () => {
    const { language: _language, ...labels } = LABELS;
    expect(await rendered(success, contextOf(labels))).toMatchObject({ data: { language: 'und' } });
  });

  it('of an audio without speech has a message', async () => {
    const message = 'No speech was found in the audio.';
    const free: DownloadRecord = { ...success, charge: 0 };
    const body = await rendered(free, contextOf({ ...SILENCE, language: 'en' }));
    expect(speakerLabelsSchema.strict().parse(body)).toEqual({
      ...{ status: 'success', message, ...subject, transcript_speaker_cost: '0.000', download_id: JOB_ID },
      data: { transcriptsWithTimeStamps: [], language: 'und', duration: 0, message, engine: 'sherpa' },
    });
  });

  it('of a running job is pending', async () => {
    const progress = { stage: 'transcribing', percent: 40, items: 1, total_items: 4 } as const;
    const body = await rendered(pending, contextOf(undefined), progress);
    const message = 'Transcription in progress';
    expect(speakerLabelsPendingSchema.strict().parse(body)).toEqual({
      ...{ status: 'pending', message, ...subject, transcript_speaker_cost: '0.012', download_id: JOB_ID, progress },
    });
  });

  it('of a failed job has its failure', async () => {
    const failure = { code: 'unsupported', message: 'The engine knows English only.' } as const;
    const failed: DownloadRecord = { ...pending, status: 'failed', finishedAt: pending.createdAt, failure };
    const body = await rendered(failed, contextOf(undefined));
    expect(speakerLabelsFailedSchema.strict().parse(body)).toEqual({
      ...{ status: 'failed', ...failure, ...subject, transcript_speaker_cost: '0.000', download_id: JOB_ID },
      cost: '0.000',
      download: {
        ...{ id: JOB_ID, type: 'speaker_labels', status: 'failed', cost: '0.000' },
        ...{ response: failure.message, created_at: pending.createdAt },
      },
    });
  });

  it('explains that the audio is being downloaded, or that there is none', () => {
    const audio: DownloadRecord = { ...pending, id: AUDIO_ID, type: 'audio' };
    expect(
      audioRequiredSchema.strict().parse(renderAudioRequired(audio.id, { isRequested: true })).transcript_speaker_id,
    ).toBe(AUDIO_ID);
    const none = speakerLabelsSchema.strict().parse(renderNoAudio(audio));
    expect(none).toMatchObject({ ...subject, transcript_speaker_cost: '0.000', data: { duration: 0 } });
  });

  it('matches exactly one schema in every state and loses no field', async () => {
    const failure = { code: 'internal', message: 'No.' } as const;
    const bodies = [
      await rendered(success, contextOf(LABELS)),
      await rendered(pending, contextOf(undefined)),
      await rendered({ ...pending, status: 'failed', finishedAt: pending.createdAt, failure }, contextOf(undefined)),
      renderAudioRequired(pending.id, { isRequested: false }),
      renderNoAudio(pending),
    ];
    for (const body of bodies) expect(speakerLabelsResultSchema.parse(body)).toEqual(body);
  });
});

describe('a request for speaker labels', () => {
  const request = { transcript_with_speaker_id: AUDIO_ID };

  it('ignores unknown fields and normalizes the language to BCP 47', () => {
    const parsed = speakerLabelsRequestSchema.parse({ ...request, language: 'PT-br', speakers: { max: 20 }, other: 1 });
    expect(parsed).toEqual({ ...request, language: 'pt-BR', speakers: { max: 20 } });
  });

  it('accepts a range of speakers, even of one number, but no empty range', () => {
    const parse = (min: number, max: number) =>
      speakerLabelsRequestSchema.safeParse({ ...request, speakers: { min, max } });
    const exactly = (speakers: object) => speakerLabelsRequestSchema.safeParse({ ...request, speakers }).success;
    expect([exactly({ exact: 2 }), exactly({ exact: 2, min: null }), exactly({ exact: 2, min: 2 })]).toEqual([
      ...[true, true, false],
    ]);
    expect([parse(2, 3).success, parse(2, 2).success, parse(3, 2).success]).toEqual([true, true, false]);
  });

  it('has one subject for each combination of parameters, all below the audio', () => {
    const audio = { audioId: AUDIO_ID };
    const combinations = [
      {},
      { language: 'en' },
      { minSpeakers: 2 },
      { maxSpeakers: 2 },
      { minSpeakers: 2, maxSpeakers: 2 },
    ];
    const subjects = combinations.map((one) => speakerLabelsSubjectOf({ ...audio, ...one }));
    expect(new Set(subjects).size).toBe(combinations.length);
    expect(subjects[0]).toBe(labelsOfAudio(AUDIO_ID));
    expect([subjectAbove({}), subjectAbove({ parameters: {} })]).toEqual([undefined, undefined]);
    for (const [index, one] of combinations.entries()) {
      expect(subjects[index]).toMatch(new RegExp(`^${labelsOfAudio(AUDIO_ID)}`));
      expect(subjectAbove({ parameters: { ...audio, ...one } })).toBe(labelsOfAudio(AUDIO_ID));
    }
  });
});

describe('exported speaker labels', () => {
  const text = async (
    { segments, speakerTurns }: Pick<SpeakerLabels, 'segments' | 'speakerTurns'>,
    format: 'vtt' | 'srt' | 'txt' | 'rttm',
  ): Promise<string> => {
    const labels = { segments: streamOf(segments), speakerTurns: streamOf(speakerTurns) };
    let whole = '';
    for await (const chunk of writeSpeakerLabels(labels, format, 'kX3vQ9mTz0A').chunks()) whole += chunk;
    return whole;
  };
  it('as WebVTT have a voice tag in each cue, and escape the text', async () => {
    const [first] = LABELS.segments;
    const segments = [{ ...first!, text: '--> <v Speaker 9>R&D</v>\n\nNOTE' }];
    const vtt = await text({ segments, speakerTurns: [] }, 'vtt');
    expect(vtt).toContain('<v Speaker 1>--&gt; &lt;v Speaker 9&gt;R&amp;D&lt;/v&gt;\nNOTE\n');
    expect(vtt.match(/-->/g)).toHaveLength(1);
    expect(vtt.match(/<v [^>]+>/g)).toEqual(['<v Speaker 1>']);
    expect(parseCaptions(await text(LABELS, 'vtt'), 'vtt', 'manual')).toMatchObject([
      { startSeconds: 0.5, durationSeconds: 1.25, text: 'Shall we <begin>?' },
      { startSeconds: 2, durationSeconds: 0.5, text: 'Yes.' },
    ]);
  });

  it('start a cue within a segment at its first word, and name the speaker in each', async () => {
    const words = ['ten', 'letters', 'and', 'more'].flatMap((word) => Array.from({ length: 8 }, () => word));
    // All words start in the first two seconds, and the last one lasts for ten.
    const wordStarts = words.map((_, i) => 5 + i / 16);
    const segment = { text: words.join(' '), start: 5, duration: 12, speaker: 'Speaker 1', wordStarts };
    const cues = parseCaptions(await text({ segments: [segment], speakerTurns: [] }, 'vtt'), 'vtt', 'manual');
    expect(cues.length).toBeGreaterThan(1);
    expect(cues.map((cue) => cue.text).join(' ')).toBe(segment.text);
    for (const [i, { startSeconds, text: said }] of cues.entries()) {
      const before = cues.slice(0, i).reduce((sum, cue) => sum + cue.text.split(' ').length, 0);
      expect(startSeconds).toBeCloseTo(wordStarts[before] ?? NaN, 2);
      expect(said).not.toBe('');
    }
    const vtt = await text({ segments: [segment], speakerTurns: [] }, 'vtt');
    expect(vtt.match(/<v Speaker 1>/g)).toHaveLength(cues.length);
    const srt = await text({ segments: [segment], speakerTurns: [] }, 'srt');
    for (const line of srt.split('\n')) expect(line.length).toBeLessThanOrEqual(42);
    expect(srt.match(/^Speaker 1: /gm)?.length).toBeGreaterThanOrEqual(cues.length);
  });

  it('as RTTM contain the intervals of speakers, with the labels of the text', async () => {
    const voices = [
      // This speaker has no words, so the text does not number them.
      { startSeconds: 0.1, endSeconds: 0.3, speaker: 0 },
      { startSeconds: 0.5, endSeconds: 1.75, speaker: 1 },
      { startSeconds: 1.7, endSeconds: 2.6, speaker: 2 },
      { startSeconds: 9, endSeconds: 9.5, speaker: 1 },
    ];
    const lines = await text({ ...LABELS, speakerTurns: voices }, 'rttm');
    expect(lines).toBe(
      [
        'SPEAKER kX3vQ9mTz0A 1 0.100 0.200 <NA> <NA> Speaker_3 <NA> <NA>',
        'SPEAKER kX3vQ9mTz0A 1 0.500 1.250 <NA> <NA> Speaker_1 <NA> <NA>',
        'SPEAKER kX3vQ9mTz0A 1 1.700 0.900 <NA> <NA> Speaker_2 <NA> <NA>',
        'SPEAKER kX3vQ9mTz0A 1 9.000 0.500 <NA> <NA> Speaker_1 <NA> <NA>\n',
      ].join('\n'),
    );
    expect(readRttm(lines)).toHaveLength(voices.length);
  });

  it.each([
    ['for one speaker per segment', [0, 10, 12], [[0, 8]], [[8, 12]]],
    ['ignoring speech before a segment', [20, 22, 32], [[0, 24]], [[24, 32]]],
    ['ignoring speech after a segment', [0, 10, 12], [[0, 8]], [[8, 30]]],
    [
      'even if another speaker is first',
      [0, 10, 20],
      [[1, 10]],
      [
        [0, 1],
        [10, 20],
      ],
    ],
    [
      'even if another speaker is last',
      [0, 10, 20],
      [
        [0, 9],
        [18, 20],
      ],
      [[10, 18]],
    ],
  ])('as RTTM have the label with the longest overlap, %s', async (_how, [start, middle, end], one, two) => {
    const segments = [
      { text: 'One.', start: start!, duration: middle! - start!, speaker: 'Speaker 1', wordStarts: [start!] },
      { text: 'Two.', start: middle!, duration: end! - middle!, speaker: 'Speaker 2', wordStarts: [middle!] },
    ];
    // The engine numbers them in reverse order.
    const voicesOf = (spans: readonly (readonly number[])[], speaker: number) =>
      spans.map(([startSeconds, endSeconds]) => ({ startSeconds: startSeconds!, endSeconds: endSeconds!, speaker }));
    const voices = [...voicesOf(one, 1), ...voicesOf(two, 0)].toSorted((a, b) => a.startSeconds - b.startSeconds);
    const named = readRttm(await text({ segments, speakerTurns: voices }, 'rttm'));
    expect(named.map(({ speaker }) => speaker)).toEqual(
      voices.map(({ speaker }) => (speaker === 1 ? 'Speaker_1' : 'Speaker_2')),
    );
  });

  it('as RTTM number speakers without words after those with words', async () => {
    const voices = [0, 1, 2, 1].map((speaker, i) => ({ startSeconds: 100 + i, endSeconds: 100.5 + i, speaker }));
    const named = readRttm(await text({ segments: LABELS.segments.slice(0, 1), speakerTurns: voices }, 'rttm'));
    expect(named.map(({ speaker }) => speaker)).toEqual(['Speaker_2', 'Speaker_3', 'Speaker_4', 'Speaker_3']);
  });

  it('have no cue for a segment without words', async () => {
    const segments = ['One.', ' \n', 'Two.'].map((said, i) => ({ ...LABELS.segments[0]!, start: i, text: said }));
    expect((await text({ segments, speakerTurns: [] }, 'srt')).match(/^\d+$/gm)).toEqual(['1', '2']);
  });

  it('as RTTM separate two speakers who talk at the same time', async () => {
    const voices = [
      { startSeconds: 0, endSeconds: 3, speaker: 0 },
      { startSeconds: 0, endSeconds: 2.9, speaker: 1 },
    ];
    const speakers = readRttm(await text({ segments: LABELS.segments.slice(0, 1), speakerTurns: voices }, 'rttm')).map(
      (one) => one.speaker,
    );
    expect(speakers).toEqual(['Speaker_1', 'Speaker_2']);
  });

  it('are complete files if there is no speech', async () => {
    const formats = ['srt', 'vtt', 'txt', 'rttm'] as const;
    const all = await Promise.all(formats.map((format) => text(SILENCE, format)));
    expect(all).toEqual(['', 'WEBVTT\n', '', '']);
  });
});
