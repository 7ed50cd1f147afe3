import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { isAddressRange, normalIdentity } from "../../camera/index.js";
import { SITE_LIMITS, type Site, siteValues } from "../../site/index.js";
import { ARCHIVING_MODES, hasSecurityObject, readDeviceAddress } from "../camera/index.js";
import {
  answerConfiguration,
  type EndpointResult,
  editConfiguration,
  Faults,
  given,
  guidOrNone,
  members,
  type RequestContext,
  readBody,
  readExpectedRevision,
} from "../route/index.js";
import { type AdditionOutcome, DeviceAddition, type DeviceRequest } from "./device-addition.js";
import type { DiscoveryNeeds } from "./needs.js";

/** Devices in one request. */
export const DEVICES_PER_REQUEST_MAX = 256;

const login = given(siteValues.line(SITE_LIMITS.cameraLoginLengthMax));
const password = given(siteValues.line(SITE_LIMITS.cameraPasswordLengthMax));
const channelNumber = v.pipe(
  v.number("accepted: a channel's number"),
  v.safeInteger("accepted: a channel's number"),
  v.minValue(1, "accepted: a channel's number, from 1"),
  v.maxValue(SITE_LIMITS.multiChannelServerChannelsMax, "accepted: a channel's number"),
);

const deviceSchema = members({
  Address: given(siteValues.line(SITE_LIMITS.hostnameLengthMax)),
  Identity: given(siteValues.line(SITE_LIMITS.deviceIdentityLengthMax)),
  Name: given(siteValues.line(SITE_LIMITS.nameLengthMax)),
  Login: login,
  Password: password,
  ChannelNumbers: given(
    siteValues.list(channelNumber, SITE_LIMITS.multiChannelServerChannelsMax, "channels"),
  ),
});

export const additionSchema = members({
  Devices: siteValues.list(deviceSchema, DEVICES_PER_REQUEST_MAX, "devices"),
  Login: login,
  Password: password,
  ArchivingMode: given(v.picklist(ARCHIVING_MODES, `accepted: one of ${ARCHIVING_MODES.join(", ")}`)),
  SoundReceivingEnabled: given(siteValues.flag),
  PtzEnabled: given(siteValues.flag),
  ParentSecObjectId: guidOrNone,
});

type AdditionInput = v.InferOutput<typeof additionSchema>;

/**
 * POST /configure/discovery/add: reads devices with their logins and adds those that can be recorded, as one revision.
 * Answers what became of each, in the order sent; one that fails keeps no other from being added.
 */
export async function postDiscoveryAdd(context: RequestContext<DiscoveryNeeds>): Promise<EndpointResult> {
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
  return answerConfiguration(addition.outcomes.map(outcomeItem), applied);
}

/** Before any login is tried; the change itself checks it again. */
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
    else if (key !== "") faults.add(path, `stands in Devices[${earlier}] already`);
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
    faults.add(path, "holds a login: give it as Login and Password");
  return read.url;
}

function readIdentity(text: string, path: string, faults: Faults): string {
  if (text.trim() === "") return "";
  const identity = normalIdentity(text);
  if (identity === undefined) faults.add(path, "is no endpoint reference: see GET /configure/discovery");
  return identity ?? text;
}

function checkParent(parentId: string, { needs }: RequestContext<DiscoveryNeeds>): void {
  if (hasSecurityObject(parentId, needs.site.current)) return;
  const faults = new Faults();
  faults.add("ParentSecObjectId", "names no security object");
  faults.throwIfAny();
}

function outcomeItem(outcome: AdditionOutcome): Record<string, unknown> {
  const { address, identity, name, result, reason, warnings, modelId, channelIds } = outcome;
  return {
    Address: address,
    Identity: identity,
    Name: name,
    Result: result,
    Reason: reason,
    Warnings: warnings,
    ModelId: modelId,
    ChannelIds: channelIds,
  };
}
