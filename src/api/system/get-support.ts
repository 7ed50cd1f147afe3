import type { EndpointResult, RequestContext } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** GET /api/support: the support bundle, a file to be sent to whoever helps. */
export async function getSupport({ needs }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const body = await needs.support.create();
  const day = new Date(needs.clock.nowUs() / 1000).toISOString().slice(0, 10);
  const headers = [
    ["Content-Type", "application/gzip"],
    ["Content-Disposition", `attachment; filename="nvrd-support-${day}.tar.gz"`],
    ["Cache-Control", "no-store"],
  ] as const;
  return { status: 200, headers, body };
}
