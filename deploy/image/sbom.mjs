// Run in the last stage of the Dockerfile: writes what the image holds as one CycloneDX document to standard output. npm knows
// its own packages; those of Debian and Python are read where they are installed.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const FIELDS = '${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\n';
const [, , ofNpm] = process.argv;
const document = JSON.parse(readFileSync(ofNpm, 'utf8'));
const [, debian] = /^VERSION_ID="(.+)"$/m.exec(readFileSync('/etc/os-release', 'utf8'));

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
const node = component('node', process.versions.node, `pkg:generic/node@${process.versions.node}`);
const own = new Set(document.components.map(({ purl }) => purl));
// yt-dlp and the speech engine have some packages in common.
const others = [...ofDebian, ...ofPython, node].filter(({ purl }) => !own.has(purl) && own.add(purl));
document.components.push(...others);
process.stdout.write(`${JSON.stringify(document)}\n`);
