/** The icons are drawn as strokes in a field of 24 by 24. */
const SHAPES = {
  audio: 'M4 10v4M8 6v12M12 9v6M16 4v16M20 10v4',
  video: 'M3 6h13v12H3zM16 10l5-3v10l-5-3z',
  captions: 'M3 5h18v14H3zM7 10h5M7 14h3M14 10h3M13 14h4',
  speakers:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 19c.5-3 2.500-5 5.500-5s5 2 5.500 5M16 5a3 3 0 0 1 0 6M17 14c2.500.4 4 2.200 4.500 5',
  channel: 'M4 6h16M4 12h16M4 18h10',
  profile: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.7-4 3.700-6 8-6s7.300 2 8 6',
  post: 'M4 4h16v16H4zM4 16l5-5 4 4 3-3 4 4',
  list: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  batch: 'M4 5h16v4H4zM4 11h16v4H4zM4 17h16v3H4z',
  page: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L21 21',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  down: 'M12 4v12M7 11l5 5 5-5M4 20h16',
  retry: 'M20 11a8 8 0 1 0-2 6.300M20 5v6h-6',
  stop: 'M7 7h10v10H7z',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  check: 'M5 12.500l4.500 4.500L19 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  close: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof SHAPES;

/** Icons are hidden from screen readers, because the text beside them says the same. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" width="34" height="26" viewBox="0 0 34 26" aria-hidden="true" focusable="false">
      <rect class="logo-case" x="1" y="1" width="32" height="24" rx="4.500" />
      <rect class="logo-window" x="6" y="6" width="22" height="10" rx="5" />
      <circle class="logo-reel" cx="11" cy="11" r="2.800" />
      <circle class="logo-reel" cx="23" cy="11" r="2.800" />
      <path class="logo-window" d="M9 25l2.200-5.500h11.600L25 25z" />
    </svg>
  );
}
