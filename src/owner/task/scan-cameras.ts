import * as v from "valibot";
import { type DiscoveredDevice, parseAddressRange, SCAN_SECONDS_MAX } from "../../camera/index.js";
import {
  given,
  lineUpTo,
  members,
  type RequestContext,
  range,
  readBody,
  requireAdministration,
  TEXT,
} from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { discoveryItems, HOSTS, INTERFACE_LENGTH_MAX } from "../discovery/index.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const HOSTS_LENGTH_MAX = 256;

const line = (lengthMax: number) =>
  v.pipe(
    v.string("accepted: a text"),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
    v.regex(/^[^\p{Cc}]*$/u, "accepted: no control characters"),
  );
const scanBody = members({
  Interface: given(line(INTERFACE_LENGTH_MAX)),
  Address: given(line(HOSTS_LENGTH_MAX)),
  Seconds: given(
    v.pipe(
      v.number("accepted: seconds"),
      v.minValue(1, "accepted: 1 second or more"),
      v.maxValue(SCAN_SECONDS_MAX, `accepted: at most ${SCAN_SECONDS_MAX} seconds`),
    ),
  ),
});

export const SCAN_KIND: StartableKind = {
  kind: "Scan",
  access: "senior administrators, under a licence that includes the configuration API",
  body: {
    type: "object",
    properties: {
      Interface: { ...lineUpTo(INTERFACE_LENGTH_MAX), description: "As of `GET /configure/discovery`." },
      Address: { ...TEXT, pattern: HOSTS, description: "As of `GET /configure/discovery`." },
      Seconds: { ...range(1, SCAN_SECONDS_MAX), description: "When left out: 5, and more for a range." },
    },
  },
  start: startScan,
};

/** Looks for cameras; the result grows as they answer. */
function startScan({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireAdministration(principal, needs.productType);
  const { Interface, Address, Seconds } = readBody(scanBody, request.body);
  const { devices, site, tasks } = needs;
  // What is no address is refused here, not by the task.
  if (Address) parseAddressRange(Address);
  const question = {
    interface: Interface || undefined,
    address: Address || undefined,
    timeoutSeconds: Seconds ?? undefined,
  };
  const answer = (found: readonly DiscoveredDevice[]) => ({
    Devices: discoveryItems(found, site.current.cameras, devices),
  });
  return tasks.start({
    kind: "Scan",
    owner: ownerOf(principal),
    subject: Address || Interface || "",
    canCancel: true,
    run: async (task) => {
      const found = await devices.scan(question, ({ part }, soFar) => {
        task.progress(part);
        task.result(answer(soFar()));
      });
      task.result(answer(found));
    },
  });
}
