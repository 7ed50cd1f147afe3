import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { isAddressRange, normalIdentity, READING_RESULTS } from "../../camera/index.js";
import { SITE_LIMITS, type Site, siteValues } from "../../site/index.js";
import { ARCHIVING_MODES, hasSecurityObject, readDeviceAddress } from "../camera/index.js";
import {
  answerConfiguration,
  bodyWarnings,
  CHANGE_PARAMETERS,
  choice,
  type EndpointResult,
  editConfiguration,
  Faults,
  GUID,
  given,
  givenMember,
  guidOrNone,
  jsonAnswer,
  listOf,
  meaning,
  members,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readBody,
  readExpectedRevision,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../route/index.js";
import {
  ADDITION_RESULTS,
  type AdditionOutcome,
  DeviceAddition,
  type DeviceRequest,
} from "./device-addition.js";
import { IPV4 } from "./host-patterns.js";
import type { DiscoveryNeeds } from "./needs.js";

/** Devices in one request. */
const DEVICES_PER_REQUEST_MAX = 256;

const login = given(siteValues.line(SITE_LIMITS.cameraLoginLengthMax));
const password = given(siteValues.line(SITE_LIMITS.cameraPasswordLengthMax));
const channelNumber = v.pipe(
  v.number("accepted: a channel's number"),
  v.safeInteger("accepted: a channel's number"),
  v.minValue(1, "accepted: a channel's number, from 1"),
  v.maxValue(SITE_LIMITS.multiChannelServerChannelsMax, "accepted: a channel's number"),
);

/** Each device has one of the two. */
const ADDRESS_OR_IDENTITY = { anyOf: [givenMember("Address"), givenMember("Identity")] };
/** As devices have it; the names of hosts, and addresses of IPv6, are read too. */
const DEVICE_ADDRESS = `^(?:|${IPV4}(?::[1-9]\\d{0,3})?|https?://${IPV4}(?::[1-9]\\d{0,3})?(?:/[!-~]*)?)$`;
/** `urn:uuid:…`, or another URN. */
const ENDPOINT_REFERENCE = "^(?:|urn:[!-~]{1,120})$";

const deviceSchema = v.pipe(
  members({
    Address: given(
      v.pipe(
        siteValues.line(SITE_LIMITS.hostnameLengthMax),
        v.metadata({ jsonSchema: { pattern: DEVICE_ADDRESS } }),
      ),
    ),
    Identity: given(
      v.pipe(
        siteValues.line(SITE_LIMITS.deviceIdentityLengthMax),
        v.metadata({ jsonSchema: { pattern: ENDPOINT_REFERENCE } }),
      ),
    ),
    Name: given(siteValues.line(SITE_LIMITS.nameLengthMax)),
    Login: login,
    Password: password,
    ChannelNumbers: given(
      siteValues.list(channelNumber, SITE_LIMITS.multiChannelServerChannelsMax, "channels"),
    ),
  }),
  v.metadata({ jsonSchema: ADDRESS_OR_IDENTITY }),
);

const additionSchema = members({
  Devices: siteValues.list(deviceSchema, DEVICES_PER_REQUEST_MAX, "devices"),
  Login: login,
  Password: password,
  ArchivingMode: given(v.picklist(ARCHIVING_MODES, `accepted: one of ${ARCHIVING_MODES.join(", ")}`)),
  SoundReceivingEnabled: given(siteValues.flag),
  PtzEnabled: given(siteValues.flag),
  ParentSecObjectId: guidOrNone,
});

type AdditionInput = v.InferOutput<typeof additionSchema>;

const RESULTS = [...ADDITION_RESULTS, ...READING_RESULTS.filter((result) => result !== "Readable")];

const BODY = withNotes(schemaOfBody(additionSchema), {
  "Devices.Address": "As `GET /configure/discovery` has it.",
  "Devices.Identity": "As `GET /configure/discovery` has it.",
  "Devices.Login": "When left out: that of the request.",
  "Devices.Password": "When left out: that of the request.",
  "Devices.ChannelNumbers": "Video sources, counted from 1. When left out: all.",
  ParentSecObjectId: "The folder for the channels. When left out: the root.",
});

const DESCRIPTION: RouteDescription = {
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
    ...jsonAnswer(
      listOf(
        objectOf({
          Address: TEXT,
          Identity: TEXT,
          Name: TEXT,
          Result: meaning("[The results](../guide/cameras.md#add).", choice(RESULTS)),
          Reason: TEXT,
          Warnings: meaning("Of the device; and the members of the body that were not read.", listOf(TEXT)),
          ModelId: orNull(GUID),
          ChannelIds: listOf(GUID),
        }),
      ),
      "The result for each device, in the order sent.",
    ),
    revision: true,
  },
  errors: { 409: "The configuration has another revision.", 503: "Another such request is running." },
  example: [
    'curl -fu "$AUTH" "$NVR/configure/discovery/add" --data \'{',
    '  "Devices": [{ "Address": "192.168.7.10", "Name": "Door" }, { "Address": "192.168.7.11" }],',
    '  "Login": "admin", "Password": "the cameras password"',
    "}'",
  ],
};

export const DISCOVERY_ADD_ROUTE: Route<DiscoveryNeeds> = {
  method: "POST",
  path: "/configure/discovery/add",
  login: "administration",
  endpoint: postDiscoveryAdd,
  describe: DESCRIPTION,
};

/**
 * POST /configure/discovery/add: reads devices with their logins and adds those that can be recorded, as one revision.
 * Returns the result for each, in the order sent; one that fails does not prevent adding the others.
 */
async function postDiscoveryAdd(context: RequestContext<DiscoveryNeeds>): Promise<EndpointResult> {
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
}

/** Checked before any login attempt, and again by the change itself. */
function checkRevision(expected: number | undefined, { revision }: Site): void {
  if (expected === undefined || expected === revision) return;
  throw new NvrdError("CONFLICT", `revision ${expected} was expected, ${revision} is current`);
}

function readRequests(body: AdditionInput): DeviceRequest[] {
  const faults = new Faults();
  const first = new Map<string, number>();
  const requests = body.Devices.map((device, index): DeviceRequest => {
    const path = `Devices[${index}]`;
    const address = readAddress(device.Address?.trim() ?? "", `${path}.Address`, faults);
    const identity = readIdentity(device.Identity ?? "", `${path}.Identity`, faults);
    if (address === "" && identity === "") faults.add(path, "needs Address or Identity");
    const key = address === "" ? identity : address.toLowerCase();
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else if (key !== "") faults.add(path, `is already in Devices[${earlier}]`, "CONFLICT");
    return {
      address,
      identity,
      name: device.Name?.trim() || undefined,
      login: device.Login ?? body.Login ?? "",
      password: device.Password ?? body.Password ?? "",
      channelNumbers: device.ChannelNumbers?.length ? device.ChannelNumbers : undefined,
    };
  });
  faults.throwIfAny();
  return requests;
}

function readAddress(text: string, path: string, faults: Faults): string {
  if (text === "") return "";
  if (isAddressRange(text)) {
    faults.add(path, "is more than one address");
    return text;
  }
  const read = readDeviceAddress(text);
  if (typeof read === "string") {
    faults.add(path, read);
    return text;
  }
  if (read.login !== "" || read.password !== "")
    faults.add(path, "contains a login: send it as Login and Password");
  return read.url;
}

function readIdentity(text: string, path: string, faults: Faults): string {
  if (text.trim() === "") return "";
  const identity = normalIdentity(text);
  if (identity === undefined) faults.add(path, "is not an endpoint reference: see GET /configure/discovery");
  return identity ?? text;
}

function checkParent(parentId: string, { needs }: RequestContext<DiscoveryNeeds>): void {
  if (hasSecurityObject(parentId, needs.site.current)) return;
  const faults = new Faults();
  faults.add("ParentSecObjectId", "names no security object", "NOT_FOUND");
  faults.throwIfAny();
}

function outcomeItem(outcome: AdditionOutcome, unread: readonly string[]): Record<string, unknown> {
  const { address, identity, name, result, reason, warnings, modelId, channelIds } = outcome;
  return {
    Address: address,
    Identity: identity,
    Name: name,
    Result: result,
    Reason: reason,
    Warnings: [...warnings, ...unread],
    ModelId: modelId,
    ChannelIds: channelIds,
  };
}
