import { useState } from 'preact/hooks';
import {
  CONTAINERS,
  DEFAULT_CONTAINERS,
  NAME_FIELDS,
  SPONSORBLOCK_CATEGORIES,
  type Container,
} from '../../../contract/media-option-values.ts';
import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import type { MediaInfo } from '../../../contract/kinds/media-info.ts';
import { clockText } from '../format-values.ts';
import { navigate } from '../router.ts';
import { jobPath, requestFor, start } from '../start.ts';
import { Button, Checkbox, Field, Select } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { languageName } from '../ui/language-field.tsx';
import { ErrorNotice, Price } from '../ui/parts.tsx';

const FORMATS = { audio: 'Audio', video: 'Video' } as const;
const EMBEDDED = { tags: 'Tags', cover: 'Cover', chapters: 'Chapters', captions: 'Captions' } as const;
const SEGMENTS: Readonly<Record<(typeof SPONSORBLOCK_CATEGORIES)[number], string>> = {
  ...{ sponsor: 'Sponsors', selfpromo: 'Self-promotion', interaction: 'Reminders to subscribe', intro: 'Intro' },
  ...{ outro: 'Credits at the end', preview: 'Previews and recaps', hook: 'Opening teasers', filler: 'Digressions' },
  music_offtopic: 'Parts without music',
};
const ALL = 'all';
const TIMES = 'times';
/** Begins the value of a chapter, so that no title is one of the values above. */
const CHAPTER = 'chapter ';

interface FileChoicesProps {
  readonly offers: readonly Offer[];
  readonly info: MediaInfo;
  readonly isOnVideoPlatform: boolean;
  readonly webhook: string;
}

/** How the file of a page is made, with the choices that the page has. */
export function FileChoices({ offers, info, isOnVideoPlatform, webhook }: FileChoicesProps) {
  const [format, setFormat] = useState<keyof typeof FORMATS>('video');
  const [container, setContainer] = useState<Container>(DEFAULT_CONTAINERS.video);
  const [height, setHeight] = useState(ALL);
  const [sound, setSound] = useState('original');
  const [section, setSection] = useState(ALL);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [isExact, setExact] = useState(false);
  const [embedded, setEmbedded] = useState<readonly string[]>([]);
  const [segments, setSegments] = useState<Readonly<Record<string, string>>>({});
  const [name, setName] = useState('');
  const { isRunning, thrown, run } = useAction();
  const offer = offers.find(({ body }) => body['format'] === format);
  if (offer === undefined) return null;

  const holds: readonly string[] = CONTAINERS[container].holds;
  const embed = embedded.filter((one) => holds.includes(one));
  // A WebM file is only copied, which cannot cut to the frame.
  const canCut = container !== 'webm';
  const treatments: Readonly<Record<string, string>> = {
    keep: 'Keep',
    ...(holds.includes('chapters') && { mark: 'Mark as chapter' }),
    ...(canCut && { remove: 'Cut out' }),
  };
  const treatmentOf = (category: string): string => {
    const chosen = segments[category] ?? 'keep';
    return chosen in treatments ? chosen : 'keep';
  };
  const segmentsTo = (what: string): readonly string[] | undefined => {
    const categories = SPONSORBLOCK_CATEGORIES.filter((one) => treatmentOf(one) === what);
    return categories.length === 0 ? undefined : categories;
  };
  const begin = async (): Promise<void> => {
    const [mark, remove] = [segmentsTo('mark'), segmentsTo('remove')];
    const { path, body } = requestFor(offer, { language: '', webhook });
    const options = {
      container,
      ...(format === 'video' && height !== ALL && { max_height: Number.parseInt(height, 10) }),
      sound_language: sound,
      ...(section !== ALL && {
        section: {
          ...(section === TIMES ? { from: timeOf(from), to: timeOf(to) } : { chapter: section.slice(CHAPTER.length) }),
          exact: isExact && canCut,
        },
      }),
      embed,
      ...((mark ?? remove) !== undefined && { sponsorblock: { mark, remove } }),
      ...(name.trim() !== '' && { file_name: name.trim() }),
    };
    navigate(jobPath(await start({ path, body: { ...body, ...options } })));
  };
  return (
    <details class="more">
      <summary>Choose how the file is made</summary>
      <div class="fields">
        <Select
          label="Format"
          options={FORMATS}
          value={format}
          onChoice={(next) => {
            setFormat(next);
            setContainer(DEFAULT_CONTAINERS[next]);
          }}
        />
        <Select label="Container" options={containersOf(format)} value={container} onChoice={setContainer} />
        {format === 'video' ? (
          <Select label="Height" options={heightsOf(info)} value={height} onChoice={setHeight} />
        ) : null}
        <Select label="Language of the sound" options={soundsOf(info)} value={sound} onChoice={setSound} />
        <Select label="Section" options={sectionsOf(info)} value={section} onChoice={setSection} />
        {section === TIMES ? (
          <>
            <Field label="From" placeholder="0:00" value={from} onText={setFrom} />
            <Field label="To" placeholder={info.duration ?? 'The end'} value={to} onText={setTo} />
          </>
        ) : null}
        <Field label="File name" placeholder="{date} {title}" value={name} onText={setName} />
      </div>
      <p class="quiet">A file name may contain {NAME_FIELDS.map((field) => `{${field}}`).join(', ')}.</p>
      <fieldset class="row">
        <legend>Write into the file</legend>
        {Object.entries(EMBEDDED).map(([one, text]) =>
          holds.includes(one) ? (
            <Checkbox
              key={one}
              isChecked={embedded.includes(one)}
              onChange={(is) => setEmbedded(is ? [...embedded, one] : embedded.filter((other) => other !== one))}
            >
              {text}
            </Checkbox>
          ) : null,
        )}
      </fieldset>
      {section === ALL || !canCut ? null : (
        <Checkbox isChecked={isExact} onChange={setExact}>
          Cut the section to the frame, which encodes it again
        </Checkbox>
      )}
      {isOnVideoPlatform ? (
        <details class="more">
          <summary>Segments that viewers reported to SponsorBlock</summary>
          <div class="fields">
            {SPONSORBLOCK_CATEGORIES.map((one) => (
              <Select
                key={one}
                label={SEGMENTS[one]}
                options={treatments}
                value={treatmentOf(one)}
                onChoice={(next) => setSegments({ ...segments, [one]: next })}
              />
            ))}
          </div>
        </details>
      ) : null}
      <ErrorNotice thrown={thrown} />
      <p class="line">
        <Button look="main" disabled={isRunning} onClick={() => run(begin)}>
          {isRunning ? 'Starting…' : 'Fetch this file'}
        </Button>
        <Price amount={offer.price} />
      </p>
    </details>
  );
}

function containersOf(format: keyof typeof FORMATS): Readonly<Record<string, string>> {
  const names = Object.entries(CONTAINERS).filter(([, one]) => one.format === format);
  return Object.fromEntries(names.map(([one]) => [one, one.toUpperCase()]));
}

function heightsOf({ video_formats: formats }: MediaInfo): Readonly<Record<string, string>> {
  const heights = [...new Set(formats.flatMap(({ height }) => height ?? []))];
  return { [ALL]: 'The highest', ...Object.fromEntries(heights.map((one) => [`${String(one)}p`, `${String(one)}p`])) };
}

function soundsOf({ audio_languages: languages }: MediaInfo): Readonly<Record<string, string>> {
  const others = languages.filter(({ is_original: isOriginal }) => !isOriginal);
  return {
    original: 'Original',
    ...Object.fromEntries(others.map(({ language }) => [language, languageName(language) ?? language])),
  };
}

function sectionsOf({ chapters }: MediaInfo): Readonly<Record<string, string>> {
  const named = chapters.map(({ title, start: at }) => [`${CHAPTER}${title}`, `${clockText(at)} ${title}`] as const);
  return { [ALL]: 'Everything', [TIMES]: 'From one time to another', ...Object.fromEntries(named) };
}

/** @returns seconds, or another text, which the service reads as a time or refuses */
function timeOf(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}
