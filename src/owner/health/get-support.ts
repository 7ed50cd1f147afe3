import type { Route } from "../../route/index.js";
import type { HealthNeeds } from "./states.js";

export const SUPPORT_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/support",
  login: "administrator",
  startsWork: true,

  describe: {
    topic: "system",
    summary: "Returns a support bundle: log, settings, configuration, health and events, without secrets",
    text: [
      "The bundle is created while the client waits, in a few seconds. Entries that take longer than 10 s are omitted. [Contents](../guide/monitoring.md#the-support-bundle).",
    ],
    answer: {
      text: "A tar archive, gzipped, of at most 10 MB.",
      content: { "application/gzip": { type: "string", format: "binary" } },
    },
    example: ['curl -fu "$AUTH" -o nvrd-support.tar.gz "$NVRD/api/support"'],
  },
  /** GET /api/support: the support bundle, a file to send to support. */
  async endpoint({ needs }) {
    const body = await needs.support.create();
    const day = new Date(needs.clock.nowUs() / 1000).toISOString().slice(0, 10);
    const headers = [
      ["Content-Type", "application/gzip"],
      ["Content-Disposition", `attachment; filename="nvrd-support-${day}.tar.gz"`],
      ["Cache-Control", "no-store"],
    ] as const;
    return { status: 200, headers, body };
  },
};
