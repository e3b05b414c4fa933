import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

export interface VirtualOptions {
  readonly count: number;
  /** In pixels; rows that are measured may be of any other height. */
  readonly rowHeight: number;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** Of a long list, the rows that are in sight and a few around them. */
export function useVirtual({ count, rowHeight, scroller }: VirtualOptions): Virtualizer<HTMLElement, HTMLElement> {
  const [, redraw] = useReducer((round: number) => round + 1, 0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  // Rows of another height, as on a phone that is turned.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  return virtualizer;
}
