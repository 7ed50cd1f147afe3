import { existsSync } from "node:fs";
import path from "node:path";

/** What the service makes in its data directory before anything is recorded. */
const TRACES = ["volumes.json", "index"];
const VOLUME_IDENTITY = "volume.json";

export interface ArchivePlaces {
  readonly dataDir: string;
  readonly volumes: readonly { readonly path: string }[];
}

/** Whether a service has ever kept an archive here: a check of a directory without one must not begin one. */
export function holdsArchive({ dataDir, volumes }: ArchivePlaces): boolean {
  return (
    TRACES.some((name) => existsSync(path.join(dataDir, name))) ||
    volumes.some((volume) => existsSync(path.join(volume.path, VOLUME_IDENTITY)))
  );
}
