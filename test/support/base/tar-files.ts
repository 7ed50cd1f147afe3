import { pipeline } from "node:stream/promises";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";

/** The files of a gzipped tar archive, by name, as text. */
export async function filesOf(archive: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const reader = extract();
  const read = (async () => {
    for await (const entry of reader) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      files.set(entry.header.name, Buffer.concat(chunks).toString("utf8"));
    }
  })();
  await pipeline([gunzipSync(archive)], reader);
  await read;
  return files;
}
