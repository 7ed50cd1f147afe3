import { NvrdError } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceDescription } from "../description/device-description.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";

/** Masks and corners that are read of a device; more are left out. */
const MASKS_READ_MAX = 64;
const POINTS_READ_MAX = 64;
/** The bounds assumed of a device that reports none. */
const POINTS_USUAL = 4;
/** What hides most, where the device has it. */
const TYPE_USUAL = "Color";

/** A corner, in parts of the picture from its upper left corner. */
export interface MaskPoint {
  readonly x: number;
  readonly y: number;
}

/** A part of the picture that the camera itself hides. */
export interface PrivacyMask {
  readonly token: string;
  readonly points: readonly MaskPoint[];
  readonly isEnabled: boolean;
  /** `Color`, `Pixelated`, `Blurred`, or the device's own word. */
  readonly type: string;
  /** Attributes of its colour, as the device has them; empty where it has none. */
  readonly color: Readonly<Record<string, string>>;
}

/** What a device takes. */
export interface MaskOffer {
  readonly masksMax: number;
  readonly pointsMax: number;
  readonly isRectangleOnly: boolean;
  readonly types: readonly string[];
}

/** The privacy masks of a video source, as calls of Media2 (ONVIF Media2, privacy masks). Rejects with CameraFailure and NvrdError NOT_SUPPORTED. */
export class MaskDevice {
  readonly #client: SoapClient;
  readonly #address: string;
  /** Of the video source's configuration. */
  readonly #configuration: string;

  /** Throws NvrdError NOT_SUPPORTED for a device that has no masks. */
  constructor(client: SoapClient, { services, profiles }: DeviceDescription, channelNumber: number) {
    const configuration = profiles.find(
      (profile) => profile.channelNumber === channelNumber && profile.sourceConfigurationToken !== undefined,
    )?.sourceConfigurationToken;
    if (services.media2 === undefined || configuration === undefined) throw noMasks();
    this.#client = client;
    this.#address = services.media2;
    this.#configuration = configuration;
  }

  async offer(signal: AbortSignal): Promise<MaskOffer> {
    let response: XmlElement;
    try {
      response = await this.#call("GetMaskOptions", this.#configurationXml(), signal);
    } catch (error) {
      if (error instanceof CameraFailure && error.kind === "refused") throw noMasks(error);
      throw error;
    }
    const options = response.child("Options");
    if (options === undefined) throw noMasks();
    return {
      masksMax: Math.min(MASKS_READ_MAX, Math.max(0, options.number("MaxMasks") ?? MASKS_READ_MAX)),
      pointsMax: Math.min(
        POINTS_READ_MAX,
        Math.max(POINTS_USUAL, options.number("MaxPoints") ?? POINTS_USUAL),
      ),
      // An attribute in the specification, an element of some devices.
      isRectangleOnly: isTrue(options.attribute("RectangleOnly") || options.text("RectangleOnly")),
      types: options.children("Types").map((type) => type.text()),
    };
  }

  async masks(signal: AbortSignal): Promise<readonly PrivacyMask[]> {
    const response = await this.#call("GetMasks", this.#configurationXml(), signal);
    return response
      .children("Masks")
      .slice(0, MASKS_READ_MAX)
      .filter((mask) => ["", this.#configuration].includes(mask.text("ConfigurationToken")))
      .map(maskOf)
      .filter(({ token, points }) => token !== "" && points.length > 2);
  }

  async create(mask: Omit<PrivacyMask, "token">, signal: AbortSignal): Promise<void> {
    await this.#call("CreateMask", this.#maskXml({ ...mask, token: "" }), signal);
  }

  async set(mask: PrivacyMask, signal: AbortSignal): Promise<void> {
    await this.#call("SetMask", this.#maskXml(mask), signal);
  }

  async remove(token: string, signal: AbortSignal): Promise<void> {
    await this.#call("DeleteMask", `<m:Token>${escapeXml(token)}</m:Token>`, signal);
  }

  #configurationXml(): string {
    return `<m:ConfigurationToken>${escapeXml(this.#configuration)}</m:ConfigurationToken>`;
  }

  #maskXml({ token, points, type, color, isEnabled }: PrivacyMask): string {
    const corners = points.map(({ x, y }) => `<tt:Point x="${across(x)}" y="${up(y)}"/>`).join("");
    const attributes = Object.entries(color).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
    return (
      `<m:Mask${token === "" ? "" : ` token="${escapeXml(token)}"`}>${this.#configurationXml()}` +
      `<m:Polygon>${corners}</m:Polygon><m:Type>${escapeXml(type)}</m:Type>` +
      `${attributes.length === 0 ? "" : `<m:Color${attributes.join("")}/>`}` +
      `<m:Enabled>${isEnabled}</m:Enabled></m:Mask>`
    );
  }

  async #call(operation: string, content: string, signal: AbortSignal): Promise<XmlElement> {
    const call = { address: this.#address, service: "media2", operation, content, signal } as const;
    return await this.#client.call(call);
  }
}

/** The type of a new mask. */
export function newMaskType({ types }: MaskOffer): string {
  return types.includes(TYPE_USUAL) ? TYPE_USUAL : (types.find((type) => type !== "") ?? TYPE_USUAL);
}

const COLOR_ATTRIBUTES = ["X", "Y", "Z", "Colorspace"];

function maskOf(mask: XmlElement): PrivacyMask {
  const color = mask.child("Color");
  const attributes = COLOR_ATTRIBUTES.map((name) => [name, color?.attribute(name) ?? ""] as const);
  return {
    token: mask.attribute("token"),
    points: (mask.child("Polygon")?.children("Point") ?? []).slice(0, POINTS_READ_MAX).flatMap(pointOf),
    isEnabled: isTrue(mask.text("Enabled")),
    type: mask.text("Type") || TYPE_USUAL,
    color: Object.fromEntries(attributes.filter(([, value]) => value !== "")),
  };
}

/** Normalized: from -1 at the left to 1 at the right, from -1 at the bottom to 1 at the top (ONVIF Media2, privacy masks). */
function pointOf(point: XmlElement): readonly MaskPoint[] {
  const [x, y] = [Number(point.attribute("x")), Number(point.attribute("y"))];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return [];
  return [{ x: part((x + 1) / 2), y: part((1 - y) / 2) }];
}

/** Within the picture; a ten-thousandth is finer than any picture. */
function part(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
}

const across = (x: number): string => (part(x) * 2 - 1).toFixed(4);
const up = (y: number): string => (1 - part(y) * 2).toFixed(4);

function isTrue(text: string): boolean {
  return text === "1" || text.toLowerCase() === "true";
}

function noMasks(cause?: CameraFailure): NvrdError {
  return new NvrdError("NOT_SUPPORTED", "the camera offers no privacy masks by ONVIF", {
    hint: "draw them on the camera's own page",
    ...(cause === undefined ? {} : { cause }),
  });
}
