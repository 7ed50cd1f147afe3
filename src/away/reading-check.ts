import { errorText, NvrdError, newGuid } from "../base/index.js";
import { bytesBody } from "./s3/object-body.js";
import { S3Client } from "./s3/s3-client.js";
import { S3Error } from "./s3/s3-error.js";
import type { S3Target } from "./s3/s3-target.js";
import type { TargetCheckOptions } from "./target-check.js";

const TRIAL = "nothing";

/**
 * Tries that a key reads a target and can change nothing there: it lists, and is refused to write and to delete. Rejects with NvrdError
 * BAD_REQUEST where it cannot read, or can do more.
 */
export async function requireReadingOnly(target: S3Target, options: TargetCheckOptions): Promise<void> {
  const { clock, signal, silenceMsMax } = options;
  const client = new S3Client({ target, clock, ...(silenceMsMax === undefined ? {} : { silenceMsMax }) });
  const sending = signal === undefined ? {} : { signal };
  const key = `test/${newGuid()}`;
  try {
    await client.list("manifests/", sending).catch((error: unknown) => {
      throw refusal(`it cannot list ${target.bucket}: ${errorText(error)}`);
    });
    if (!(await isRefused(() => client.put(key, bytesBody(Buffer.from(TRIAL)), sending)))) {
      await isRefused(() => client.remove(key, sending));
      throw refusal("it can write");
    }
    if (!(await isRefused(() => client.remove(key, sending)))) throw refusal("it can delete");
  } finally {
    client.close();
  }
}

/** Whether the key is not allowed to do it. Rejects with NvrdError BAD_REQUEST where that is not known. */
async function isRefused(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof S3Error && error.fault === "forbidden") return true;
    throw refusal(`it is not known what it may do: ${errorText(error)}`);
  }
}

function refusal(reason: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `this key is none for reading alone: ${reason}`, {
    hint: "make a key at the storage that may list and read the target's folder, and nothing else",
  });
}
