import { dirname, isAbsolute } from 'node:path';

/**
 * The environment of a tool: PATH and LANG, without the settings of the service such as keys and addresses.
 *
 * @param program if it is an absolute path, its folder comes first in PATH. The folder of a bare name would be `.`, which may
 * hold downloaded files
 */
export function bareEnvironment(program: string): Record<string, string> {
  const system = '/usr/local/bin:/usr/bin:/bin';
  return { PATH: isAbsolute(program) ? `${dirname(program)}:${system}` : system, LANG: 'C.UTF-8' };
}
