import { useState } from 'preact/hooks';
import { apiKey, forgetKey, isKeyOnDevice, keyWanted, takeKey } from '../session.ts';
import { useStore } from '../browser-store.ts';
import { Button, Checkbox, Field, Form } from './controls.tsx';

/** A form to set or remove the API key. The key stays in this browser and is sent only to the service. */
export function KeyPanel({ reason, onDone }: { readonly reason: string | undefined; readonly onDone: () => void }) {
  const key = useStore(apiKey);
  const [text, setText] = useState('');
  const [isKept, setKept] = useState(isKeyOnDevice());
  const take = (): void => {
    const given = text.trim();
    if (given === '') return;
    takeKey(given, isKept);
    done();
  };
  const done = (): void => {
    keyWanted.set(undefined);
    onDone();
  };
  return (
    <section class="key-panel" aria-labelledby="key-heading">
      <Form onSend={take}>
        <div class="heading">
          <h2 id="key-heading">API key</h2>
          <Button icon="close" look="tool" aria-label="Close" onClick={done} />
        </div>
        {reason ? <p role="alert">{reason}</p> : null}
        <p class="quiet">
          {key === undefined
            ? 'No key is in use. On your own machine none is needed unless the operator says so.'
            : `In use: the key that begins ${key.slice(0, 8)}…`}
        </p>
        <div class="row">
          <Field
            label="Key"
            width="grow"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="td_…"
            value={text}
            onText={setText}
          />
          <Button type="submit" look="main">
            Use this key
          </Button>
        </div>
        <div class="row">
          <Checkbox isChecked={isKept} onChange={setKept}>
            Keep it on this device, not only in this tab
          </Checkbox>
          {key === undefined ? null : (
            <Button
              onClick={() => {
                forgetKey();
                done();
              }}
            >
              Forget this key
            </Button>
          )}
        </div>
      </Form>
    </section>
  );
}
