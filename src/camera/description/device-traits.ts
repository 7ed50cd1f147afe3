import type { DeviceDescription } from "./device-description.js";

/** By what a device is known again. What it does not report is empty. */
export interface DeviceTraits {
  /** Endpoint reference that it reports over HTTP. */
  readonly identity: string;
  /** Endpoint reference that it announces; some devices announce another one than they report. */
  readonly announced: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly serial: string;
  readonly hardwareId: string;
  /** Of its network card, where it stands on a network of this machine. */
  readonly mac: string;
}

/** What a device shows to who has its login. */
export type DeviceShown = Pick<DeviceDescription, "manufacturer" | "model" | "serial" | "hardwareId"> & {
  readonly identity: string | undefined;
  readonly mac?: string | undefined;
};

/** "unclear": nothing that it shows distinguishes it from the other one, and nothing says that they are the same. */
export type Sameness = "same" | "other" | "unclear";

export function traitsOf(shown: DeviceShown, announced = ""): DeviceTraits {
  const { identity = "", manufacturer, model, serial, hardwareId, mac = "" } = shown;
  return { identity, announced, manufacturer, model, serial, hardwareId, mac };
}

/**
 * Whether a device is the one that was known. A serial number decides, where it is one; then the network card; then the
 * identity. A device may give itself another identity at each start, so another one alone says nothing.
 */
export function sameDevice(known: DeviceTraits, shown: DeviceTraits): Sameness {
  const { serial, mac, identity, hardwareId } = compared(known, shown);
  if (differs(known.manufacturer, shown.manufacturer)) return "other";
  // Makers that give all their devices one number: then the card and the identity say it.
  if (serial === "same" && !(mac === "other" && identity === "other")) return "same";
  if (serial !== "unclear" || differs(known.model, shown.model)) return "other";
  // An identity is public: where more was shown to a user, it alone proves nothing.
  const showsLess = isSerial(known.serial) && shown.serial === "";
  // Makers that give many devices one identity: another network card then says that they are two.
  if (mac === "same" || (identity === "same" && mac !== "other" && !showsLess)) return "same";
  const isAnnounced = known.announced !== "" && known.announced === shown.announced;
  if (isAnnounced && hardwareId === "same" && mac !== "other") return "same";
  return identity === "other" && mac === "other" ? "other" : "unclear";
}

/**
 * Whether a device elsewhere that has a known one's identity is another one: by `sameDevice`, or by its network card where nothing
 * else decides. `answers`: the known one answers where it is, so that the other one has to prove that it is the same.
 */
export function isTwin(known: DeviceTraits, shown: DeviceTraits, answers: boolean): boolean {
  const sameness = sameDevice(known, shown);
  const { serial, mac } = compared(known, shown);
  if (sameness === "other" || (sameness === "unclear" && mac === "other")) return true;
  return answers && serial !== "same" && mac !== "same";
}

/** Whether a device that was heard elsewhere is another one than a known one, as far as that is seen without reading it. */
export function isTwinByCard(
  known: DeviceTraits | undefined,
  heard: { readonly mac: string; readonly isHeardNow: boolean },
  answers: boolean,
): boolean {
  const card = equality(known?.mac ?? "", heard.mac);
  return card === "unclear" ? answers && heard.isHeardNow : card === "other";
}

/**
 * Whether a device that shows all of it without a login is the one that was known: more than an endpoint reference, which is
 * public on the network, says so.
 */
export function isKnownOpenly(known: DeviceTraits, shown: DeviceTraits): boolean {
  const { serial, mac, hardwareId, identity } = compared(known, shown);
  const isNamed = identity === "same" || (known.announced !== "" && known.announced === shown.announced);
  return serial === "same" || mac === "same" || (hardwareId === "same" && isNamed);
}

function compared(
  known: DeviceTraits,
  shown: DeviceTraits,
): Record<"serial" | "mac" | "identity" | "hardwareId", Sameness> {
  const serial = isSerial(known.serial) && isSerial(shown.serial) ? "whole" : "none";
  return {
    serial: serial === "none" ? "unclear" : equality(known.serial, shown.serial),
    mac: equality(known.mac, shown.mac),
    identity: equality(known.identity, shown.identity),
    hardwareId: equality(known.hardwareId, shown.hardwareId),
  };
}

function equality(one: string, other: string): Sameness {
  if (one === "" || other === "") return "unclear";
  return one.toLowerCase() === other.toLowerCase() ? "same" : "other";
}

function differs(one: string, other: string): boolean {
  return equality(one, other) === "other";
}

/** Fewer characters number no devices. */
const SERIAL_LENGTH_MIN = 4;
const NO_SERIAL =
  /^(?:(.)\1*|0*1234567?8?9?0?|unknown|none|null|n\/?a|not(?:available|set|applicable)|tobefilledbyoem|default|serial.?number)$/i;

/** Whether a text can be the number of one device alone. */
function isSerial(text: string): boolean {
  const plain = text.replace(/[\s:._-]/g, "");
  return plain.length >= SERIAL_LENGTH_MIN && !NO_SERIAL.test(plain);
}
