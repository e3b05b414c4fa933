import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseCaptions } from '../../sources/vidnet/captions/parse-captions.ts';
import { startConsoleBrowser } from '../helpers/console.ts';
import { CTRL_C, inTerminal } from '../helpers/in-terminal.ts';
import { probe, runTool } from '../helpers/media.ts';
import { isLong, rows } from '../helpers/rows.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { until } from '../helpers/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** On a busy machine, speech takes as long as the recording lasts. */
const WITHIN_MS = 180_000;
const speech = useSpeechTools();
const GARDEN = join(ROOT, 'local/sandbox/catalogue/media/garden/140.m4a');
/** What two people say, of about 7 s. */
const DIALOGUE = "a user's dialogue.m4a";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-demo-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Demo {
  output(): string;
  signal(name: NodeJS.Signals): void;
  type(keys: string): void;
  readonly exitCode: Promise<number | null>;
}

/** The program behind `npm run demo`, on the engines and tools of the whole run. */
function startDemo(name: string, args: readonly string[] = [], isInTerminal = false): Demo {
  const { ytdlp, ffmpeg, ffprobe } = inject('tools');
  const command = [process.execPath, 'local/bootstrap.mjs', 'local/demo/main.ts', ...args] as const;
  const [program, given] = isInTerminal ? inTerminal(speech.tools.python, ...command) : [command[0], command.slice(1)];
  const child = spawn(program, given, {
    cwd: ROOT,
    env: {
      ...process.env,
      CI: '',
      // A terminal in which nothing can move or be coloured.
      TERM: 'dumb',
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      MONGODB_URI: inject('mongodbUri'),
      YTDLP_PATH: ytdlp,
      FFMPEG_PATH: ffmpeg,
      FFPROBE_PATH: ffprobe,
      SPEECH_ENGINE: 'whisper',
      DATA_DIR: join(folder, name),
      // For the user's own service; the demo must not take it over.
      PUBLIC_URL: 'http://192.0.2.1:9',
    },
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  return {
    // A terminal begins lines anew by itself.
    output: () => output.replaceAll('\r', ''),
    signal: (wanted) => void child.kill(wanted),
    type: (keys) => void child.stdin.write(keys),
    exitCode: new Promise((resolve) => child.on('close', resolve)),
  };
}

function serviceUrl(output: string): string | undefined {
  return /Ready .*(http:\/\/127\.0\.0\.1:\d+),/.exec(output)?.[1];
}

/** Opens the page that the demo names, as somebody does who follows the link, and clicks on a word. */
async function hearTranscript(demo: Demo): Promise<void> {
  const open = () => /Open +(http:\S+\/console\/jobs\/[0-9A-Z]{26})/.exec(demo.output())?.[1];
  const url = await until(() => Promise.resolve(open()), { within: WITHIN_MS, what: 'the page of the transcript' });
  const browser = await startConsoleBrowser(url);
  try {
    await browser.within({}, async ({ page, go }) => {
      await go(url);
      await page.getByText(/^2 speakers/).waitFor();
      await page.locator('[data-word="0"]').first().click();
      await page.locator('.word-now').first().waitFor();
      expect(await page.evaluate<boolean>("document.querySelector('audio').paused")).toBe(false);
    });
  } finally {
    await browser.close();
  }
}

async function isGone(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    () => false,
    () => true,
  );
}

describe('the demo', () => {
  // The built-in talk takes twice as long; everything else is the same.
  it.each(
    rows<readonly [string, string | undefined]>(
      [['a recording of the user', DIALOGUE]],
      [['the built-in talk', undefined]],
    ),
  )(
    'shows the job from the request to file, webhook, speakers and, in a terminal, their page, and stops everything: %s',
    async (name, recording) => {
      const args = recording === undefined ? [] : ['--media', join(speech.folder, recording)];
      if (recording !== undefined) await speech.make(recording, '-t', '7', '-i', GARDEN, '-c', 'copy');
      const isInTerminal = recording !== undefined;
      const demo = startDemo(name, args, isInTerminal);
      if (isInTerminal) await hearTranscript(demo).finally(() => demo.type(CTRL_C));
      const exitCode = await demo.exitCode;
      const output = demo.output();
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      expect(/In a browser/.test(output)).toBe(isInTerminal);
      expect(output).toContain(`Video        ${recording ?? 'The new bridge opens in June'}`);
      const path = join(folder, name, 'demo', 'audio.m4a');
      const { size } = await stat(path);
      for (const line of [
        /Webhook test http:\S+ answered 200/,
        /POST \/api\/downloads\/audio: 202/,
        /Progress +\d+ % +fetching/,
        /"status": "success"/,
        new RegExp(`M4A +${path}\n +Size .*\\(${String(size)} bytes\\)`),
        new RegExp(`bytes=0-999: 206, bytes 0-999/${String(size)}`),
        /Container +QuickTime/,
        /Codec +aac/,
        /Sample rate +44100 Hz/,
        /Channels +1/,
        /Bit rate +\d+\.\d kbit/,
        /Content-Type: application\/json\n +User-Agent: Service-Webhook\/1\.0\n +X-Webhook-Endpoint: downloads\/audio\n +X-Webhook-Original-Status: 200\n +X-Webhook-Download-Id: [0-9A-Z]{26}/,
        /Body +what GET \/downloads\/[0-9A-Z]{26} answers/,
        /Answer +200 after \d+ ms/,
        /Request +POST \/api\/transcriptspeakerid: 202 after \d+ ms, for 0\.006/,
        /Progress +\d+ % +transcribing/,
        /Engine +whisper, language en/,
        /Transcript +2 speakers\n\s*\n(?: +0:\d\d {2}Speaker [12] {2}\S.*\n(?: {19}\S.*\n)*)+\n(?:In a browser|Done)/,
        /\nDone\n +Time +\S+ s; everything that was started is stopped/,
        /npm run sandbox/,
      ]) {
        expect(output).toMatch(line);
      }
      const vtt = await readFile(join(folder, name, 'demo', 'transcript.vtt'), 'utf8');
      expect(new Set(vtt.match(/<v [^>]+>/g))).toEqual(new Set(['<v Speaker 1>', '<v Speaker 2>']));
      expect(parseCaptions(vtt, 'vtt', 'manual').length).toBeGreaterThan(recording === undefined ? 2 : 1);
      expect(output).not.toContain('\u001b');
      expect(await isGone(serviceUrl(output)!)).toBe(true);
    },
    WITHIN_MS,
  );

  if (isLong()) {
    it(
      'accepts a recording without speech',
      async () => {
        const recording = join(folder, "a user's recording.wav");
        const tone = 'sine=frequency=330:duration=4.5:sample_rate=22050';
        await runTool(inject('tools').ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', tone, recording]);
        const demo = startDemo('recording', ['--media', recording]);
        const exitCode = await demo.exitCode;
        expect({ exitCode, output: demo.output() }).toMatchObject({ exitCode: 0 });
        expect(demo.output()).toContain("Video        a user's recording.wav");
        const { duration, streams } = await probe(join(folder, 'recording', 'demo', 'audio.m4a'));
        expect(duration).toBeCloseTo(4.5, 0);
        expect(streams).toMatchObject([{ codec_type: 'audio', codec_name: 'aac' }]);
        expect(demo.output()).toMatch(/Result +success after \S+ s, for 0\.000/);
        expect(demo.output()).toContain('Transcript   No speech was found in the audio.');
      },
      WITHIN_MS,
    );
  }

  it.each(
    rows<readonly [string, readonly string[], string]>(
      [
        [
          'a file that is no recording',
          ['--media', join(ROOT, 'package.json')],
          'no audio or video file that can be read',
        ],
        ['a folder', ['--media', ROOT], 'npm run sandbox -- --media DIR'],
      ],
      [
        ['a file that is not there', ['--media', '/nowhere/a.wav'], '--media /nowhere/a.wav: there is no such file'],
        ['an unknown option', ['--verbose'], 'usage: npm run demo [-- --media FILE]'],
      ],
    ),
  )(
    'refuses %s',
    async (_what, args, message) => {
      const demo = startDemo('refused', args);
      expect(await demo.exitCode).toBe(1);
      expect(demo.output()).toContain(message);
    },
    WITHIN_MS,
  );

  it.each(rows([['SIGINT', 130]], [['SIGTERM', 143]]))(
    'stops everything on %s',
    async (name, code) => {
      const demo = startDemo(name);
      const within = { within: WITHIN_MS, what: 'a running job' };
      await until(() => Promise.resolve(/Progress/.test(demo.output()) || undefined), within);
      demo.signal(name);
      expect(await demo.exitCode).toBe(code);
      expect(demo.output()).toContain(`${name}: the demo was stopped`);
      expect(await isGone(serviceUrl(demo.output())!)).toBe(true);
    },
    WITHIN_MS,
  );
});
