import { useEffect, useRef, useState } from 'preact/hooks';
import type { Progress } from '../../../contract/http/fields.ts';
import { bytesText, countText, millisecondsOf, momentText, spanText } from '../format-values.ts';
import type { Connection } from '../live-jobs.ts';
import type { DownloadType } from '../types.ts';
import { useNow } from '../ui/hooks.ts';
import { Card, Notice, Numbers, StatusMark } from '../ui/parts.tsx';
import { STAGE_NAMES, TYPES } from '../words.ts';

const CONNECTION_NAMES: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
};

export function LiveMark({ connection }: { readonly connection: Connection }) {
  return (
    <StatusMark status={connection} role="status">
      {CONNECTION_NAMES[connection]}
    </StatusMark>
  );
}

export function ProgressLine({ progress }: { readonly progress: Progress | undefined }) {
  if (progress === undefined) return null;
  const percent = progress.percent === undefined ? '' : ` ${progress.percent.toFixed(0)} %`;
  return (
    <span class="quiet clip" dir="auto">
      {STAGE_NAMES[progress.stage]}
      {percent}
      {progress.reason === undefined ? '' : `: ${progress.reason}`}
    </span>
  );
}

interface ProgressProps {
  readonly type: DownloadType;
  readonly progress: Progress | undefined;
  readonly connection: Connection;
}

/** The stages of a job, with the progress and speed of the current one, and the reason and end of a wait. */
export function ProgressPanel({ type, progress, connection }: ProgressProps) {
  const { stage, percent } = progress ?? { stage: 'waiting' as const };
  const speed = useSpeed(progress?.downloaded_bytes);
  return (
    <Card title={STAGE_NAMES[stage]} end={<LiveMark connection={connection} />}>
      <Stages type={type} stage={stage} />
      <progress aria-label={STAGE_NAMES[stage]} max={100} {...(percent === undefined ? {} : { value: percent })} />
      <Numbers texts={amountsOf(progress, speed)} />
      {progress?.reason === undefined ? null : <Waiting reason={progress.reason} until={progress.until} />}
    </Card>
  );
}

function Stages({ type, stage }: { readonly type: DownloadType; readonly stage: Progress['stage'] }) {
  const known = TYPES[type].stages;
  const all = known.includes(stage) ? known : [...known, stage];
  const current = all.indexOf(stage);
  return (
    <ol class="stages" aria-label="Stages">
      {all.map((one, index) => (
        <li
          key={one}
          class={index < current ? 'stage past' : index === current ? 'stage now' : 'stage'}
          aria-current={index === current ? 'step' : undefined}
        >
          {STAGE_NAMES[one]}
        </li>
      ))}
    </ol>
  );
}

/** @returns texts about the amount of finished work; null for those that are not known */
function amountsOf(progress: Progress | undefined, speed: number | undefined) {
  const { percent, downloaded_bytes: bytes, total_bytes: allBytes, items, total_items: allItems } = progress ?? {};
  const isTimeKnown = bytes !== undefined && allBytes !== undefined && bytes < allBytes && speed;
  return [
    percent === undefined ? null : `${percent.toFixed(1)} %`,
    bytes === undefined ? null : bytesText(bytes) + (allBytes === undefined ? '' : ` of ${bytesText(allBytes)}`),
    items === undefined ? null : countText(items) + (allItems === undefined ? ' items' : ` of ${countText(allItems)}`),
    speed === undefined ? null : `${bytesText(speed)} a second`,
    isTimeKnown ? `${spanText((allBytes - bytes) / speed)} to go` : null,
  ];
}

function Waiting({ reason, until }: { readonly reason: string; readonly until: string | undefined }) {
  const now = useNow(1_000);
  const seconds = until === undefined ? undefined : (millisecondsOf(until) - now) / 1000;
  return (
    <Notice icon="clock">
      <p dir="auto">{reason}</p>
      {until === undefined || seconds === undefined ? null : (
        <p class="quiet">
          {seconds > 0
            ? `It goes on in ${spanText(seconds)} at the earliest, at `
            : 'It goes on any moment; it waited until '}
          <time dateTime={until}>{momentText(until)}</time>.
        </p>
      )}
    </Notice>
  );
}

/** The weight of earlier measurements in the average. */
const SMOOTHING = 0.6;

/** @returns the smoothed speed in bytes per second; undefined until it is known */
function useSpeed(bytes: number | undefined): number | undefined {
  const last = useRef<{ readonly bytes: number; readonly atMs: number } | undefined>(undefined);
  const [speed, setSpeed] = useState<number>();
  useEffect(() => {
    const before = last.current;
    const atMs = performance.now();
    if (bytes === undefined) {
      last.current = undefined;
      setSpeed(undefined);
      return;
    }
    last.current = { bytes, atMs };
    // A new attempt starts at 0 bytes.
    if (before === undefined || bytes < before.bytes || atMs <= before.atMs) return;
    const now = ((bytes - before.bytes) / (atMs - before.atMs)) * 1000;
    setSpeed((old) => (old === undefined ? now : old * SMOOTHING + now * (1 - SMOOTHING)));
  }, [bytes]);
  return speed;
}
