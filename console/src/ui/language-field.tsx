import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { onDevice } from '../browser-store.ts';

const COMMON = [
  'en',
  'de',
  'es',
  'fr',
  'it',
  'pt',
  'pt-BR',
  'nl',
  'pl',
  'ru',
  'uk',
  'tr',
  'ar',
  'hi',
  'id',
  'ja',
  'ko',
  'zh',
];
const names = new Intl.DisplayNames('en', { type: 'language' });

/** Returns `German` for `de`; undefined for an invalid tag. */
export function languageName(tag: string): string | undefined {
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}

const NAME = 'tapedeck.language';

/** Returns the last language used, else the browser's language without its region, because captions rarely have one. */
export function usualLanguage(): string {
  return onDevice.read(NAME) ?? new Intl.Locale(navigator.language).language;
}

export function keepLanguage(tag: string): void {
  onDevice.write(NAME, languageName(tag) === undefined ? undefined : tag);
}

/** A field for a language tag that suggests common ones. */
export function LanguageField({
  value,
  onChange,
  label = 'Language',
}: {
  readonly value: string;
  readonly onChange: (language: string) => void;
  readonly label?: string;
}): JSX.Element {
  const list = useId();
  return (
    <label class="field field-short">
      <span>
        {label}
        {value === '' ? '' : `: ${languageName(value) ?? 'none such'}`}
      </span>
      <input
        list={list}
        value={value}
        autocapitalize="none"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
      />
      <datalist id={list}>
        {COMMON.map((tag) => (
          <option key={tag} value={tag}>
            {languageName(tag)}
          </option>
        ))}
      </datalist>
    </label>
  );
}
