import { formatIsoTime } from "../../base/index.js";
import {
  answerJson,
  FLAG,
  ISO_TIME,
  jsonAnswer,
  meaning,
  objectOf,
  orNull,
  type Route,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import type { HealthNeeds } from "./states.js";

/* Whether the monitoring service gets the recorder's health; not in the reference. Its settings: /configure/monitoring. */

export const MONITORING_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/api/monitoring",
  login: "administrator",

  describe: {
    topic: "system",
    summary: "Reports whether health arrives at the monitoring service",
    text: [
      "An addition of nvrd's. [`/configure/monitoring`](#get-configuremonitoring) sets the service; [monitoring](../guide/monitoring.md#reports-to-a-service) shows a message. The first failure, and that it works again, are the [events](events.md) `monitoringFailing` and `monitoringWorks`.",
    ],
    answer: jsonAnswer(
      objectOf({
        IsOn: FLAG,
        LastTriedTime: meaning(
          "Null: nothing was sent since it was switched on or changed.",
          orNull(ISO_TIME),
        ),
        LastSentTime: meaning("When a message was last accepted.", orNull(ISO_TIME)),
        SentMessages: WHOLE,
        FailedMessages: WHOLE,
        Problem: meaning("Why the last message did not arrive; null where it did.", orNull(TEXT)),
      }),
      "The state.",
    ),
    example: ['curl -fu "$AUTH" "$NVRD/api/monitoring"'],
  },
  /** GET /api/monitoring */
  endpoint({ needs }) {
    const { state } = needs.monitoringStates;
    const time = (us: number | undefined) => (us === undefined ? null : formatIsoTime(us));
    return answerJson({
      IsOn: state !== undefined,
      LastTriedTime: time(state?.lastTriedUs),
      LastSentTime: time(state?.lastSentUs),
      SentMessages: state?.sent ?? 0,
      FailedMessages: state?.failed ?? 0,
      Problem: state?.problem ?? null,
    });
  },
};
