import { type Clock, NvrdError, pauseUnlessAborted } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type {
  DeviceDescription,
  DeviceProfile,
  PtzNode,
  PtzRange,
} from "../description/device-description.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";
import type { PtzAxis, PtzCapabilities, PtzCommand, PtzDone, PtzPreset } from "./ptz-command.js";
import {
  decimal,
  type PtzPosition,
  type PtzTarget,
  positionOf,
  positionXml,
  spaceOf,
} from "./ptz-position.js";

/** Maximum number of presets read from a device. */
const PRESETS_MAX = 1024;
/** Duration of the smallest and of the full zoom step, for devices that support only continuous zoom. */
const STEP_MS_MIN = 100;
const STEP_MS_MAX = 1000;
/** Extra time, in whole seconds, after which the device stops by itself if the recorder could not stop it. */
const OWN_STOP_LATER_MS = 1000;
/**
 * Half a picture as a fraction of the full range, for a device that does not support moving by the field of view: 30 of 180
 * degrees, for a usual lens zoomed out. A device that is zoomed in moves too far, and the user clicks again.
 */
const HALF_PICTURE = 1 / 6;

/** The PTZ node of a device, and the client to ask it. */
export interface PtzDeviceOptions {
  readonly client: SoapClient;
  readonly address: string;
  readonly imagingAddress: string | undefined;
  readonly profile: DeviceProfile;
  readonly node: PtzNode;
  readonly clock: Clock;
}

/** The commands of one PTZ head, as ONVIF calls. Rejects with CameraFailure, and with NvrdError NOT_SUPPORTED. */
export class PtzDevice {
  readonly #options: PtzDeviceOptions;
  /** A device that refuses the Timeout parameter does not get it again. */
  #takesTimeout = true;

  constructor(options: PtzDeviceOptions) {
    this.#options = options;
  }

  async perform(command: PtzCommand, signal: AbortSignal): Promise<PtzDone> {
    if (command.kind === "save-preset") return await this.#savePreset(command);
    await this.#do(command, signal);
    return {};
  }

  async #do(command: Exclude<PtzCommand, { kind: "save-preset" }>, signal: AbortSignal): Promise<void> {
    const { ranges } = this.#options.node;
    switch (command.kind) {
      case "move":
        return await this.#move(panTilt(this.#needs(ranges.continuousPanTilt, "turn"), command), command);
      case "zoom":
        return await this.#move(zoom(this.#needs(ranges.continuousZoom, "zoom"), command.speed), command);
      case "zoom-step":
        return await this.#zoomStep(command.step, signal);
      case "stop":
        return await this.#stop(command.axes);
      case "preset":
        return await this.#goto(command.index);
      case "position":
        return await this.#goTo(command.target);
      case "remove-preset":
        return await this.#removePreset(command.index);
      case "home":
        return await this.#home();
      case "autofocus":
        return await this.#autofocus();
      case "center":
        return await this.#center(command.x, command.y);
    }
  }

  async capabilities(): Promise<PtzCapabilities> {
    const { ranges, presetsMax } = this.#options.node;
    const presets = presetsMax === 0 ? [] : await this.#presetsIfAny();
    return {
      panTilt: ranges.continuousPanTilt !== undefined,
      zoom: ranges.continuousZoom !== undefined,
      zoomStep: (ranges.relativeZoom ?? ranges.continuousZoom) !== undefined,
      center: (ranges.fieldOfView ?? ranges.relativePanTilt ?? ranges.absolutePanTilt) !== undefined,
      autofocus: this.#options.imagingAddress !== undefined,
      home: this.#options.node.home,
      absolutePanTilt: ranges.absolutePanTilt !== undefined,
      absoluteZoom: ranges.absoluteZoom !== undefined,
      presets: presets.map(({ index, name }) => ({ index, name })),
      presetsMax,
    };
  }

  /** Empty for a device that does not report it. */
  async position(): Promise<PtzPosition> {
    try {
      return positionOf(await this.#ask("GetStatus", ""), this.#options.node.ranges);
    } catch (error) {
      if (error instanceof CameraFailure && error.kind === "refused") return {};
      throw error;
    }
  }

  /** A device may announce presets, or say nothing of them, and have none. */
  async #presetsIfAny(): Promise<readonly (PtzPreset & { readonly token: string })[]> {
    try {
      return await this.#presets();
    } catch (error) {
      if (error instanceof CameraFailure && error.kind === "refused") return [];
      throw error;
    }
  }

  #needs(range: PtzRange | undefined, what: string): PtzRange {
    if (range !== undefined) return range;
    throw new NvrdError("NOT_SUPPORTED", `the camera cannot ${what}`, { hint: "" });
  }

  async #move(velocity: string, { forMs }: { readonly forMs: number }): Promise<void> {
    const content = `<m:Velocity>${velocity}</m:Velocity>`;
    const seconds = Math.ceil((forMs + OWN_STOP_LATER_MS) / 1000);
    if (this.#takesTimeout) {
      try {
        await this.#ask("ContinuousMove", `${content}<m:Timeout>PT${seconds}S</m:Timeout>`);
        return;
      } catch (error) {
        if (!(error instanceof CameraFailure) || error.kind !== "refused") throw error;
      }
    }
    await this.#ask("ContinuousMove", content);
    this.#takesTimeout = false;
  }

  async #zoomStep(step: number, signal: AbortSignal): Promise<void> {
    const { node, clock } = this.#options;
    const { relativeZoom, continuousZoom } = node.ranges;
    if (relativeZoom !== undefined) {
      await this.#ask("RelativeMove", `<m:Translation>${zoom(relativeZoom, step)}</m:Translation>`);
      return;
    }
    const range = this.#needs(continuousZoom, "zoom");
    const forMs = STEP_MS_MIN + Math.abs(step) * (STEP_MS_MAX - STEP_MS_MIN);
    try {
      await this.#move(zoom(range, Math.sign(step)), { forMs });
      await pauseUnlessAborted(clock, forMs, signal);
    } finally {
      await this.#stop(["zoom"]);
    }
  }

  async #stop(axes: readonly PtzAxis[]): Promise<void> {
    const [turns, zooms] = [axes.includes("pan-tilt"), axes.includes("zoom")];
    await this.#ask("Stop", `<m:PanTilt>${turns}</m:PanTilt><m:Zoom>${zooms}</m:Zoom>`);
  }

  async #center(x: number, y: number): Promise<void> {
    const { fieldOfView, relativePanTilt, absolutePanTilt } = this.#options.node.ranges;
    const relative = fieldOfView ?? relativePanTilt;
    const part = fieldOfView === undefined ? HALF_PICTURE : 1;
    if (relative !== undefined) {
      const translation = panTilt(relative, { pan: x * part, tilt: y * part });
      await this.#ask("RelativeMove", `<m:Translation>${translation}</m:Translation>`);
      return;
    }
    const range = this.#needs(absolutePanTilt, "be turned to a point of its picture");
    const status = await this.#ask("GetStatus", "");
    const position = status.at("PTZStatus", "Position", "PanTilt");
    const at = (name: string): number => Number(position?.attribute(name) || "unknown");
    const [panAt, tiltAt] = [at("x"), at("y")];
    if (!Number.isFinite(panAt) || !Number.isFinite(tiltAt))
      throw new NvrdError("NOT_SUPPORTED", "the camera does not report its position", { hint: "" });
    const goal = (from: number, by: number, { min, max }: PtzRange["x"]): number =>
      Math.min(Math.max(from + (by * HALF_PICTURE * (max - min)) / 2, min), max);
    const [pan, tilt] = [goal(panAt, x, range.x), goal(tiltAt, y, range.y)];
    const target = `<tt:PanTilt x="${decimal(pan)}" y="${decimal(tilt)}"/>`;
    await this.#ask("AbsoluteMove", `<m:Position>${target}</m:Position>`);
  }

  async #goto(index: number): Promise<void> {
    const { token } = await this.#preset(index);
    await this.#ask("GotoPreset", `<m:PresetToken>${escapeXml(token)}</m:PresetToken>`);
  }

  async #savePreset({
    index,
    name,
  }: {
    readonly index: number | undefined;
    readonly name: string;
  }): Promise<PtzDone> {
    const named = name === "" ? "" : `<m:PresetName>${escapeXml(name)}</m:PresetName>`;
    const token = index === undefined ? undefined : (await this.#preset(index)).token;
    const replaced = token === undefined ? "" : `<m:PresetToken>${escapeXml(token)}</m:PresetToken>`;
    const saved = (await this.#ask("SetPreset", named + replaced)).text("PresetToken");
    if (index !== undefined) return { presetIndex: index };
    // It is saved already: a list that cannot be read makes no failure of that.
    const presets = await this.#presetsIfAny().catch(() => []);
    const presetIndex = presets.find((preset) => preset.token === saved)?.index;
    return presetIndex === undefined ? {} : { presetIndex };
  }

  async #goTo({ panTilt, zoom }: PtzTarget): Promise<void> {
    const { absolutePanTilt, absoluteZoom } = this.#options.node.ranges;
    const turned = panTilt && { ...panTilt, range: this.#needs(absolutePanTilt, "be turned to a position") };
    const zoomed =
      zoom === undefined
        ? undefined
        : { at: zoom, range: this.#needs(absoluteZoom, "be zoomed to a position") };
    await this.#ask("AbsoluteMove", `<m:Position>${positionXml(turned, zoomed)}</m:Position>`);
  }

  async #removePreset(index: number): Promise<void> {
    const { token } = await this.#preset(index);
    await this.#ask("RemovePreset", `<m:PresetToken>${escapeXml(token)}</m:PresetToken>`);
  }

  async #preset(index: number): Promise<{ readonly token: string }> {
    const presets = await this.#presets();
    const preset = presets.find((candidate) => candidate.index === index);
    if (preset === undefined) {
      const known = presets.slice(0, 20).map((candidate) => candidate.index);
      const hint = presets.length === 0 ? "" : `use one of ${known.join(", ")}`;
      throw new NvrdError("NOT_FOUND", `the camera has no preset ${index}`, { hint });
    }
    return preset;
  }

  async #home(): Promise<void> {
    if (!this.#options.node.home)
      throw new NvrdError("NOT_SUPPORTED", "the camera has no home position", {
        hint: "save one as a preset of the camera",
      });
    await this.#ask("GotoHomePosition", "");
  }

  async #presets(): Promise<(PtzPreset & { readonly token: string })[]> {
    const response = await this.#ask("GetPresets", "");
    const elements = response.children("Preset").slice(0, PRESETS_MAX);
    const tokens = elements.map((element) => element.attribute("token"));
    // Most manufacturers use numbers as tokens; otherwise presets are counted from 1.
    const isNumbered = tokens.every((token) => /^\d{1,6}$/.test(token));
    return elements.map((element, at) => ({
      index: isNumbered ? Number(tokens[at]) : at + 1,
      token: tokens[at] ?? "",
      name: element.text("Name"),
    }));
  }

  async #autofocus(): Promise<void> {
    const { client, imagingAddress, profile } = this.#options;
    if (imagingAddress === undefined)
      throw new NvrdError("NOT_SUPPORTED", "the camera's focus cannot be set by ONVIF", { hint: "" });
    const focus = "<tt:Focus><tt:AutoFocusMode>AUTO</tt:AutoFocusMode></tt:Focus>";
    await client.call({
      service: "imaging",
      address: imagingAddress,
      operation: "SetImagingSettings",
      content:
        `<m:VideoSourceToken>${escapeXml(profile.videoSourceToken)}</m:VideoSourceToken>` +
        `<m:ImagingSettings>${focus}</m:ImagingSettings><m:ForcePersistence>false</m:ForcePersistence>`,
    });
  }

  /** Must not be aborted, because then it would be unknown whether the camera moves. */
  #ask(operation: string, content: string): Promise<XmlElement> {
    const { client, address, profile } = this.#options;
    const token = `<m:ProfileToken>${escapeXml(profile.token)}</m:ProfileToken>`;
    return client.call({ service: "ptz", address, operation, content: token + content });
  }
}

/** The PTZ node of a channel, from the profiles of its video source; undefined if it has none. */
export function ptzPartsOf(
  profiles: readonly DeviceProfile[],
  description: DeviceDescription,
): { readonly address: string; readonly profile: DeviceProfile; readonly node: PtzNode } | undefined {
  const address = description.services.ptz;
  if (address === undefined) return undefined;
  for (const profile of profiles) {
    const node = description.ptzNodes.find(({ token }) => token === profile.ptzNodeToken);
    if (node !== undefined) return { address, profile, node };
  }
  return undefined;
}

function panTilt(range: PtzRange, { pan, tilt }: { readonly pan: number; readonly tilt: number }): string {
  const [x, y] = [within(range.x, pan), within(range.y, tilt)];
  return `<tt:PanTilt x="${decimal(x)}" y="${decimal(y)}"${spaceOf(range)}/>`;
}

function zoom(range: PtzRange, part: number): string {
  return `<tt:Zoom x="${decimal(within(range.x, part))}"${spaceOf(range)}/>`;
}

/** Maps a fraction to a range: 0 is no movement, 1 and -1 are its ends. */
function within({ min, max }: PtzRange["x"], part: number): number {
  const bounded = Math.min(Math.max(part, -1), 1);
  return bounded >= 0 ? bounded * Math.max(max, 0) : -bounded * Math.min(min, 0);
}
