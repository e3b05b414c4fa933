import { join } from 'node:path';
import type { Setup } from './environment.ts';
import { goInstall, platformFolder } from './install.ts';
import { capture } from './programs.ts';
import { programTool, type Tool } from './strategies.ts';

const HELM_VERSION = '4.3.1';

/** The `helm` program, which renders deploy/helm. For tests only. */
export function helm(setup: Setup): Tool {
  const { env } = setup;
  const check = async (program: string): Promise<string> => {
    const version = await capture(program, ['version', '--template', '{{ .Version }}'], env);
    if (!/^v[34]\.\d+/.test(version)) throw new Error(`${program} is not Helm 3 or 4: ${version.slice(0, 100)}`);
    return `${version}, for tests only`;
  };
  const program = join(platformFolder(setup, `helm-${HELM_VERSION}`), 'helm');
  return programTool(setup, {
    name: 'Helm',
    names: ['helm'],
    hint: 'put helm on PATH',
    cached: [program],
    version: check,
    installed: [
      goInstall({
        ...{ program, check, env },
        module: `helm.sh/helm/v4/cmd/helm@v${HELM_VERSION}`,
        oldestGo: '1.25',
        what: `building Helm ${HELM_VERSION} (a few minutes the first time)`,
      }),
    ],
  });
}
