import type { directory, ObjectOf } from "../../../contract/index.js";

export const DIRECTORY = "/api/system/directory";

/** What the configuration says. */
export type DirectorySettings = ObjectOf<typeof directory>;
