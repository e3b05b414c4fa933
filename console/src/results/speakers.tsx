import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { SpeakerLabelsBody, SpokenWords } from '../../../contract/kinds/speaker-labels.ts';
import { read } from '../console-api.ts';
import { clockText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { useStore, type Store } from '../browser-store.ts';
import type { Download } from '../types.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { languageName } from '../ui/language-field.tsx';
import { Loading, Trouble } from '../ui/parts.tsx';
import { Exports } from './exports.tsx';
import { Lanes, sharesOf, VOICES } from './lanes.tsx';
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

/** A transcript with speaker labels and a player. */
export function Speakers({ record }: { readonly record: Download }): JSX.Element {
  const { value, thrown } = useLoaded((signal) => load(record.id, signal), [record.id]);
  if (thrown !== undefined) return <Trouble thrown={thrown} />;
  if (value === undefined) return <Loading what="Loading the transcript" />;
  const { body, transcript } = value;
  if (transcript.lines.length === 0) {
    return (
      <section class="card">
        <h2>Nobody speaks</h2>
        <p>{body.data.message ?? 'No speech was found in the audio.'}</p>
      </section>
    );
  }
  return <Spoken labels={value} recordId={record.id} />;
}

async function load(id: string, signal: AbortSignal): Promise<Labels> {
  const [body, words] = await Promise.all([
    read<SpeakerLabelsBody>(`/api/downloads/${id}/result`, signal),
    read<SpokenWords>(`/api/transcriptspeakerid/${id}/words`, signal),
  ]);
  const { data: audio } = await read<{ data: Download }>(`/downloads/${body.transcript_speaker_id}`, signal);
  const lines = words.segments.map(({ word_starts: starts, ...line }) => ({
    ...line,
    wordStarts: starts ?? undefined,
  }));
  return { body, audio, transcript: { mediaId: words.media_id, lines, turns: words.turns } };
}

function Spoken({ labels, recordId }: { readonly labels: Labels; readonly recordId: string }): JSX.Element {
  const { body, transcript, audio } = labels;
  const media = useRef<HTMLAudioElement>(null);
  const store = namesOf(recordId);
  const names = useStore(store);
  const speakers = useMemo(() => speakersOf(transcript), [transcript]);
  const { language, duration, engine } = body.data;
  return (
    <section class="card" aria-labelledby="spoken-heading">
      <div class="heading">
        <h2 id="spoken-heading">Transcript</h2>
        <span class="quiet">
          {[
            `${speakers.length.toString()} ${speakers.length === 1 ? 'speaker' : 'speakers'}`,
            clockText(duration),
            language === 'und' ? undefined : languageName(language),
            engine === undefined ? undefined : `engine ${engine}`,
          ]
            .filter((one) => one !== undefined)
            .join(' · ')}
        </span>
      </div>
      {engine?.endsWith('+level') === true ? (
        <div class="notice">
          <Icon name="warning" />
          <p>Nobody is heard clearly here. What may be voices was taken for speech, and much of this may be wrong.</p>
        </div>
      ) : null}
      <Sound media={media} audio={audio} lines={transcript.lines} durationSeconds={duration} />
      <Lanes turns={transcript.turns} speakers={speakers} names={names} durationSeconds={duration} media={media} />
      <SpeakerNames speakers={speakers} names={names} store={store} shares={sharesOf(transcript.turns)} />
      <TranscriptView lines={transcript.lines} speakers={speakers} names={names} media={media} />
      <Exports transcript={transcript} names={names} fileName={`${transcript.mediaId}.speakers`} />
      <p class="quiet">
        Made from <a href={pathTo({ job: body.transcript_speaker_id })}>this audio</a>. This browser keeps the names
        that you give; files that you save carry them.
      </p>
    </section>
  );
}

function SpeakerNames({
  speakers,
  names,
  store,
  shares,
}: {
  readonly speakers: readonly string[];
  readonly names: Names;
  readonly store: Store<Names>;
  readonly shares: ReadonlyMap<string, number>;
}): JSX.Element {
  return (
    <ul class="speakers" aria-label="Speakers">
      {speakers.map((label, index) => (
        <li key={label}>
          <span class={`swatch voice-${(index % VOICES).toString()}`} aria-hidden="true" />
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
