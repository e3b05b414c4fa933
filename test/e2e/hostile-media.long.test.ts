import { describeHostileHosts, HOSTILE_LINKS } from '../helpers/hostile/hosts.ts';

describeHostileHosts({
  lists: ['HLS, absolute file', 'HLS, http', 'ffconcat, absolute', 'DASH, http', 'HTML'],
  media: ['a reference to a file elsewhere', 'a header that claims 1000 hours', '300 tracks', 'a PNG'],
  links: HOSTILE_LINKS,
  toTheEnd: true,
});
