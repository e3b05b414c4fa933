import type { Readable } from 'node:stream';
import { makeZip } from 'client-zip';

export interface ZipEntry {
  readonly name: string;
  readonly modified: Date;
  readonly contents: Readable;
}

/** Writes an archive without compression, as Zip64 where its size needs it. Only the current entry is open. */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  let open: Readable | undefined;
  const inputs = async function* () {
    for await (const { name, modified, contents } of entries) {
      open = contents;
      yield { name, lastModified: modified, input: contents };
    }
  };
  try {
    // The library closes no entry when the reader leaves.
    for await (const chunk of makeZip(inputs()).values({ preventCancel: true })) yield chunk;
  } finally {
    open?.destroy();
  }
}
