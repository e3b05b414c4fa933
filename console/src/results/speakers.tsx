import { useMemo, useRef, useState } from 'preact/hooks';
import type { SpeakerLabelsBody, SpokenWords } from '../../../contract/kinds/speaker-labels.ts';
import type { NamedSpeakers, SpeakerNames } from '../../../contract/kinds/speaker-names.ts';
import { call, read } from '../console-api.ts';
import { clockText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import type { Download } from '../types.ts';
import { languageName } from '../ui/language-field.tsx';
import { useAction } from '../ui/hooks.ts';
import { Card, ErrorNotice, Loaded } from '../ui/parts.tsx';
import { Exports } from './exports.tsx';
import { Lanes, sharesOf, voiceOf } from './lanes.tsx';
import { nameIn, speakersOf } from './transcript-lines.ts';
import { Sound } from './sound.tsx';
import { TranscriptView } from './transcript-view.tsx';

export function Speakers({ record: { id } }: { readonly record: Download }) {
  return (
    <Loaded load={(signal) => load(id, signal)} dependsOn={[id]} what="Loading the transcript">
      {(labels) =>
        labels.transcript.lines.length === 0 ? (
          <Card title="No speech">
            <p dir="auto">{labels.body.data.message ?? 'No speech was found in the audio.'}</p>
          </Card>
        ) : (
          <Spoken labels={labels} />
        )
      }
    </Loaded>
  );
}

async function load(id: string, signal: AbortSignal) {
  const [body, words] = await Promise.all([
    read<SpeakerLabelsBody>(`/api/downloads/${id}/result`, signal),
    read<SpokenWords>(`/api/transcriptspeakerid/${id}/words`, signal),
  ]);
  const { data: audio } = await read<{ data: Download }>(`/downloads/${body.transcript_speaker_id}`, signal);
  const lines = words.segments.map(({ word_starts: wordStarts, word_confidences: wordConfidences, ...line }) => {
    return { ...line, wordStarts, wordConfidences };
  });
  const { media_id: mediaId, speaker_names: names = {}, turns } = words;
  return { id, mediaId, names, body, audio, transcript: { lines, voiceSegments: turns } };
}

function Spoken({ labels }: { readonly labels: Awaited<ReturnType<typeof load>> }) {
  const { id, mediaId, body, transcript, audio } = labels;
  const { lines, voiceSegments } = transcript;
  const media = useRef<HTMLAudioElement>(null);
  const [names, setNames] = useState(labels.names);
  const { isRunning, thrown, run } = useAction();
  const rename = (label: string, name: string): void => {
    const { [label]: before, ...others } = names;
    const body = { names: name === '' || name === label ? others : { ...others, [label]: name } };
    if (name === (before ?? label)) return;
    // A second name may be given before the first one is stored.
    setNames(body.names);
    run(async () => {
      const path = `/api/transcriptspeakerid/${id}/names`;
      await call<NamedSpeakers>('PUT', path, { body }).catch((error: unknown) => {
        setNames(names);
        throw error;
      });
    });
  };
  const speakers = useMemo(() => speakersOf(transcript), [transcript]);
  const { language, duration, engine } = body.data;
  const facts = [
    `${speakers.length.toString()} ${speakers.length === 1 ? 'speaker' : 'speakers'}`,
    clockText(duration),
    language === 'und' ? undefined : languageName(language),
    engine === undefined ? undefined : `engine ${engine}`,
  ];
  return (
    <Card title="Transcript" end={<span class="quiet">{facts.filter((fact) => fact !== undefined).join(' · ')}</span>}>
      <Sound media={media} audio={audio} lines={lines} durationSeconds={duration} />
      <Lanes {...{ voiceSegments, speakers, names, media }} durationSeconds={duration} />
      <NameFields {...{ speakers, names, rename }} shares={sharesOf(voiceSegments)} />
      <ErrorNotice thrown={thrown} />
      <TranscriptView {...{ lines, speakers, names, media }} />
      <Exports
        path={`/api/transcriptspeakerid/${id}`}
        formats={['srt', 'vtt', 'txt', 'rttm']}
        fileName={`${mediaId}.speakers`}
        isChanging={isRunning}
      />
      <p class="quiet">
        Made from <a href={pathTo('job', { id: body.transcript_speaker_id })}>this audio</a>. All files and answers show
        the names.
      </p>
    </Card>
  );
}

interface NameFieldsProps {
  readonly speakers: readonly string[];
  readonly names: SpeakerNames;
  readonly rename: (label: string, name: string) => void;
  readonly shares: ReadonlyMap<string, number>;
}

function NameFields({ speakers, names, rename, shares }: NameFieldsProps) {
  return (
    <ul class="speakers" aria-label="Speakers">
      {speakers.map((label, index) => (
        <li key={label}>
          <span class="swatch" style={{ background: `var(${voiceOf(index)})` }} aria-hidden="true" />
          <input
            dir="auto"
            aria-label={`Name of ${label}`}
            value={nameIn(names, label)}
            maxLength={100}
            onChange={({ currentTarget }) => {
              const name = currentTarget.value.trim();
              currentTarget.value = name === '' ? label : name;
              rename(label, name);
            }}
          />
          <span class="quiet">{((shares.get(label) ?? 0) * 100).toFixed(0)} %</span>
        </li>
      ))}
    </ul>
  );
}
