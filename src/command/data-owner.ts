import { statSync } from "node:fs";

const ROOT = 0;

/**
 * Does something with a data directory as the user whom it belongs to, when root asks: what root would leave in it, the
 * service could not write. Others do it as who they are.
 */
export async function asOwnerOf<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  const { seteuid, setegid } = process;
  const isRoot = process.geteuid?.() === ROOT;
  if (!isRoot || owner === undefined || owner.uid === ROOT || seteuid === undefined || setegid === undefined)
    return await work();
  // The group first: only root may change it.
  setegid(owner.gid);
  seteuid(owner.uid);
  try {
    return await work();
  } finally {
    seteuid(ROOT);
    setegid(ROOT);
  }
}
