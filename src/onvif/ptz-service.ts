import { type Clock, endsWithin, type Guid, US_PER_MS } from "../base/index.js";
import {
  NO_PTZ,
  PTZ_AXES,
  PTZ_STOP_AFTER_MS_DEFAULT,
  PTZ_STOP_AFTER_MS_MAX,
  type Ptz,
  type PtzCapabilities,
  type PtzCommand,
} from "../camera/index.js";
import type { Camera } from "../site/index.js";
import type { OnvifUser } from "./onvif-user.js";
import { type DeviceService, forEverybody, forUser, type Operation, type UserCall } from "./operation.js";
import { configurationName, type Profile, type Profiles, TOKENS } from "./profiles.js";
import { actionNotSupported, invalidArgument, SoapFault, textElement, xmlText } from "./soap-message.js";
import { readDurationMs } from "./xml-duration.js";

/** A list of all cameras does not wait longer for those that do not answer: they are told without abilities. */
const ABILITIES_MS_MAX = 2000;
/** What a camera can is asked again after this. */
const ABILITIES_KEPT_MS = 60_000;
const PRESETS_MAX = 256;

const SPACES = "http://www.onvif.org/ver10/tptz";
const PAN_TILT_SPEED = `${SPACES}/PanTiltSpaces/VelocityGenericSpace`;
const ZOOM_SPEED = `${SPACES}/ZoomSpaces/VelocityGenericSpace`;
const ZOOM_STEP = `${SPACES}/ZoomSpaces/TranslationGenericSpace`;

export interface PtzServiceOptions {
  readonly profiles: Profiles;
  readonly ptz: Ptz;
  readonly clock: Clock;
}

/** Cameras that move, handed through with the user's rights and priority (ONVIF PTZ Service Specification). */
export class PtzService {
  readonly service: DeviceService;
  readonly #options: PtzServiceOptions;
  readonly #known = new Map<Guid, { readonly abilities: PtzCapabilities; readonly atUs: number }>();

  constructor(options: PtzServiceOptions) {
    this.#options = options;
    this.service = {
      name: "ptz_service",
      prefix: "tptz",
      version: { major: 26, minor: 6 },
      capabilities: CAPABILITIES,
      legacyCapability: (address) => ({
        name: "PTZ",
        xml: `<tt:PTZ>${textElement("tt:XAddr", address)}</tt:PTZ>`,
      }),
      operations: new Map<string, Operation>([
        ["GetServiceCapabilities", forEverybody(() => CAPABILITIES)],
        ["GetNodes", forUser((call) => this.#nodes(call))],
        ["GetNode", forUser((call) => this.#node(call))],
        ["GetConfigurations", forUser(({ user }) => this.#configurations(user))],
        [
          "GetConfiguration",
          forUser((call) => configuration("tptz:PTZConfiguration", this.#configured(call))),
        ],
        ["GetConfigurationOptions", forUser((call) => this.#configurationOptions(call))],
        ["GetPresets", forUser((call) => this.#presets(call))],
        ["GotoPreset", forUser((call) => this.#goToPreset(call))],
        ["GotoHomePosition", forUser((call) => this.#perform(call, [{ kind: "home" }]))],
        ["ContinuousMove", forUser((call) => this.#perform(call, continuousMove(call)))],
        ["RelativeMove", forUser((call) => this.#perform(call, relativeMove(call)))],
        ["Stop", forUser((call) => this.#perform(call, stopCommands(call)))],
        ["GetStatus", forUser((call) => this.#status(call))],
      ]),
    };
  }

  /** The configuration of a camera that the user may move, as an element with this name; else empty. */
  configurationOf(name: string, { user }: UserCall, { camera }: Profile): string {
    return this.#movable(user).includes(camera) ? configuration(name, camera) : "";
  }

  /** Cameras that the user may move, without those that are known to have nothing that moves. */
  #movable(user: OnvifUser): readonly Camera[] {
    if (!user.mayMove) return [];
    return this.#options.profiles.cameras(user).filter(({ id, connection }) => {
      const known = this.#known.get(id)?.abilities;
      return connection.ptzEnabled && (known === undefined || canMove(known));
    });
  }

  async #nodes({ user }: UserCall): Promise<string> {
    const cameras = this.#movable(user);
    const nodes = await Promise.all(
      cameras.map(async (camera) => nodeXml(camera, await this.#abilities(camera))),
    );
    return nodes.join("");
  }

  async #node({ user, content }: UserCall): Promise<string> {
    const token = content.text("NodeToken");
    const camera = this.#movable(user).find(({ id }) => TOKENS.ptzNode(id) === token);
    if (camera === undefined) throw invalidArgument("NoEntity", "there is no node with this token");
    return nodeXml(camera, await this.#abilities(camera));
  }

  #configurations(user: OnvifUser): string {
    return this.#movable(user)
      .map((camera) => configuration("tptz:PTZConfiguration", camera))
      .join("");
  }

  /** The camera of the configuration that the request names. */
  #configured({ user, content }: UserCall): Camera {
    const token = content.text("PTZConfigurationToken") || content.text("ConfigurationToken");
    const camera = this.#movable(user).find(({ id }) => TOKENS.ptzConfiguration(id) === token);
    if (camera === undefined) throw invalidArgument("NoConfig", "there is no configuration with this token");
    return camera;
  }

  async #configurationOptions(call: UserCall): Promise<string> {
    const abilities = await this.#abilities(this.#configured(call));
    return (
      `<tptz:PTZConfigurationOptions><tt:Spaces>${spacesXml(abilities)}</tt:Spaces>` +
      `<tt:PTZTimeout><tt:Min>PT0.1S</tt:Min><tt:Max>PT${PTZ_STOP_AFTER_MS_MAX / 1000}S</tt:Max></tt:PTZTimeout>` +
      "</tptz:PTZConfigurationOptions>"
    );
  }

  async #presets(call: UserCall): Promise<string> {
    const { presets } = await this.#options.ptz.capabilities(this.#camera(call).id);
    return presets
      .slice(0, PRESETS_MAX)
      .map(
        ({ index, name }) =>
          `<tptz:Preset token="${index}">${textElement("tt:Name", configurationName(name || String(index)))}</tptz:Preset>`,
      )
      .join("");
  }

  async #goToPreset(call: UserCall): Promise<string> {
    const token = call.content.text("PresetToken");
    const { presets } = await this.#options.ptz.capabilities(this.#camera(call).id);
    const preset = presets.find(({ index }) => String(index) === token);
    if (preset === undefined) throw invalidArgument("NoToken", "there is no preset with this token");
    return await this.#perform(call, [{ kind: "preset", index: preset.index }]);
  }

  /** Where a camera looks is not known here: told is the time. */
  #status(call: UserCall): string {
    this.#camera(call);
    const now = new Date(this.#options.clock.nowUs() / US_PER_MS).toISOString();
    return (
      "<tptz:PTZStatus><tt:MoveStatus><tt:PanTilt>UNKNOWN</tt:PanTilt><tt:Zoom>UNKNOWN</tt:Zoom></tt:MoveStatus>" +
      `${textElement("tt:UtcTime", now)}</tptz:PTZStatus>`
    );
  }

  async #perform(call: UserCall, commands: readonly PtzCommand[]): Promise<string> {
    const camera = this.#camera(call);
    const { user, signal } = call;
    for (const command of commands)
      await this.#options.ptz.perform({ channelId: camera.id, command, user: user.who, signal });
    return "";
  }

  /** The camera of the profile that the request names. */
  #camera({ user, content }: UserCall): Camera {
    const camera = this.#options.profiles.find(user, content.text("ProfileToken"))?.camera;
    if (camera === undefined) throw invalidArgument("NoProfile", "there is no profile with this token");
    if (!user.mayMove)
      throw new SoapFault(
        "Sender",
        ["NotAuthorized", "OperationProhibited"],
        "your group may not move cameras",
      );
    if (!camera.connection.ptzEnabled)
      throw invalidArgument("NoPTZProfile", "PTZ is switched off for this camera");
    return camera;
  }

  async #abilities({ id }: Camera): Promise<PtzCapabilities> {
    const { ptz, clock } = this.#options;
    const known = this.#known.get(id);
    if (known !== undefined && clock.monotonicUs() - known.atUs < ABILITIES_KEPT_MS * US_PER_MS)
      return known.abilities;
    const asked = ptz.capabilities(id).then((abilities) => {
      this.#known.set(id, { abilities, atUs: clock.monotonicUs() });
      return abilities;
    });
    // A camera that does not answer is no reason to hide the others.
    const before = known?.abilities ?? NO_PTZ;
    const answered = asked.catch(() => before);
    return (await endsWithin(answered, { clock, ms: ABILITIES_MS_MAX })) ? await answered : before;
  }
}

function canMove({ panTilt, zoom, zoomStep, home, presets }: PtzCapabilities): boolean {
  return panTilt || zoom || zoomStep || home || presets.length > 0;
}

const CAPABILITIES =
  '<tptz:Capabilities EFlip="false" Reverse="false" GetCompatibleConfigurations="false" MoveStatus="false" StatusPosition="false"/>';

function configuration(name: string, { id, name: title }: Camera): string {
  return (
    `<${name} token="${TOKENS.ptzConfiguration(id)}">${textElement("tt:Name", configurationName(title))}<tt:UseCount>1</tt:UseCount>` +
    `${textElement("tt:NodeToken", TOKENS.ptzNode(id))}` +
    textElement("tt:DefaultRelativeZoomTranslationSpace", ZOOM_STEP) +
    textElement("tt:DefaultContinuousPanTiltVelocitySpace", PAN_TILT_SPEED) +
    textElement("tt:DefaultContinuousZoomVelocitySpace", ZOOM_SPEED) +
    `${textElement("tt:DefaultPTZTimeout", `PT${PTZ_STOP_AFTER_MS_DEFAULT / 1000}S`)}</${name}>`
  );
}

function nodeXml({ id, name }: Camera, abilities: PtzCapabilities): string {
  return (
    `<tptz:PTZNode token="${TOKENS.ptzNode(id)}" FixedHomePosition="true">${textElement("tt:Name", configurationName(name))}` +
    `<tt:SupportedPTZSpaces>${spacesXml(abilities)}</tt:SupportedPTZSpaces>` +
    textElement("tt:MaximumNumberOfPresets", Math.min(abilities.presets.length, PRESETS_MAX)) +
    `${textElement("tt:HomeSupported", abilities.home)}</tptz:PTZNode>`
  );
}

const RANGE = "<tt:Min>-1</tt:Min><tt:Max>1</tt:Max>";

function spacesXml({ panTilt, zoom, zoomStep }: PtzCapabilities): string {
  const space = (name: string, uri: string, axes: readonly string[]): string =>
    `<tt:${name}>${textElement("tt:URI", uri)}${axes.map((axis) => `<tt:${axis}Range>${RANGE}</tt:${axis}Range>`).join("")}</tt:${name}>`;
  return [
    zoomStep ? space("RelativeZoomTranslationSpace", ZOOM_STEP, ["X"]) : "",
    panTilt ? space("ContinuousPanTiltVelocitySpace", PAN_TILT_SPEED, ["X", "Y"]) : "",
    zoom ? space("ContinuousZoomVelocitySpace", ZOOM_SPEED, ["X"]) : "",
  ].join("");
}

/** A number of a vector, -1 to 1. Throws SoapFault. */
function fraction(
  call: UserCall,
  path: readonly string[],
  axis: "x" | "y",
  spaces: string,
): number | undefined {
  const vector = call.content.at(...path);
  if (vector === undefined) return undefined;
  const space = vector.attribute("space");
  const text = vector.attribute(axis);
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || (space !== "" && space !== spaces))
    throw new SoapFault(
      "Sender",
      ["InvalidArgVal", "SpaceNotSupported"],
      `${xmlText(path.join("/"))} is from -1 to 1, in ${spaces}`,
    );
  return Math.min(Math.max(value, -1), 1);
}

/** What has no speed is stopped. */
function continuousMove(call: UserCall): readonly PtzCommand[] {
  const asked = readDurationMs(call.content.text("Timeout")) ?? PTZ_STOP_AFTER_MS_DEFAULT;
  const forMs = Math.min(Math.max(asked, 1), PTZ_STOP_AFTER_MS_MAX);
  const [pan, tilt] = (["x", "y"] as const).map((axis) =>
    fraction(call, ["Velocity", "PanTilt"], axis, PAN_TILT_SPEED),
  );
  const speed = fraction(call, ["Velocity", "Zoom"], "x", ZOOM_SPEED);
  const commands: PtzCommand[] = [];
  if (pan !== undefined && tilt !== undefined)
    commands.push(
      pan === 0 && tilt === 0 ? { kind: "stop", axes: ["pan-tilt"] } : { kind: "move", pan, tilt, forMs },
    );
  if (speed !== undefined)
    commands.push(speed === 0 ? { kind: "stop", axes: ["zoom"] } : { kind: "zoom", speed, forMs });
  if (commands.length === 0)
    throw invalidArgument("InvalidVelocity", "Velocity names neither PanTilt nor Zoom");
  return commands;
}

function relativeMove(call: UserCall): readonly PtzCommand[] {
  const [pan, tilt] = (["x", "y"] as const).map((axis) =>
    Number(call.content.at("Translation", "PanTilt")?.attribute(axis) || 0),
  );
  if (pan !== 0 || tilt !== 0) throw actionNotSupported("pan and tilt move continuously, not by steps");
  const step = fraction(call, ["Translation", "Zoom"], "x", ZOOM_STEP);
  if (step === undefined) throw invalidArgument("InvalidTranslation", "Translation names no Zoom");
  return [{ kind: "zoom-step", step }];
}

function stopCommands({ content }: UserCall): readonly PtzCommand[] {
  const isMeant = (name: string): boolean => !/^(?:false|0)$/i.test(content.text(name));
  const axes = PTZ_AXES.filter((axis) => isMeant(axis === "zoom" ? "Zoom" : "PanTilt"));
  return axes.length === 0 ? [] : [{ kind: "stop", axes }];
}
