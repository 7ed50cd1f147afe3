import { CameraFailure, type LoginClock } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import {
  CLOCK_OFFSET_WARN_MS,
  type DeviceDescription,
  type DeviceEvents,
  type DeviceProfile,
  type PtzNode,
} from "../description/device-description.js";
import { type DeviceUrl, deviceUrlText } from "../soap/device-url.js";
import { SoapClient } from "../soap/soap-client.js";
import { isTrue, type XmlElement } from "../xml/xml-element.js";
import { AddressCorrection } from "./address-correction.js";
import { readDeviceTime } from "./device-clock.js";
import { contactDevice } from "./device-contact.js";
import { normalIdentity } from "./device-identity.js";
import { DeviceQuestions, type Question } from "./device-questions.js";
import { capabilityServicesOf, type ServiceList, servicesOf, unitedServices } from "./device-services.js";
import { type MediaReading, nameOf, readMedia, readSnapshotUris, readStreamUris } from "./media-reading.js";
import { defaultNode } from "./ptz-configurations.js";
import { ptzNodesOf } from "./ptz-nodes.js";

/** Deadline of a whole inspection, in milliseconds; it returns what is known by then. */
export const INSPECTION_MS_MAX = 40_000;

/** How the device was reached. */
export interface Contact {
  readonly url: DeviceUrl;
  readonly address: string;
  readonly offsetMs: number | undefined;
  readonly correction: AddressCorrection;
}

/**
 * One reading of one device by our own client. It fails if data needed for recording is missing; other missing data causes a
 * warning.
 */
export class Inspection {
  readonly #access: DeviceAccess;
  readonly #client: SoapClient;
  readonly #questions: DeviceQuestions;
  readonly #over = new AbortController();
  #contact: Contact | undefined;

  constructor(access: DeviceAccess, signal?: AbortSignal) {
    this.#access = access;
    this.#client = new SoapClient({ ...access, readClocks: () => this.#clocks() });
    const all = signal === undefined ? this.#over.signal : AbortSignal.any([signal, this.#over.signal]);
    this.#questions = new DeviceQuestions(this.#client, { all, caller: signal });
  }

  /** Where the device answered ONVIF; undefined if nowhere. */
  get contact(): Contact | undefined {
    return this.#contact;
  }

  /** The device accepted a WS-Security token or no login, so a client that supports only these can be used. */
  get takesTokens(): boolean {
    return this.#client.refusal === undefined && this.#client.loginMethod !== "http";
  }

  /** Rejects with CameraFailure. Must be called once only. */
  async run(): Promise<DeviceDescription> {
    const timer = this.#access.clock.setTimeout(() => this.#over.abort(), INSPECTION_MS_MAX);
    try {
      const contact = await this.#reach();
      this.#contact = contact;
      return await this.#read(contact);
    } finally {
      timer.clear();
      this.#client.close();
    }
  }

  async #reach(): Promise<Contact> {
    const { url, offsetMs, clocks } = await contactDevice(this.#client, this.#access, this.#questions.signal);
    this.#client.clocks = clocks;
    const correction = new AddressCorrection({
      reached: url,
      externalPorts: this.#access.externalPorts ?? [],
    });
    return { url, address: deviceUrlText(url), offsetMs, correction };
  }

  async #read(contact: Contact): Promise<DeviceDescription> {
    const questions = this.#questions;
    const { address, correction } = contact;
    const device = { service: "device", address } as const;
    const openly = await questions.openly(SERVICES, servicesQuestion(address));
    // The login is spent on what every user may ask, and on nothing that a device may refuse to all.
    const information = await questions.optional("its name and model", () =>
      questions.call({ ...device, operation: "GetDeviceInformation" }),
    );
    const { services, eventCapabilities } = await this.#services(contact, openly);
    const media = await readMedia(questions, services);
    // Behind what needs a login: some devices report their identity to a user alone.
    const reference = await questions.optional("its identity", () =>
      questions.call({ ...device, operation: "GetEndpointReference", asUser: true }),
    );
    const addresses = { ...media, services, correction, secure: this.#access.secureOnly === true };
    const profiles = await readStreamUris(questions, addresses);
    const events = await readEvents(questions, services.events, eventCapabilities);
    const nodes = await this.#ptzNodes(services.ptz);
    const withSnapshots = await readSnapshotUris(questions, { ...addresses, profiles });
    const { ptzNodes, movable } = this.#ptz(services.ptz, nodes, { ...media, profiles: withSnapshots });
    this.#conclude(contact, movable);
    return {
      manufacturer: information?.text("Manufacturer") ?? "",
      model: information?.text("Model") ?? "",
      firmware: information?.text("FirmwareVersion") ?? "",
      serial: information?.text("SerialNumber") ?? "",
      hardwareId: information?.text("HardwareId") ?? "",
      identity: normalIdentity(reference?.text("GUID") ?? ""),
      host: contact.url.host,
      services,
      videoSources: media.sources,
      profiles: movable,
      ptzNodes,
      events,
      clockOffsetMs: contact.offsetMs,
      ...(this.#client.clock.source === "told" ? {} : { loginClock: this.#client.clock }),
      tookDigest: this.#client.tookDigest,
      readBy: "nvrd",
      warnings: questions.warnings,
    };
  }

  /**
   * What GetServices and GetCapabilities name together: devices are known that list Media2 only in the one, PTZ and
   * events only in the other. Neither: nothing but the device service.
   */
  async #services(
    { address, correction }: Contact,
    openly: XmlElement | "login" | undefined,
  ): Promise<ServiceList> {
    const questions = this.#questions;
    const asUser = openly === "login";
    const listed = asUser
      ? await questions.optional(SERVICES, () => questions.call({ ...servicesQuestion(address), asUser }))
      : openly;
    const capabilities = await questions.optional("its capabilities", () =>
      questions.call({
        ...{ service: "device", address, operation: "GetCapabilities", asUser },
        content: "<m:Category>All</m:Category>",
      }),
    );
    const nothing: ServiceList = { services: { device: address }, eventCapabilities: undefined };
    return unitedServices(
      listed === undefined ? nothing : servicesOf(listed, address, correction),
      capabilities === undefined ? nothing : capabilityServicesOf(capabilities, address, correction),
    );
  }

  async #ptzNodes(address: string | undefined): Promise<DeviceDescription["ptzNodes"]> {
    if (address === undefined) return [];
    const question = { service: "ptz", address, operation: "GetNodes" } as const;
    const response = await this.#questions.optional("what its PTZ can do", () =>
      this.#questions.call(question),
    );
    return response === undefined ? [] : ptzNodesOf(response);
  }

  /** Profiles with what moves them: a node of the device, or one made of the default spaces of their configuration. */
  #ptz(
    service: string | undefined,
    nodes: readonly PtzNode[],
    { profiles, ptzConfigurations }: MediaReading,
  ): { readonly ptzNodes: readonly PtzNode[]; readonly movable: DeviceProfile[] } {
    const all = new Map(nodes.map((node) => [node.token, node]));
    let isLogged = false;
    const movable = profiles.map((profile) => {
      const configuration = ptzConfigurations.find(({ profileToken }) => profileToken === profile.token);
      if (configuration === undefined) return profile;
      const { nodeToken } = configuration;
      const node = service === undefined ? undefined : (all.get(nodeToken) ?? defaultNode(configuration));
      if (node !== undefined) all.set(nodeToken, node);
      else if (!isLogged) {
        this.#questions.warn("incomplete", unmovable(profile, nodeToken, service));
        isLogged = true;
      }
      return { ...profile, ptzNodeToken: node?.token };
    });
    return { ptzNodes: [...all.values()], movable };
  }

  async #clocks(): Promise<readonly LoginClock[]> {
    if (this.#contact === undefined) return [];
    const target = { ...this.#contact, signal: this.#questions.signal };
    return (await readDeviceTime(this.#client, target)).clocks;
  }

  #warnOfSound(profiles: readonly DeviceProfile[]): void {
    const silent = profiles.find(
      ({ audioCodec, audioEncoding }) => audioCodec === undefined && audioEncoding !== undefined,
    );
    if (silent === undefined) return;
    const words = `profile ${nameOf(silent)} has sound in codec ${silent.audioEncoding}, which cannot be received: set it to G.711 or AAC on the device`;
    this.#questions.warn("unusable-profile", words);
  }

  #conclude({ offsetMs, correction }: Contact, profiles: readonly DeviceProfile[]): void {
    const questions = this.#questions;
    const usable = profiles.filter((profile) => profile.streamUri !== undefined);
    if (usable.length === 0) {
      const [reason] = questions.warnings.filter((warning) =>
        warning.message.startsWith("the stream address"),
      );
      throw new CameraFailure("no-stream", reason?.message ?? "the device gives no stream address");
    }
    this.#warnOfSound(profiles);
    for (const profile of profiles) {
      const { codec, encoding } = profile;
      // A codec without a name may be one that can be recorded: the stream says it.
      if (codec !== undefined || encoding === "") continue;
      const words = `profile ${nameOf(profile)} has codec ${encoding}, which cannot be recorded`;
      questions.warn("unusable-profile", words);
    }
    if (offsetMs !== undefined && Math.abs(offsetMs) > CLOCK_OFFSET_WARN_MS) {
      questions.warn(
        "clock-off",
        `the device's clock is ${clockWords(offsetMs)}: set it, or give it a time server`,
      );
    }
    if (correction.corrected.length > 0) {
      const places = correction.corrected.slice(0, 3).join(", ");
      questions.warn(
        "addresses-corrected",
        `the device reports addresses other than the one it is reached at (${places}); they were corrected`,
      );
    }
    if (this.#client.usedPlainPassword) {
      questions.warn(
        "plain-password",
        "the device accepts passwords only unencrypted: enable Digest or HTTPS in the camera",
      );
    }
  }
}

const SERVICES = "the list of its services";

function servicesQuestion(address: string): Question {
  const content = "<m:IncludeCapability>false</m:IncludeCapability>";
  return { service: "device", address, operation: "GetServices", content };
}

function unmovable(profile: DeviceProfile, nodeToken: string, service: string | undefined): string {
  const name = nameOf(profile);
  return service === undefined
    ? `profile ${name} has PTZ, and the device names no PTZ service: it cannot be moved`
    : `profile ${name} names PTZ node ${nodeToken}, which the device does not have, and no spaces to move in: it cannot be moved`;
}

/**
 * How the device delivers events. Real-time pull points are mandatory (ONVIF Core, 9.2), so they are assumed unless the device
 * reports their absence: `MaxPullPoints="0"`, or an explicit false together with support for subscriptions, as attributes of
 * the events service or elements of GetCapabilities.
 */
async function readEvents(
  questions: DeviceQuestions,
  address: string | undefined,
  capabilities: XmlElement | undefined,
): Promise<DeviceEvents> {
  if (address === undefined) return { kind: "none" };
  const response =
    capabilities === undefined
      ? await questions.optional("what its events can do", () =>
          questions.call({ service: "events", address, operation: "GetServiceCapabilities" }),
        )
      : undefined;
  const capability = (name: string): string =>
    capabilities?.text(name) ?? response?.child("Capabilities")?.attribute(name) ?? "";
  const pullPoints = capability("MaxPullPoints");
  const deniesPullPoints = isFalse(capability("WSPullPointSupport")) && pullPoints === "";
  const lacksPullPoints = pullPoints === "0" || deniesPullPoints;
  const subscribes = isTrue(capability("WSSubscriptionPolicySupport"));
  return { kind: lacksPullPoints && subscribes ? "base-notification" : "pull-point", address };
}

function isFalse(text: string): boolean {
  return text === "0" || text.toLowerCase() === "false";
}

/** `3 hours ahead`; the largest unit of which there is at least one. */
function clockWords(offsetMs: number): string {
  const side = offsetMs > 0 ? "ahead" : "behind";
  const units = [
    ["years", 365 * 86_400_000],
    ["days", 86_400_000],
    ["hours", 3_600_000],
    ["minutes", 60_000],
  ] as const;
  const [name, ms] = units.find(([, unit]) => Math.abs(offsetMs) >= unit) ?? ["seconds", 1000];
  return `${Math.round(Math.abs(offsetMs) / ms)} ${name} ${side}`;
}
