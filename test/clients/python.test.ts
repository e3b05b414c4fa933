import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { ensurePythonClient } from '../../local/engines/python-module.ts';
import { makePython } from '../../quality/clients/python.ts';
import { TestService } from '../helpers/service.ts';

/** Setting up takes a minute the first time. */
const SET_UP_MS = 10 * 60_000;
/** As a user would write it; warnings of deprecated things are errors. */
const PROGRAM = `
import sys
from tapedeck_client import Client
from tapedeck_client.api.downloads import get_download, list_downloads, request_audio
from tapedeck_client.api.results import get_result, resolve
from tapedeck_client.models import AudioFailed, AudioRecord, AudioRecordStatus, AudioResult, Error, VidnetDownloadRequest
from tapedeck_client.types import UNSET

url, good, private = sys.argv[1:]
with Client(base_url=url) as client:
    def requested(video_id):
        body = VidnetDownloadRequest(vidnet_video_id=video_id)
        return request_audio.sync_detailed(client=client, body=body, prefer="wait=60")

    answer = requested(good)
    audio = answer.parsed
    assert answer.status_code == 200 and isinstance(audio, AudioResult), answer
    assert audio.data.status is AudioRecordStatus.SUCCESS, audio
    assert audio.data.vidnet_video_id == good and audio.data.file_urls[0] == audio.data.audio_url, audio
    assert audio.data.progress is UNSET and audio.data.transcript_speaker_id == audio.data.id, audio

    download = get_download.sync(client=client, download_id=audio.data.id)
    assert isinstance(download.data, AudioRecord) and download.data.duration == audio.data.duration, download
    result = get_result.sync(client=client, download_id=audio.data.id)
    assert isinstance(result, AudioResult) and result.data.duration == audio.data.duration, result
    listed = list_downloads.sync(client=client, media_id=good)
    assert [(one.id, one.type_.value) for one in listed.downloads] == [(audio.data.id, "audio")] and listed.next_cursor is None, listed
    resolved = resolve.sync(client=client, url_query=good)
    assert resolved.subjects[0].kind.value == "video" and resolved.subjects[0].offers[0].price, resolved

    error = requested("not an id").parsed
    assert isinstance(error, Error) and error.code.value == "invalid_input", error
    assert error.details[0].path == "vidnet_video_id" and error.id is UNSET, error
    unknown = get_download.sync(client=client, download_id="01JD0000000000000000000000")
    assert isinstance(unknown, Error) and unknown.code.value == "not_found", unknown
    failed = requested(private)
    assert failed.status_code == 400 and isinstance(failed.parsed, AudioFailed), failed
    assert "private" in failed.parsed.data.response, failed
print("done")
`;

let service: TestService;
let python: string;
let folder: string;
beforeAll(async () => {
  const log = (line: string): void => console.log(line);
  const { env } = process;
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-python-client-'));
  python = (await ensurePythonClient({ env, cacheDir: defaultCacheDir(env), log })).value;
  [service] = await Promise.all([
    TestService.shared(),
    makePython(join(folder, 'client'), { python, env, log: () => undefined }),
  ]);
}, SET_UP_MS);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

it('the client for Python that is generated from the OpenAPI document works', async () => {
  const program = join(folder, 'program.py');
  await writeFile(program, PROGRAM);
  const videos = [service.videoId('ordinary'), service.videoId('private')];
  const env = { ...process.env, PYTHONPATH: join(folder, 'client') };
  const args = ['-W', 'error', program, service.stack.restUrl, ...videos];
  const { stdout } = await promisify(execFile)(python, args, { env });
  expect(stdout).toBe('done\n');
});
