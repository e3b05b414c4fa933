import { useState } from 'preact/hooks';
import { CONTAINERS, NAME_FIELDS, SPONSORBLOCK_CATEGORIES } from '../../../contract/media-option-values.ts';
import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import type { MediaInfo } from '../../../contract/kinds/media-info.ts';
import { clockText } from '../format-values.ts';
import { navigate } from '../router.ts';
import { jobPath, requestFor, start } from '../start.ts';
import { Button, Checkbox, Field, Select } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { languageName } from '../ui/language-field.tsx';
import { ErrorNotice, Price } from '../ui/parts.tsx';

const FORMATS = { video: 'Video', audio: 'Audio' } as const;
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
const YES = 'yes';

/** Texts by their values. The first is the default. */
type Options = Readonly<Record<string, string>>;

interface FileChoicesProps {
  readonly offers: readonly Offer[];
  readonly info: MediaInfo;
  readonly isOnVideoPlatform: boolean;
  readonly webhook: string;
}

/** How the file of a page is made, with the choices that the page has. */
export function FileChoices({ offers, info, isOnVideoPlatform, webhook }: FileChoicesProps) {
  const [chosen, setChosen] = useState<Options>({});
  const { isRunning, thrown, run } = useAction();
  const choose = (name: string) => (value: string) => setChosen({ ...chosen, [name]: value });
  const textOf = (name: string): string | undefined => chosen[name]?.trim() || undefined;
  const choiceOf = (name: string, options: Options): string => {
    const value = chosen[name] ?? '';
    return value in options ? value : (Object.keys(options)[0] ?? '');
  };
  const format = choiceOf('format', FORMATS);
  const offer = offers.find(({ body }) => body['format'] === format);
  if (offer === undefined) return null;

  const containers = Object.entries(CONTAINERS).filter(([, one]) => one.format === format);
  const containerNames = Object.fromEntries(containers.map(([one]) => [one, one.toUpperCase()]));
  const container = choiceOf('container', containerNames) as keyof typeof CONTAINERS;
  const holds: readonly string[] = CONTAINERS[container].holds;
  // A WebM file is only copied, which cannot cut to the frame.
  const canCut = container !== 'webm';
  const [heights, sounds, sections] = [heightsOf(info), soundsOf(info), sectionsOf(info)];
  const section = choiceOf('section', sections);
  const treatments: Options = {
    keep: 'Keep',
    ...(holds.includes('chapters') && { mark: 'Mark as chapter' }),
    ...(canCut && { remove: 'Cut out' }),
  };
  const categoriesTo = (treatment: string): readonly string[] | undefined => {
    const categories = SPONSORBLOCK_CATEGORIES.filter((one) => choiceOf(one, treatments) === treatment);
    return categories.length === 0 ? undefined : categories;
  };
  const begin = async (): Promise<void> => {
    const [mark, remove] = [categoriesTo('mark'), categoriesTo('remove')];
    const { path, body } = requestFor(offer, { language: '', webhook });
    const part =
      section === TIMES ? { from: textOf('from'), to: textOf('to') } : { chapter: section.slice(CHAPTER.length) };
    const options = {
      container,
      max_height: (format === 'video' && Number.parseInt(choiceOf('max_height', heights), 10)) || undefined,
      sound_language: choiceOf('sound_language', sounds),
      section: section === ALL ? undefined : { ...part, exact: canCut && chosen['exact'] === YES },
      embed: Object.keys(EMBEDDED).filter((one) => holds.includes(one) && chosen[one] === YES),
      sponsorblock: (mark ?? remove) && { mark, remove },
      file_name: textOf('file_name'),
    };
    navigate(jobPath(await start({ path, body: { ...body, ...options } })));
  };

  const select = (name: string, label: string, options: Options) => (
    <Select key={name} label={label} options={options} value={choiceOf(name, options)} onChoice={choose(name)} />
  );
  const field = (name: string, label: string, placeholder: string) => (
    <Field label={label} placeholder={placeholder} value={chosen[name] ?? ''} onText={choose(name)} />
  );
  const checkbox = (name: string, text: string) => (
    <Checkbox key={name} isChecked={chosen[name] === YES} onChange={(is) => choose(name)(is ? YES : '')}>
      {text}
    </Checkbox>
  );
  return (
    <details class="more">
      <summary>Choose how the file is made</summary>
      <div class="fields">
        {select('format', 'Format', FORMATS)}
        {select('container', 'Container', containerNames)}
        {format === 'video' ? select('max_height', 'Height', heights) : null}
        {select('sound_language', 'Language of the sound', sounds)}
        {select('section', 'Section', sections)}
        {section === TIMES ? field('from', 'From', '0:00') : null}
        {section === TIMES ? field('to', 'To', info.duration ?? 'The end') : null}
        {field('file_name', 'File name', '{date} {title}')}
      </div>
      <p class="quiet">A file name may contain {NAME_FIELDS.map((name) => `{${name}}`).join(', ')}.</p>
      <fieldset class="row">
        <legend>Write into the file</legend>
        {Object.entries(EMBEDDED).map(([one, text]) => (holds.includes(one) ? checkbox(one, text) : null))}
      </fieldset>
      {section !== ALL && canCut ? checkbox('exact', 'Cut the section to the frame, which encodes it again') : null}
      {isOnVideoPlatform ? (
        <details class="more">
          <summary>Segments that viewers reported to SponsorBlock</summary>
          <div class="fields">{SPONSORBLOCK_CATEGORIES.map((one) => select(one, SEGMENTS[one], treatments))}</div>
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

function heightsOf({ video_formats: formats }: MediaInfo): Options {
  const heights = [...new Set(formats.flatMap(({ height }) => height ?? []))];
  return { [ALL]: 'The highest', ...Object.fromEntries(heights.map((one) => [`${String(one)}p`, `${String(one)}p`])) };
}

function soundsOf({ audio_languages: languages }: MediaInfo): Options {
  const others = languages.filter(({ is_original: isOriginal }) => !isOriginal).map(({ language }) => language);
  const named = others.map((language) => [language, languageName(language) ?? language] as const);
  return { original: 'Original', ...Object.fromEntries(named) };
}

function sectionsOf({ chapters }: MediaInfo): Options {
  const named = chapters.map(({ title, start: at }) => [`${CHAPTER}${title}`, `${clockText(at)} ${title}`] as const);
  return { [ALL]: 'Everything', [TIMES]: 'From one time to another', ...Object.fromEntries(named) };
}
