import { join } from 'node:path';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Setup } from '../../local/engines/environment.ts';
import { goInstall, platformFolder } from '../../local/engines/install.ts';
import { capture, requireOnPath } from '../../local/engines/programs.ts';
import { programTool, type Tool } from '../../local/engines/strategies.ts';
import { fingerprint } from '../../local/engines/cache.ts';
import { installPython } from '../../local/engines/python.ts';

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

const KUBERNETES = '1.37.0';
const KEDA = 'github.com/kedacore/keda/v2@v2.21.0';
const requirements = fileURLToPath(new URL('./kubernetes-schemas-requirements.txt', import.meta.url));

/** The JSON Schema of Kubernetes objects, which allows no unknown fields. */
export async function kubernetesSchema({ env, cacheDir, log }: Setup): Promise<object> {
  const folder = join(cacheDir, `kubernetes-schemas-${fingerprint(requirements)}`);
  await installPython({ folder, requirements, what: `the schemas of Kubernetes ${KUBERNETES} (22 MB)`, env, log });
  const [python = ''] = await readdir(join(folder, 'lib'));
  const schemas = 'site-packages/kubernetes_validate/kubernetes-json-schema';
  const file = join(folder, 'lib', python, schemas, `v${KUBERNETES}-local-strict`, '_definitions.json');
  return JSON.parse(await readFile(file, 'utf8')) as object;
}

export async function kedaDefinitions({ env, log }: Setup): Promise<string> {
  const go = await requireOnPath('go', env);
  log(`fetching ${KEDA} (2 MB)`);
  const { Dir } = JSON.parse(await capture(go, ['mod', 'download', '-json', KEDA], env)) as { Dir: string };
  return join(Dir, 'config', 'crd', 'bases');
}
