import { namesAreOnlyNames } from '../helpers/hostile/names.ts';

namesAreOnlyNames([
  ...['subfile,,start,0,end,9,,:secret.wav', 'crypto:secret.wav', 'file:secret.wav', 'data:,x', '--exec=touch owned'],
  ...['-o', '-', '`touch owned`', 'a;touch owned', 'a"b.m4a', 'a b.m4a', 'a\rb', '\u202egnp.m4a', '..m4a', '~', '[x]'],
  ...['{a,b}', 'a\\b', 'ü'.repeat(120)],
]);
