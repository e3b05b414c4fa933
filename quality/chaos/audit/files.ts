import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuccessRecord } from '../../../contract/download-record.ts';
import { probeFile } from '../../../media/probe.ts';
import { run } from '../../../runtime/subprocess/run-program.ts';
import { sha256Of } from '../../../store/files/checksum.ts';
import type { SandboxIndex } from '../sandbox-index.ts';
import type { Evidence } from './evidence.ts';

const READ_TIMEOUT_MS = 60_000;
/** The difference between a recording and its copy: a frame, and what containers round. */
const DURATION_TOLERANCE_SECONDS = 1;

export interface FilesDeps {
  readonly folder: string;
  readonly index: SandboxIndex;
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/** Whether the published files are those of the records, whole. */
export async function auditFiles(deps: FilesDeps, { records }: Pick<Evidence, 'records'>) {
  const entries = await readdir(deps.folder, { recursive: true, withFileTypes: true });
  const isMarker = (name: string): boolean => name.startsWith('.');
  const onDisk = entries
    .filter((entry) => !entry.isDirectory() && !isMarker(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const known = new Map<string, SuccessRecord>();
  for (const record of records.values()) {
    if (record.status !== 'success') continue;
    for (const { name } of record.files) known.set(join(deps.folder, record.id, name), record);
  }
  const broken: string[] = [];
  for (const [path, record] of known) {
    const flaws = onDisk.includes(path) ? await flawsOf(deps, path, record) : ['it is missing'];
    if (flaws.length > 0) broken.push(`${path}: ${flaws.join(', ')}`);
  }
  return {
    files: known.size,
    findings: [
      { column: 'files truncated, changed or missing', ids: broken },
      { column: 'files that no record knows', ids: onDisk.filter((path) => !known.has(path)) },
    ],
  };
}

async function flawsOf(deps: FilesDeps, path: string, record: SuccessRecord): Promise<string[]> {
  const file = record.files.find(({ name }) => path.endsWith(`/${record.id}/${name}`));
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  // A file that ffprobe cannot read has no streams and no length.
  const probed = await probeFile(deps.ffprobe, path, { signal }).catch(() => undefined);
  const streams = probed?.streams.map((stream) => stream.codec_type) ?? [];
  const seconds = probed?.durationSeconds ?? 0;
  const hasPictures = record.type === 'vidnet_video' || /\.mp4$/.test(path);
  const expectedStreams = hasPictures ? ['audio', 'video'] : ['audio'];
  // The record of a post with several videos has their total length.
  const recorded = record.files.length > 1 ? undefined : record.durationSeconds;
  const catalogued = deps.index.video(record.mediaId)?.durationSeconds;
  const isOff = (expected: number | undefined): boolean =>
    expected !== undefined && Math.abs(seconds - expected) > DURATION_TOLERANCE_SECONDS;
  return [
    ...((await stat(path)).size === file?.sizeBytes ? [] : ['its size differs']),
    ...((await sha256Of(path, signal)) === file?.sha256 ? [] : ['its checksum differs']),
    ...(streams.toSorted().join() === expectedStreams.join() ? [] : [`it has ${streams.join(' and ') || 'nothing'}`]),
    ...(isOff(recorded) || isOff(catalogued) ? [`it runs ${String(seconds)} s`] : []),
    ...((await isReadable(deps.ffmpeg, path)) ? [] : ['its end cannot be read']),
  ];
}

/** Reads every packet: a table of contents may promise more than there is. */
async function isReadable(ffmpeg: string, path: string): Promise<boolean> {
  const input = ['-nostdin', '-v', 'error', '-xerror', '-i', `file:${path}`];
  const args = [...input, '-map', '0', '-c', 'copy', '-f', 'null', '-'];
  const { exitCode, stderrTail } = await run(ffmpeg, args, { cwd: '/', env: {}, timeoutMs: READ_TIMEOUT_MS });
  return exitCode === 0 && stderrTail.trim() === '';
}
