import type { ArchiveAccess } from "../../archive/index.js";
import type { RequestContext } from "../endpoint/context.js";

/** Says why recordings may be missing from an answer. */
export const LACK_HEADER = "recordings-incomplete";

/** The answer says so if recordings are missing that nobody waits for: those of a volume that cannot be read. */
export function sayLack({
  needs,
  response,
}: Pick<RequestContext<{ readonly archive: Pick<ArchiveAccess, "indexLack"> }>, "needs" | "response">): void {
  const lack = needs.archive.indexLack();
  if (lack !== undefined) response.addHeaders([[LACK_HEADER, lack]]);
}
