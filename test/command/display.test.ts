import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { barText, createDisplay, progressText } from '../../command/display.ts';
import { jsonText, oneLine, printable } from '../../command/printable.ts';

/** Creates a display that writes to a terminal of 80 columns, or to a pipe. */
function screen({ isTTY, ...options }: { isTTY: boolean; isColoured?: boolean; isMoving?: boolean }) {
  const stream = (): PassThrough => Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const [out, err] = [stream(), stream()];
  const display = createDisplay({
    ...{ isColoured: true, isMoving: true },
    ...options,
    out,
    err: err as unknown as NodeJS.WriteStream,
  });
  // Node 26 returns one write at a time.
  const read = (one: PassThrough): string => {
    let text = '';
    for (let chunk = one.read() as Buffer | null; chunk !== null; chunk = one.read() as Buffer | null) {
      text += chunk.toString();
    }
    return text;
  };
  return { display, out: () => read(out), err: () => read(err) };
}

const progress = { stage: 'fetching', percent: 42, text: 'fetching 3.2 MB' };

describe('progress', () => {
  it('is a line for each change, without escape codes, if there is no terminal', () => {
    const { display, out, err } = screen({ isTTY: false });
    const work = display.work('tea\u001b[2J');
    work.show({ ...progress, stage: 'waiting', percent: undefined, text: 'waiting: refused' });
    work.show(progress);
    work.show({ ...progress, percent: 44 });
    work.end();
    display.note('bad', 'problem');
    display.print('tea.m4a');
    display.end();
    expect(err()).toBe('tea[2J: waiting: refused\ntea[2J: fetching 3.2 MB, 25 %\nbad\n');
    expect(out()).toBe('tea.m4a\n');
  });

  it('is shown on a terminal as moving bars below the lines that stay', () => {
    const { display, err } = screen({ isTTY: true });
    const [one, two] = [display.work('one'), display.work('two')];
    one.show(progress);
    two.show({ ...progress, percent: undefined });
    display.note('three is there', 'problem');
    const drawn = err();
    expect(stripVTControlCharacters(drawn)).toContain(
      `${barText(42)}  one  fetching 3.2 MB\n${barText(undefined)}  two`,
    );
    expect(drawn).toContain('\u001b[31mthree is there\u001b[39m\n');
    one.end();
    two.end();
    display.note('two: saved');
    expect(stripVTControlCharacters(err()).trimEnd()).toMatch(/two: saved$/);
    display.end();
  });

  it('of all subjects is shown as a bar below the others', () => {
    const { display, err } = screen({ isTTY: true });
    display.total(0, 4);
    display.work('one').show(progress);
    display.total(1, 4);
    display.note('done');
    const drawn = stripVTControlCharacters(err());
    expect(drawn.trimEnd()).toMatch(
      new RegExp(`done\\n${barText(42)}  one  fetching 3.2 MB\\n${barText(25)}  1 of 4$`),
    );
    display.end();
    const elsewhere = screen({ isTTY: false });
    elsewhere.display.total(1, 4);
    expect(elsewhere.err()).toBe('');
  });

  it('has no colours with NO_COLOR, and no moving bars on a dumb terminal', () => {
    const plain = screen({ isTTY: true, isColoured: false });
    plain.display.note('bad', 'problem');
    expect(plain.err()).not.toContain('\u001b[3');
    const dumb = screen({ isTTY: true, isColoured: false, isMoving: false });
    dumb.display.work('one').show(progress);
    expect(dumb.err()).toBe('one: fetching 3.2 MB, 25 %\n');
  });

  it('is described in words', () => {
    expect(barText(50)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
    const until = '2026-11-21T09:30:00.000Z';
    expect(progressText({ stage: 'waiting', reason: 'refused', until })).toBe(
      'waiting: refused (until 09:30 UTC at least)',
    );
    expect(progressText({ stage: 'fetching', downloaded_bytes: 3_200_000, total_bytes: 10_000_000 })).toBe(
      'fetching 3.2 MB of 10.0 MB',
    );
    expect(progressText({ stage: 'listing', items: 120, total_items: 400 })).toBe('listing 120 of 400');
    expect(progressText({ stage: 'detecting_speech' })).toBe('detecting speech');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -5, 250, 1e300])(
    'is a bar of the usual length even at %d percent',
    (percent) => {
      expect(barText(percent).slice(0, 24)).toMatch(/^█*░*$/);
      expect(barText(percent)).toHaveLength(barText(50).length);
    },
  );
});

describe('printed text', () => {
  const hostile = [
    ['an escape sequence', '\u001b]0;x\u0007'],
    ['a C1 control', '\u009b2J'],
    ['a backspace', '\b'],
    ['a bell', '\u0007'],
    ['a delete', '\u007f'],
    ['a null', '\0'],
    ['an override of the direction', '\u202e'],
    ['an isolate', '\u2067'],
    ['an Arabic letter mark', '\u061c'],
    ['a right-to-left mark', '\u200f'],
  ] as const;

  it.each(hostile)('does not contain %s, which JSON escapes', (_, text) => {
    const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
    expect(printable(`a${text}b\n\tc`)).not.toMatch(forbidden);
    expect(printable(`a${text}b\n\tc`)).toMatch(/^a.*b\n\tc$/s);
    expect(jsonText({ text }, 2)).not.toMatch(forbidden);
    expect(JSON.parse(jsonText({ text }, 2))).toEqual({ text });
  });

  it.each(['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])('stays on one line: %j', (lineBreak) => {
    expect(oneLine(`one${lineBreak}two`)).toBe('one two');
    const { display, out, err } = screen({ isTTY: false });
    display.print(`one${lineBreak}two`);
    display.note(`one${lineBreak}two`);
    display.work(`one${lineBreak}two`).show({ stage: 's', text: `three${lineBreak}four` });
    expect([out(), err()]).toEqual(['one two\n', 'one two\none two: three four\n']);
  });

  it('keeps scripts of every direction, emoji and the lines of a transcript', () => {
    const text = '1\n00:00 --> 00:01\nשלום עולם\n\tمرحبا 👩‍🚀 नमस्ते';
    expect(printable(text)).toBe(text);
    const { display, out } = screen({ isTTY: false });
    display.printText(text);
    expect(out()).toBe(`${text}\n`);
  });
});
