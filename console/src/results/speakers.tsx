import { useMemo, useRef } from 'preact/hooks';
import type { SpeakerLabelsBody, SpokenWords } from '../../../contract/kinds/speaker-labels.ts';
import { read } from '../console-api.ts';
import { clockText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { useStore, type Store } from '../browser-store.ts';
import type { Download } from '../types.ts';
import { languageName } from '../ui/language-field.tsx';
import { Card, Loaded, Notice } from '../ui/parts.tsx';
import { Exports } from './exports.tsx';
import { Lanes, sharesOf, voiceOf } from './lanes.tsx';
import { nameIn, speakersOf, type Names, type Transcript } from './transcript-lines.ts';
import { namesOf, rename } from './names.ts';
import { Sound } from './sound.tsx';
import { TranscriptView } from './transcript-view.tsx';

interface Labels {
  readonly body: SpeakerLabelsBody;
  readonly transcript: Transcript;
  /** The audio; undefined after its retention. */
  readonly audio: Download | undefined;
}

export function Speakers({ record: { id } }: { readonly record: Download }) {
  return (
    <Loaded load={(signal) => load(id, signal)} dependsOn={[id]} what="Loading the transcript">
      {(labels) =>
        labels.transcript.lines.length === 0 ? (
          <Card title="No speech">
            <p>{labels.body.data.message ?? 'No speech was found in the audio.'}</p>
          </Card>
        ) : (
          <Spoken labels={labels} recordId={id} />
        )
      }
    </Loaded>
  );
}

async function load(id: string, signal: AbortSignal): Promise<Labels> {
  const [body, words] = await Promise.all([
    read<SpeakerLabelsBody>(`/api/downloads/${id}/result`, signal),
    read<SpokenWords>(`/api/transcriptspeakerid/${id}/words`, signal),
  ]);
  const { data: audio } = await read<{ data: Download }>(`/downloads/${body.transcript_speaker_id}`, signal);
  const lines = words.segments.map(({ word_starts: starts, ...line }) => ({
    ...line,
    wordStarts: starts,
  }));
  return { body, audio, transcript: { mediaId: words.media_id, lines, voiceSegments: words.turns } };
}

function Spoken({ labels, recordId }: { readonly labels: Labels; readonly recordId: string }) {
  const { body, transcript, audio } = labels;
  const { lines, voiceSegments } = transcript;
  const media = useRef<HTMLAudioElement>(null);
  const store = namesOf(recordId);
  const names = useStore(store);
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
      {engine?.endsWith('+level') === true ? (
        <Notice icon="warning">
          There is no clear speech here. Sounds that may be voices were taken for speech, and much of this may be wrong.
        </Notice>
      ) : null}
      <Sound media={media} audio={audio} lines={lines} durationSeconds={duration} />
      <Lanes {...{ voiceSegments, speakers, names, media }} durationSeconds={duration} />
      <SpeakerNames {...{ speakers, names, store }} shares={sharesOf(voiceSegments)} />
      <TranscriptView {...{ lines, speakers, names, media }} />
      <Exports transcript={transcript} names={names} fileName={`${transcript.mediaId}.speakers`} />
      <p class="quiet">
        Made from <a href={pathTo({ job: body.transcript_speaker_id })}>this audio</a>. This browser keeps the names
        that you give; files that you save carry them.
      </p>
    </Card>
  );
}

interface SpeakerNamesProps {
  readonly speakers: readonly string[];
  readonly names: Names;
  readonly store: Store<Names>;
  readonly shares: ReadonlyMap<string, number>;
}

function SpeakerNames({ speakers, names, store, shares }: SpeakerNamesProps) {
  return (
    <ul class="speakers" aria-label="Speakers">
      {speakers.map((label, index) => (
        <li key={label}>
          <span class="swatch" style={{ background: `var(${voiceOf(index)})` }} aria-hidden="true" />
          <input
            aria-label={`Name of ${label}`}
            value={nameIn(names, label)}
            onChange={(event) => {
              rename(store, label, event.currentTarget.value);
              event.currentTarget.value = nameIn(store.get(), label);
            }}
          />
          <span class="quiet">{((shares.get(label) ?? 0) * 100).toFixed(0)} %</span>
        </li>
      ))}
    </ul>
  );
}
