/** Where the bytes lie that must not get into an output. */
export interface Secrets {
  /** Absolute paths of a neighbour in the same folder, and of a file of another job. */
  readonly neighbour: string;
  readonly otherJob: string;
  /** The same folder's neighbour by its bare name. */
  readonly name: string;
  /** `http://host:port` of a server that counts. */
  readonly canary: string;
}

const m3u8 = (...uris: readonly string[]): string =>
  ['#EXTM3U', '#EXT-X-TARGETDURATION:3', ...uris.flatMap((uri) => ['#EXTINF:3,', uri]), '#EXT-X-ENDLIST', ''].join(
    '\n',
  );

const mpd = (url: string): string =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT3S"
  profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="audio/wav"><Representation id="1"
  bandwidth="1"><BaseURL>${url}</BaseURL></Representation></AdaptationSet></Period></MPD>`;

/** Texts that tell a player where else to read: none has media of its own. */
export function hostileLists({ neighbour, otherJob, name, canary }: Secrets): Readonly<Record<string, string>> {
  return {
    'HLS, absolute file': m3u8(`file://${otherJob}`),
    'HLS, bare path': m3u8(otherJob),
    'HLS, neighbour': m3u8(name),
    'HLS, parent folder': m3u8(`../other/${otherJob.split('/').at(-1) ?? ''}`),
    'HLS, http': m3u8(`${canary}/a.ts`),
    'HLS, concat': m3u8(`concat:${neighbour}|${otherJob}`),
    'HLS, subfile': m3u8(`subfile,,start,0,end,100000,,:${otherJob}`),
    'HLS, crypto': m3u8(`crypto+file://${otherJob}`),
    'HLS, data': m3u8('data:audio/wav;base64,UklGRg=='),
    'HLS, key': m3u8(name).replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="${canary}/key"\n#EXTINF`),
    'HLS, map': m3u8(name).replace('#EXTINF', `#EXT-X-MAP:URI="file://${neighbour}"\n#EXTINF`),
    'HLS, variant': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${canary}/b.m3u8\n`,
    'HLS, byte order mark': `\ufeff${m3u8(name)}`,
    'ffconcat, neighbour': `ffconcat version 1.0\nfile ${name}\n`,
    'ffconcat, absolute': `ffconcat version 1.0\nfile '${otherJob}'\n`,
    'ffconcat, parent folder': `ffconcat version 1.0\nfile ../other/secret.wav\n`,
    'ffconcat, http': `ffconcat version 1.0\nfile ${canary}/a.wav\n`,
    'ffconcat, options': `ffconcat version 1.0\nfile ${name}\noption safe 0\noption protocol_whitelist file,http,tcp\n`,
    'DASH, neighbour': mpd(name),
    'DASH, absolute file': mpd(`file://${otherJob}`),
    'DASH, http': mpd(`${canary}/a.wav`),
    'DASH, entities': `<?xml version="1.0"?><!DOCTYPE MPD [<!ENTITY x SYSTEM "file://${otherJob}">]>${mpd('&x;').slice(21)}`,
    SDP: 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n',
    'RTSP reference': `[Reference]\nRef1=${canary}/a\n`,
    'QuickTime reference': `rtsptextrtsp://127.0.0.1/${name}`,
    'Smooth Streaming': `<SmoothStreamingMedia MajorVersion="2" Duration="30000000"></SmoothStreamingMedia>`,
    'image sequence': `%d.png\n${name}\n`,
    'IMF list': `<CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2013"></CompositionPlaylist>`,
    PLS: `[playlist]\nFile1=${otherJob}\nNumberOfEntries=1\n`,
    XSPF: `<playlist version="1"><trackList><track><location>file://${otherJob}</location></track></trackList></playlist>`,
    'cue sheet': `FILE "${name}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n`,
    lavfi: `amovie=${name}`,
    SVG: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${otherJob}"/></svg>`,
    HTML: `<!doctype html><video src="${canary}/a.mp4"></video>`,
    text: 'Nothing but words.\n'.repeat(100),
    'subtitles with a file': `1\n00:00:00,000 --> 00:00:03,000\n{\\an}${otherJob}\n`,
    empty: '',
    'one byte': '\0',
    zeros: '\0'.repeat(100_000),
  };
}
