import { type Clock, endsWithin, type Guid, type Log, US_PER_MS } from "../../base/index.js";
import { NO_PTZ, type Ptz, type PtzCapabilities, type PtzCommand, type PtzDone } from "../../camera/index.js";
import type { Camera } from "../../site/index.js";
import { configurationName, type Profile, type Profiles, TOKENS } from "../media/profiles.js";
import type { OnvifUser } from "../soap/onvif-user.js";
import {
  type DeviceService,
  forEverybody,
  forUser,
  type Operation,
  type UserCall,
} from "../soap/operation.js";
import { actionNotSupported, invalidArgument, SoapFault, textElement } from "../soap/soap-message.js";
import {
  CAPABILITIES,
  canMove,
  configuration,
  configurationOptions,
  nodeXml,
  PRESETS_MAX,
  statusXml,
} from "./ptz-parts.js";
import { refusalOf, tooManyPresets } from "./ptz-refusals.js";
import { continuousMove, positionTarget, presetName, relativeMove, stopCommands } from "./ptz-requests.js";

/** A list of all cameras does not wait longer for those that do not answer: they are listed without abilities. */
const ABILITIES_MS_MAX = 2000;
/** What a camera can is asked again after this. */
const ABILITIES_KEPT_MS = 60_000;

export interface PtzServiceOptions {
  readonly profiles: Profiles;
  readonly ptz: Ptz;
  readonly clock: Clock;
  readonly log: Log;
}

/** Cameras that move, handed through with the user's rights and priority (ONVIF PTZ Service Specification). */
export class PtzService {
  readonly service: DeviceService;
  readonly #options: PtzServiceOptions;
  readonly #known = new Map<Guid, { readonly abilities: PtzCapabilities; readonly atUs: number }>();
  readonly #asked = new Map<Guid, Promise<PtzCapabilities>>();

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
        ["GetConfiguration", forUser((call) => this.#configuration(call))],
        ["GetConfigurationOptions", forUser((call) => this.#configurationOptions(call))],
        ["GetPresets", forUser((call) => this.#presets(call))],
        ["GotoPreset", forUser((call) => this.#goToPreset(call))],
        ["SetPreset", forUser((call) => this.#setPreset(call))],
        ["RemovePreset", forUser((call) => this.#removePreset(call))],
        ["GotoHomePosition", forUser((call) => this.#move(call, [{ kind: "home" }]))],
        ["AbsoluteMove", forUser((call) => this.#absoluteMove(call))],
        ["ContinuousMove", forUser((call) => this.#move(call, continuousMove(call)))],
        ["RelativeMove", forUser((call) => this.#move(call, relativeMove(call)))],
        ["Stop", forUser((call) => this.#move(call, stopCommands(call)))],
        ["GetStatus", forUser((call) => this.#status(call))],
      ]),
    };
  }

  /** The configuration of a camera that the user may move, as an element with this name; else empty. */
  async configurationOf(name: string, { user }: UserCall, { camera }: Profile): Promise<string> {
    if (!this.#movable(user).includes(camera)) return "";
    const abilities = await this.#abilities(camera);
    return abilities === undefined || canMove(abilities) ? configuration(name, camera, abilities) : "";
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
    const nodes = await Promise.all(
      this.#movable(user).map(async (camera) => {
        const abilities = await this.#abilities(camera);
        return abilities === undefined || canMove(abilities) ? nodeXml(camera, user, abilities) : "";
      }),
    );
    return nodes.join("");
  }

  async #node({ user, content }: UserCall): Promise<string> {
    const token = content.text("NodeToken");
    const camera = this.#movable(user).find(({ id }) => TOKENS.ptzNode(id) === token);
    if (camera === undefined) throw invalidArgument("NoEntity", "there is no node with this token");
    return nodeXml(camera, user, await this.#abilities(camera));
  }

  async #configurations(user: OnvifUser): Promise<string> {
    const configurations = await Promise.all(
      this.#movable(user).map(async (camera) => {
        const abilities = await this.#abilities(camera);
        const isOne = abilities === undefined || canMove(abilities);
        return isOne ? configuration("tptz:PTZConfiguration", camera, abilities) : "";
      }),
    );
    return configurations.join("");
  }

  async #configuration(call: UserCall): Promise<string> {
    const camera = this.#configured(call);
    return configuration("tptz:PTZConfiguration", camera, await this.#abilities(camera));
  }

  /** The camera of the configuration that the request names. */
  #configured({ user, content }: UserCall): Camera {
    const token = content.text("PTZConfigurationToken") || content.text("ConfigurationToken");
    const camera = this.#movable(user).find(({ id }) => TOKENS.ptzConfiguration(id) === token);
    if (camera === undefined) throw invalidArgument("NoConfig", "there is no configuration with this token");
    return camera;
  }

  async #configurationOptions(call: UserCall): Promise<string> {
    return configurationOptions((await this.#abilities(this.#configured(call))) ?? NO_PTZ);
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
    return await this.#move(call, [{ kind: "preset", index: await this.#presetOf(call) }]);
  }

  /** The number of the preset that the request names. */
  async #presetOf(call: UserCall): Promise<number> {
    const token = call.content.text("PresetToken");
    const { presets } = await this.#options.ptz.capabilities(this.#camera(call).id);
    const preset = presets.slice(0, PRESETS_MAX).find(({ index }) => String(index) === token);
    if (preset === undefined) throw invalidArgument("NoToken", "there is no preset with this token");
    return preset.index;
  }

  /** The camera keeps its present position, as another preset or in place of one. */
  async #setPreset(call: UserCall): Promise<string> {
    const camera = this.#keeping(call);
    const name = presetName(call);
    const isNew = call.content.text("PresetToken") === "";
    const index = isNew ? undefined : await this.#presetOf(call);
    const { presets, presetsMax } = await this.#options.ptz.capabilities(camera.id);
    if (isNew && presetsMax === 0) throw actionNotSupported("the camera keeps no presets");
    if (isNew && presets.length >= PRESETS_MAX) throw tooManyPresets();
    const { presetIndex } = await this.#perform(call, { kind: "save-preset", index, name });
    this.#changed(call, camera, "SetPreset");
    if (presetIndex !== undefined) return textElement("tptz:PresetToken", presetIndex);
    throw new SoapFault(
      "Receiver",
      ["Action"],
      "the position is saved, and the camera does not say as which preset: see GetPresets",
    );
  }

  async #removePreset(call: UserCall): Promise<string> {
    const camera = this.#keeping(call);
    await this.#perform(call, { kind: "remove-preset", index: await this.#presetOf(call) });
    this.#changed(call, camera, "RemovePreset");
    return "";
  }

  /** Presets are everybody's: saved and removed are they by administrators, as over the API. */
  #keeping(call: UserCall): Camera {
    const camera = this.#camera(call);
    if (call.user.mayKeepPresets) return camera;
    throw new SoapFault(
      "Sender",
      ["NotAuthorized", "OperationProhibited"],
      "positions are saved and removed by administrators",
    );
  }

  #changed({ user }: UserCall, camera: Camera, operation: string): void {
    this.#known.delete(camera.id);
    const fields = { user: user.who.name, channel: camera.id, command: operation };
    this.#options.log.info(fields, "a position of a camera was changed");
  }

  async #absoluteMove(call: UserCall): Promise<string> {
    const camera = this.#camera(call);
    const target = positionTarget(call);
    const { absolutePanTilt, absoluteZoom } = await this.#options.ptz.capabilities(camera.id);
    if ((target.panTilt && !absolutePanTilt) || (target.zoom !== undefined && !absoluteZoom))
      throw actionNotSupported("the camera does not go to positions on these axes");
    return await this.#move(call, [{ kind: "position", target }]);
  }

  /** What the camera reports of it. */
  async #status(call: UserCall): Promise<string> {
    const position = await this.#options.ptz.position(this.#camera(call).id);
    return statusXml(position, new Date(this.#options.clock.nowUs() / US_PER_MS).toISOString());
  }

  async #move(call: UserCall, commands: readonly PtzCommand[]): Promise<string> {
    this.#camera(call);
    for (const command of commands) await this.#perform(call, command);
    return "";
  }

  async #perform(call: UserCall, command: PtzCommand): Promise<PtzDone> {
    const { user, signal } = call;
    const channelId = this.#camera(call).id;
    try {
      return await this.#options.ptz.perform({ channelId, command, user: user.who, signal });
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
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

  /** What the camera can, from what it said last; undefined while it never said it. */
  async #abilities({ id }: Camera): Promise<PtzCapabilities | undefined> {
    const { clock } = this.#options;
    const known = this.#known.get(id);
    if (known !== undefined && clock.monotonicUs() - known.atUs < ABILITIES_KEPT_MS * US_PER_MS)
      return known.abilities;
    // A camera that does not answer is no reason to hide the others.
    const before = known?.abilities;
    const answered = this.#ask(id).catch(() => before);
    return (await endsWithin(answered, { clock, ms: ABILITIES_MS_MAX })) ? await answered : before;
  }

  /** Asks the camera once for all who want to know it. */
  #ask(id: Guid): Promise<PtzCapabilities> {
    const { ptz, clock } = this.#options;
    const under = this.#asked.get(id);
    if (under !== undefined) return under;
    const asked = ptz
      .capabilities(id)
      .then((abilities) => {
        this.#known.set(id, { abilities, atUs: clock.monotonicUs() });
        return abilities;
      })
      .finally(() => this.#asked.delete(id));
    this.#asked.set(id, asked);
    return asked;
  }
}
