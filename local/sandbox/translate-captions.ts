import { z } from 'zod';

const json3 = z.looseObject({
  events: z.array(z.looseObject({ segs: z.array(z.object({ utf8: z.string() })).optional() })),
});

/** Answers `tlang=`: puts the language in front of every line, so that code which shows translations as originals is noticed. */
export function translateCaptions(text: string, ext: string, language: string): string {
  const mark = `[${language}] `;
  if (ext === 'json3') {
    const { events, ...rest } = json3.parse(JSON.parse(text));
    return `${JSON.stringify({ ...rest, events: events.map((event) => translateEvent(event, mark)) })}\n`;
  }
  return text
    .split('\n\n')
    .map((cue) => (cue.includes('-->') ? translateCue(cue, mark) : cue))
    .join('\n\n');
}

function translateCue(cue: string, mark: string): string {
  const [time = '', ...lines] = cue.split('\n');
  const translated = lines.map((line) => (line.trim() === '' ? line : `${mark}${line.replace(/<[^<>]*>/g, '')}`));
  return [time, ...translated].join('\n');
}

function translateEvent(event: z.infer<typeof json3>['events'][number], mark: string): object {
  const text = event.segs?.map(({ utf8 }) => utf8).join('') ?? '';
  return text.trim() === '' ? event : { ...event, segs: [{ utf8: `${mark}${text}` }] };
}
