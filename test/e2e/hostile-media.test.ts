import { describeHostileHosts } from '../helpers/hostile/hosts.ts';

// What ffmpeg is given is tried in test/media/hostile-files.test.ts; more of it through the whole service, and jobs until they
// give up, in hostile-media.long.test.ts.
describeHostileHosts({
  lists: ['HLS, http', 'ffconcat, absolute'],
  media: ['a reference to a file elsewhere', 'a header that claims 1000 hours'],
  links: ['an inner host'],
  toTheEnd: false,
});
