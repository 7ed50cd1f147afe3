import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Puts a file in the place of a directory: each write into it fails, for root as well. Returns what gives the directory back. */
export function makeUnwritable(directory: string): () => void {
  renameSync(directory, `${directory}.away`);
  writeFileSync(directory, "");
  return () => {
    rmSync(directory);
    renameSync(`${directory}.away`, directory);
  };
}
