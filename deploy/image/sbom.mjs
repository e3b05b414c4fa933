// Runs in the last stage of the Dockerfile, and writes the contents of the image as a CycloneDX document to standard output: the
// installed packages of Debian, Python and npm, and Node.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const FIELDS = '${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\n';
const [, debian] = /^VERSION_ID="(.+)"$/m.exec(readFileSync('/etc/os-release', 'utf8'));
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const component = (name, version, purl) => ({ 'bom-ref': purl, type: 'library', name, version, purl });
const ofDebian = execFileSync('dpkg-query', ['--show', '--showformat', FIELDS], { encoding: 'utf8' })
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(([status]) => status === 'installed')
  .map(([, name, version, architecture, source]) => {
    const facts = new URLSearchParams({ arch: architecture, distro: `debian-${debian}`, upstream: source });
    return component(name, version, `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${facts}`);
  });
const ofPython = globSync('/opt/*/lib/python3.*/site-packages/*.dist-info/METADATA').map((file) => {
  const [, name] = /^Name: (.+)$/m.exec(readFileSync(file, 'utf8'));
  const [, version] = /^Version: (.+)$/m.exec(readFileSync(file, 'utf8'));
  return component(name, version, `pkg:pypi/${name.toLowerCase().replaceAll(/[-_.]+/g, '-')}@${version}`);
});
const ofNpm = Object.entries(readJson('/app/node_modules/.package-lock.json').packages)
  .filter(([, { link, version }]) => link !== true && version !== undefined)
  .map(([path, { version }]) => {
    const name = path.split('node_modules/').at(-1);
    return component(name, version, `pkg:npm/${name.replace('@', '%40')}@${version}`);
  });
const node = component('node', process.versions.node, `pkg:generic/node@${process.versions.node}`);
const { name, version } = readJson('/app/package.json');
// Some packages are installed twice.
const byPurl = new Map([...ofDebian, ...ofPython, ...ofNpm, node].map((one) => [one.purl, one]));
const document = {
  ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
  metadata: { component: { type: 'container', name, version } },
  components: [...byPurl.values()],
};
process.stdout.write(`${JSON.stringify(document)}\n`);
