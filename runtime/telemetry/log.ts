import { pino, type Logger } from 'pino';

interface LogSettings {
  readonly LOG_LEVEL: string;
  readonly LOG_FORMAT: 'auto' | 'json' | 'text';
}

/** JSON escapes of characters that control a terminal. Log lines may contain text from outside. */
const CONTROLS = /(\\(?:u00[01][\da-f]|[bfr])|[\u007f-\u009f])|\\./g;

/** Creates the log of a part of the service on standard output: text if that is a terminal, otherwise JSON. */
export async function createLog(part: string, { LOG_LEVEL, LOG_FORMAT }: LogSettings): Promise<Logger> {
  const options = { level: LOG_LEVEL, base: { part } };
  const { isTTY } = process.stdout;
  if (LOG_FORMAT === 'json' || (LOG_FORMAT === 'auto' && !isTTY)) return pino(options);
  // Loaded on demand, because it takes a moment and most services have no terminal.
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: isTTY && process.stdout.hasColors(),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'part',
    messageFormat: '{part}: {msg}',
    singleLine: true,
  });
  const out = pino.destination({ sync: true });
  const clean = (line: string): string =>
    line.replace(CONTROLS, (found, control: string | undefined) => (control === undefined ? found : '\ufffd'));
  return pino(options, { write: (line: string) => void out.write(format(clean(line))) });
}
