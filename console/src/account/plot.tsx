import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { useStore } from '../browser-store.ts';
import { colourOf, theme } from '../theme.ts';
import type { Day } from './spending.ts';

const HEIGHT = 220;
const HALF_DAY_SECONDS = 43_200;
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A bar for each day. The table below it contains the same numbers as text. */
export function SpendingPlot({ days }: { readonly days: readonly Day[] }) {
  const containerRef = useRef<HTMLDivElement>(null);
  const shown = useStore(theme);
  useEffect(() => {
    const container = containerRef.current;
    if (container === null) return undefined;
    const axis = {
      stroke: colourOf('--quiet'),
      grid: { stroke: colourOf('--line'), width: 1 },
      ticks: { show: false },
    };
    const bars = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
    const plot = new UPlot(
      {
        width: container.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: (_plot, first, last) => [first - HALF_DAY_SECONDS, last + HALF_DAY_SECONDS] },
          y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_plot, ticks) => ticks.map((seconds) => shortDay.format(seconds * 1000)),
          },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((amount) => amount.toFixed(3)) },
        ],
        series: [
          {},
          {
            fill: colourOf('--accent'),
            stroke: colourOf('--accent'),
            width: 0,
            points: { show: false },
            ...(bars ? { paths: bars } : {}),
          },
        ],
      },
      [days.map(({ startMs }) => startMs / 1000), days.map(({ amount }) => amount / 1000)],
      container,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: HEIGHT }));
    observer.observe(container);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [days, shown]);
  const most = days.reduce((best, day) => (day.amount > best.amount ? day : best), days[0] ?? { day: '', amount: 0 });
  return (
    <div
      ref={containerRef}
      class="plot"
      role="img"
      aria-label={`Spending of the last ${days.length.toString()} days; most on ${most.day}: ${(most.amount / 1000).toFixed(3)}`}
    />
  );
}
