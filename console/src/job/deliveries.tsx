import { useEffect, useRef } from 'preact/hooks';
import type { DeliveryList, DeliveryResult } from '../../../contract/http/delivery-schemas.ts';
import { call, read } from '../console-api.ts';
import { momentText } from '../format-values.ts';
import { Button } from '../ui/controls.tsx';
import { useAction, useEvery, useLoaded } from '../ui/hooks.ts';
import { Card, ErrorNotice, StatusMark } from '../ui/parts.tsx';
import { DELIVERY_NAMES } from '../words.ts';

const POLL_MS = 5_000;
/** The first attempt is recorded a moment after the job ends. */
const AFTER_END_MS = [1_000, 4_000] as const;

export function Deliveries({ id, isPending }: { readonly id: string; readonly isPending: boolean }) {
  const wasPending = useRef(isPending);
  const { value, thrown, again } = useLoaded(
    async (signal) =>
      isPending ? [] : (await read<DeliveryList>(`/api/webhook/deliveries?download_id=${id}`, signal)).deliveries,
    [id, isPending],
  );
  const deliveries = value ?? [];
  const isOnItsWay = deliveries.some(({ state }) => state === 'pending');
  useEffect(() => {
    if (isPending || !wasPending.current) return undefined;
    const timers = AFTER_END_MS.map((ms) => setTimeout(again, ms));
    return () => timers.forEach(clearTimeout);
  }, [isPending, again]);
  useEvery(POLL_MS, again, isOnItsWay);
  if (deliveries.length === 0 && thrown === undefined) return null;
  return (
    <Card title="Webhooks" icon="bell">
      <ErrorNotice thrown={thrown} />
      <ul class="deliveries">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} onChanged={again} />
        ))}
      </ul>
    </Card>
  );
}

function Delivery({ delivery, onChanged }: { readonly delivery: DeliveryResult; readonly onChanged: () => void }) {
  const { isRunning, thrown, run } = useAction();
  const { id, url, state, attempts, next_attempt_at: next } = delivery;
  return (
    <li>
      <div class="heading">
        <span>
          <StatusMark status={state}>{DELIVERY_NAMES[state]}</StatusMark> <code class="clip">{url}</code>
        </span>
        {state === 'pending' ? null : (
          <Button
            icon="retry"
            disabled={isRunning}
            onClick={() =>
              run(async () => {
                await call('POST', `/api/webhook/deliveries/${id}/redeliver`);
                onChanged();
              })
            }
          >
            Deliver again
          </Button>
        )}
      </div>
      <ErrorNotice thrown={thrown} />
      {attempts.length === 0 ? (
        <p class="quiet">No attempt yet.</p>
      ) : (
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.number}>
              <span>Attempt {attempt.number}</span>
              <strong>{attempt.http_status ?? attempt.error ?? 'no answer'}</strong>
              <span class="quiet">
                {momentText(attempt.started_at)}, {attempt.duration_ms} ms
              </span>
            </li>
          ))}
        </ol>
      )}
      {next === undefined ? null : <p class="quiet">The next attempt is at {momentText(next)} at the earliest.</p>}
    </li>
  );
}
