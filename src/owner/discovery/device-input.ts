import * as v from "valibot";
import { isAddressRange, normalIdentity } from "../../camera/index.js";
import { readDeviceAddress } from "../../compat/index.js";
import type { AdditionItem } from "../../contract/answer/index.js";
import { cameraArchive, cameraConnection, IPV4, NAME_LENGTH_MAX } from "../../contract/index.js";
import { line, list, readerOfValue } from "../../contract/reading/index.js";
import { Faults, given, givenMember, members } from "../../route/index.js";
import type { AdditionOutcome, DeviceRequest } from "./device-addition.js";

/* Devices that a request names, with their logins, and what became of each. */

/** Devices in one request. */
export const DEVICES_PER_REQUEST_MAX = 256;

export const deviceAddress = readerOfValue(cameraConnection.Hostname);
export const deviceLogin = given(readerOfValue(cameraConnection.Login));
export const devicePassword = given(readerOfValue(cameraConnection.Password));
const MODES = cameraArchive.ArchivingMode.of;
export const archivingModeOfAll = given(v.picklist(MODES, `accepted: one of ${MODES.join(", ")}`));
const CHANNELS_MAX = cameraConnection.MultiChannelServerChannelNum.max;
const channelNumber = v.pipe(
  v.number("accepted: a channel's number"),
  v.safeInteger("accepted: a channel's number"),
  v.minValue(1, "accepted: a channel's number, from 1"),
  v.maxValue(CHANNELS_MAX, "accepted: a channel's number"),
);

/** Devices, with a login for those that have none of their own. */
export interface DevicesInput {
  readonly Devices: readonly v.InferOutput<typeof deviceSchema>[];
  readonly Login?: string | null | undefined;
  readonly Password?: string | null | undefined;
}

/** Each device has one of the two. */
const ADDRESS_OR_IDENTITY = { anyOf: [givenMember("Address"), givenMember("Identity")] };
/** As devices have it; the names of hosts, and addresses of IPv6, are read too. */
const DEVICE_ADDRESS = `^(?:|${IPV4}(?::[1-9]\\d{0,3})?|https?://${IPV4}(?::[1-9]\\d{0,3})?(?:/[!-~]*)?)$`;
/** `urn:uuid:…`, or another URN. */
const ENDPOINT_REFERENCE = "^(?:|urn:[!-~]{1,120})$";

export const deviceSchema = v.pipe(
  members({
    Address: given(v.pipe(deviceAddress, v.metadata({ jsonSchema: { pattern: DEVICE_ADDRESS } }))),
    Identity: given(
      v.pipe(
        line(cameraConnection.DeviceIdentity.max),
        v.metadata({ jsonSchema: { pattern: ENDPOINT_REFERENCE } }),
      ),
    ),
    Name: given(line(NAME_LENGTH_MAX)),
    Login: deviceLogin,
    Password: devicePassword,
    ChannelNumbers: given(list(channelNumber, CHANNELS_MAX, "channels")),
  }),
  v.metadata({ jsonSchema: ADDRESS_OR_IDENTITY }),
);

/** Notes on the members of a device. */
export const DEVICE_NOTES: Readonly<Record<string, string>> = {
  "Devices.Address": "As `GET /configure/discovery` has it.",
  "Devices.Identity": "As `GET /configure/discovery` has it.",
  "Devices.Login": "When left out: that of the request.",
  "Devices.Password": "When left out: that of the request.",
  "Devices.ChannelNumbers": "Video sources, counted from 1. When left out: all.",
};

/** Throws NvrdError BAD_REQUEST that lists all faults by path. */
export function readRequests(body: DevicesInput): DeviceRequest[] {
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

/** A device's result as an item of an answer. */
export function outcomeItem(outcome: AdditionOutcome, unread: readonly string[]): AdditionItem {
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
