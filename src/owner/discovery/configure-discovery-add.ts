import { NvrdError } from "../../base/index.js";
import { hasSecurityObject } from "../../compat/index.js";
import { additionList } from "../../contract/answer/index.js";
import {
  answerConfiguration,
  bodyWarnings,
  CHANGE_PARAMETERS,
  editConfiguration,
  Faults,
  given,
  guidOrNone,
  jsonAnswer,
  members,
  type RequestContext,
  type Route,
  readBody,
  readExpectedRevision,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { type Site, siteValues } from "../../site/index.js";
import type { DiscoveryNeeds } from "./configure-discovery.js";
import { DeviceAddition } from "./device-addition.js";
import {
  archivingModeOfAll,
  DEVICE_NOTES,
  DEVICES_PER_REQUEST_MAX,
  deviceLogin,
  devicePassword,
  deviceSchema,
  outcomeItem,
  readRequests,
} from "./device-input.js";

const additionSchema = members({
  Devices: siteValues.list(deviceSchema, DEVICES_PER_REQUEST_MAX, "devices"),
  Login: deviceLogin,
  Password: devicePassword,
  ArchivingMode: archivingModeOfAll,
  SoundReceivingEnabled: given(siteValues.flag),
  PtzEnabled: given(siteValues.flag),
  ParentSecObjectId: guidOrNone,
});

const BODY = withNotes(schemaOfBody(additionSchema), {
  ...DEVICE_NOTES,
  ParentSecObjectId: "The folder for the channels. When left out: the root.",
});

export const DISCOVERY_ADD_ROUTE: Route<DiscoveryNeeds> = {
  method: "POST",
  path: "/configure/discovery/add",
  login: "administration",

  describe: {
    topic: "discovery",
    summary: "Reads devices with their logins and adds those that can be recorded",
    text: [
      "The devices are added as one revision. The answer comes within a minute. A device that fails does not prevent adding the others; a fault in the body changes nothing.",
    ],
    parameters: CHANGE_PARAMETERS,
    body: {
      required: true,
      text: "Each device has `Address` or `Identity`. What stands beside `Devices` holds for all of them.",
      schema: BODY,
    },
    answer: {
      ...jsonAnswer(schemaOf(additionList), "The result for each device, in the order sent."),
      revision: true,
    },
    errors: { 409: "The configuration has another revision.", 503: "Another such request is running." },
    example: [
      'curl -fu "$AUTH" "$NVRD/configure/discovery/add" --data \'{',
      '  "Devices": [{ "Address": "192.168.7.10", "Name": "Door" }, { "Address": "192.168.7.11" }],',
      '  "Login": "admin", "Password": "the cameras password"',
      "}'",
    ],
  },
  /**
   * POST /configure/discovery/add: reads devices with their logins and adds those that can be recorded, as one revision.
   * Returns the result for each, in the order sent; one that fails does not prevent adding the others.
   */
  async endpoint(context) {
    const { needs, request } = context;
    const site = needs.site.current;
    checkRevision(readExpectedRevision(request), site);
    const body = readBody(additionSchema, request.body);
    const requests = readRequests(body);
    const parentId = body.ParentSecObjectId ?? site.rootSecurityObject.id;
    checkParent(parentId, context);
    const addition = await DeviceAddition.read(requests, {
      site,
      devices: needs.devices,
      defaults: {
        archivingMode: body.ArchivingMode ?? undefined,
        soundReceivingEnabled: body.SoundReceivingEnabled ?? undefined,
        ptzEnabled: body.PtzEnabled ?? undefined,
        parentId,
      },
    });
    const applied = await editConfiguration(context, (current) => addition.addTo(current));
    const unread = bodyWarnings(request.body, BODY);
    const items = addition.outcomes.map((outcome) => outcomeItem(outcome, unread));
    return answerConfiguration(items, applied);
  },
};

/** Checked before any login attempt, and again by the change itself. */
function checkRevision(expected: number | undefined, { revision }: Site): void {
  if (expected === undefined || expected === revision) return;
  throw new NvrdError("CONFLICT", `revision ${expected} was expected, ${revision} is current`);
}

function checkParent(parentId: string, { needs }: RequestContext<DiscoveryNeeds>): void {
  if (hasSecurityObject(parentId, needs.site.current)) return;
  const faults = new Faults();
  faults.add("ParentSecObjectId", "names no security object", "NOT_FOUND");
  faults.throwIfAny();
}
