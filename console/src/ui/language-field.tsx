import { useId, useState } from 'preact/hooks';
import { onDevice } from '../browser-store.ts';
import { Field } from './controls.tsx';

const COMMON = 'en de es fr it pt pt-BR nl pl ru uk tr ar hi id ja ko zh'.split(' ');
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

/** The last language used, else the browser's language without its region, because captions rarely have one. */
export function useUsualLanguage(): readonly [string, (tag: string) => void] {
  const [language, setLanguage] = useState(onDevice.read(NAME) ?? new Intl.Locale(navigator.language).language);
  const keep = (tag: string): void => {
    setLanguage(tag);
    onDevice.write(NAME, languageName(tag) === undefined ? undefined : tag);
  };
  return [language, keep];
}

interface LanguageFieldProps {
  readonly value: string;
  readonly onChange: (language: string) => void;
  readonly label?: string;
}

export function LanguageField({ value, onChange, label = 'Language' }: LanguageFieldProps) {
  const list = useId();
  return (
    <Field
      label={value === '' ? label : `${label}: ${languageName(value) ?? 'none such'}`}
      width="short"
      list={list}
      value={value}
      autocapitalize="none"
      spellcheck={false}
      onText={(text) => onChange(text.trim())}
    >
      <datalist id={list}>
        {COMMON.map((tag) => (
          <option key={tag} value={tag}>
            {languageName(tag)}
          </option>
        ))}
      </datalist>
    </Field>
  );
}
