import { createHash, type Hash } from "node:crypto";
import type { ObjectBody } from "../s3/object-body.js";

/** A body that is read twice: for its digests, then when it is sent. `whole` takes the same bytes. */
export async function digestedBody(
  bytes: number,
  chunks: () => AsyncIterable<Uint8Array>,
  whole?: Hash,
): Promise<ObjectBody> {
  const md5 = createHash("md5");
  const sha256 = createHash("sha256");
  for await (const chunk of chunks()) {
    md5.update(chunk);
    sha256.update(chunk);
    whole?.update(chunk);
  }
  return { bytes, md5: md5.digest("base64"), sha256: sha256.digest("hex"), chunks };
}
