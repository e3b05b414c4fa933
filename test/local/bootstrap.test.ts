import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/markdown.ts';

/** Starts a command as if by another Node, on another platform. */
function startedOn(version: string, platform: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const pretended = [
    `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });`,
    `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} });`,
  ].join('');
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretended)}`, 'local/bootstrap.mjs', '--node'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: ROOT }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stderr }),
    );
  });
}

describe('the first command after a clone', () => {
  it.each(['20.20.2', '22.18.0', '25.0.0'])(
    'says in one sentence what to install where npm has no Node instead of %s',
    async (version) => {
      const { code, stderr } = await startedOn(version, 'sunos');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(
          `^Node ${version.replaceAll('.', '\\.')} at \\S+ is not supported, and npm has no node-sunos-\\w+: install Node 24 from https://nodejs\\.org and run this again\\.\\n$`,
        ),
      );
    },
  );

  it.each(['22.19.0', '24.0.0', '26.1.0'])('goes on with Node %s', async (version) => {
    expect(await startedOn(version, 'sunos')).toEqual({ code: 0, stderr: '' });
  });
});
