import type { ButtonHTMLAttributes, ComponentChildren, FormHTMLAttributes, InputHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icons.tsx';

const BUTTON_CLASSES = { plain: 'button', main: 'button button-main', bad: 'button button-bad', tool: 'tool' } as const;

interface ButtonProps extends ButtonHTMLAttributes {
  readonly look?: keyof typeof BUTTON_CLASSES;
  readonly icon?: IconName;
}

/** A button that submits no form unless its type is `submit`. */
export function Button({ look = 'plain', icon, children, ...attributes }: ButtonProps) {
  return (
    <button type="button" class={BUTTON_CLASSES[look]} {...attributes}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

interface FormProps extends FormHTMLAttributes {
  readonly onSend: () => void;
}

export function Form({ onSend, ...attributes }: FormProps) {
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    onSend();
  };
  return <form onSubmit={onSubmit} {...attributes} />;
}

type FieldProps = InputHTMLAttributes & {
  readonly label: string;
  readonly width?: 'short' | 'grow';
  readonly onText: (text: string) => void;
};

export function Field({ label, width, onText, children, ...attributes }: FieldProps) {
  return (
    <label class={`field ${width ?? ''}`}>
      <span>{label}</span>
      <input dir="auto" onInput={(event) => onText(event.currentTarget.value)} {...attributes} />
      {children}
    </label>
  );
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChoice: (value: Value) => void;
}

export function Select<Value extends string>({ label, options, value, onChoice }: SelectProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckboxProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}

export function Checkbox({ isChecked, onChange, children }: CheckboxProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  );
}

export function SearchField({
  label,
  value,
  onText,
}: Pick<FieldProps, 'label' | 'onText'> & { readonly value: string }) {
  return (
    <label class="search grow">
      <Icon name="search" />
      <input
        dir="auto"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}
