import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';
import { createWarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import { FEW_SITES, RUN_YTDLP, canBeWarm } from '../helpers/yt-dlp.ts';

const isPossible = await canBeWarm(inject('tools').ytdlp);
const NOWHERE = { videoUrlTemplate: 'http://127.0.0.1:1/{id}', channelUrlTemplate: 'http://127.0.0.1:1/{path}' };

/** A yt-dlp whose first run replaces its own program, or the package that this runs, by the same. */
async function replacing(what: 'program' | 'package'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-replaced-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { python } = await readPythonProgram(inject('tools').ytdlp);
  const { stdout } = spawnSync(python, ['-c', 'import yt_dlp; print(yt_dlp.__path__[0])'], { encoding: 'utf8' });
  const [real, own] = [stdout.trim(), join(folder, 'yt_dlp')];
  await mkdir(own);
  for (const name of await readdir(real)) if (name !== 'version.py') await symlink(join(real, name), join(own, name));
  await copyFile(join(real, 'version.py'), join(own, 'version.py'));
  const program = join(folder, 'yt-dlp');
  const replaced = JSON.stringify(what === 'program' ? program : join(own, 'version.py'));
  const replace = [
    'import os, shutil, yt_dlp.version',
    `if not os.path.exists(${replaced} + '.old'):`,
    `    os.rename(${replaced}, ${replaced} + '.old')`,
    `    shutil.copy(${replaced} + '.old', ${replaced})`,
  ];
  await writeFile(program, [`#!${python}`, ...replace, ...FEW_SITES, ...RUN_YTDLP, ''].join('\n'));
  await chmod(program, 0o700);
  return program;
}

it.runIf(isPossible).each(['program', 'package'] as const)(
  'a warm yt-dlp takes no call when its %s was replaced while it was loaded',
  async (what) => {
    const settings = { ...NOWHERE, program: await replacing(what), maxFileBytes: 1_000_000, maxVideoHeight: 144 };
    const warm = createWarmYtdlp(settings);
    onTestFinished(() => warm.close());
    const before = await warm.ready();
    expect(await warm.startOf(settings)).toBeUndefined();
    expect(await warm.ready()).not.toBe(before);
    expect(await warm.startOf(settings)).toBeDefined();
  },
);
