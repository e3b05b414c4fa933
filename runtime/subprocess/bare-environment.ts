import { dirname, isAbsolute } from 'node:path';

/**
 * The environment of a tool: where programs are, and nothing of the service's own: no keys, no database address, no
 * proxy.
 *
 * @param program as it will be started; the folder of an absolute one comes first in PATH. A bare name adds none: its
 * folder would be `.`, where downloaded files lie
 */
export function bareEnvironment(program: string): Record<string, string> {
  const system = '/usr/local/bin:/usr/bin:/bin';
  return { PATH: isAbsolute(program) ? `${dirname(program)}:${system}` : system, LANG: 'C.UTF-8' };
}
