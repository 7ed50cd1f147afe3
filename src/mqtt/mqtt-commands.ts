import type { ScenarioControl } from "../alarm/scenario/index.js";
import {
  type Clock,
  endsWithin,
  errorText,
  formatIsoTime,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
} from "../base/index.js";
import type { Ptz } from "../camera/index.js";
import type { ManualRequest } from "../recording/index.js";
import type { Camera } from "../site/index.js";
import type { MqttActor } from "./mqtt-actor.js";
import { type MqttCommand, readCommand } from "./mqtt-command.js";
import type { CommandKind, CommandTopic } from "./mqtt-topics.js";

/** Commands that wait for the one that is carried out. */
export const WAITING_COMMANDS_MAX = 16;
/** So many commands may come at once, and so many a second for long. */
export const COMMANDS_AT_ONCE_MAX = 20;
export const COMMANDS_PER_SECOND = 5;
/** A camera may be slow; nobody waits for longer. */
const COMMAND_TIMEOUT_MS = 15_000;

/** What became of a command; the event log keeps it. */
export interface CommandOutcome {
  readonly kind: CommandKind;
  /** What was asked for; empty where it could not be read. */
  readonly value: string;
  /** The channel, if there is one that the user may see. */
  readonly camera: Camera | undefined;
  readonly actor: MqttActor;
  /** Undefined: it was carried out. */
  readonly refusal: NvrdError | undefined;
}

export interface MqttCommandsOptions {
  readonly actor: () => MqttActor;
  readonly camera: (id: Guid) => Camera | undefined;
  readonly recording: { switchManually(request: ManualRequest): Promise<boolean> };
  readonly ptz: Pick<Ptz, "perform">;
  readonly scenarios: Pick<ScenarioControl, "run">;
  readonly clock: Clock;
  readonly log: Log;
  onOutcome(outcome: CommandOutcome): void;
  answer(topic: CommandTopic, text: string): void;
}

/** Commands from the broker: checked, carried out one after the other, answered. */
export class MqttCommands {
  readonly #options: MqttCommandsOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isWorking = false;
  #tokens = COMMANDS_AT_ONCE_MAX;
  #refilledUs: number;
  #isFlooded = false;
  #done = 0;
  #refused = 0;

  constructor(options: MqttCommandsOptions) {
    this.#options = options;
    this.#refilledUs = options.clock.monotonicUs();
  }

  get counts(): { readonly done: number; readonly refused: number } {
    return { done: this.#done, refused: this.#refused };
  }

  receive(topic: CommandTopic, payload: Uint8Array, isRetained: boolean): void {
    if (!this.#takeToken() || this.#waiting.length >= WAITING_COMMANDS_MAX) {
      this.#refused += 1;
      // One answer and one line for a whole flood.
      if (!this.#isFlooded) this.#logFlood(topic);
      this.#isFlooded = true;
      return;
    }
    this.#isFlooded = false;
    this.#waiting.push(() => this.#carryOut(topic, payload, isRetained));
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await next();
    this.#isWorking = false;
  }

  /** Never rejects. */
  async #carryOut(topic: CommandTopic, payload: Uint8Array, isRetained: boolean): Promise<void> {
    const { actor: presentActor, camera: cameraOf } = this.#options;
    const actor = presentActor();
    const id = parseGuid(topic.id);
    const isOfChannel = topic.kind !== "scenario" && id !== undefined && actor.maySee(id);
    const camera = isOfChannel ? cameraOf(id) : undefined;
    let command: MqttCommand = { value: "", id: null, isConfirmed: false };
    try {
      command = readCommand(payload);
      if (isRetained)
        throw new NvrdError("BAD_REQUEST", "a retained command is not carried out", {
          hint: "publish it without the flag retain",
        });
      if (topic.kind === "scenario") await this.#runScenario(topic.id, command, actor);
      else await this.#perform(topic.kind, command.value, { actor, camera });
      this.#done += 1;
      this.#log(topic, command, {
        kind: topic.kind,
        value: command.value,
        camera,
        actor,
        refusal: undefined,
      });
    } catch (error) {
      this.#refused += 1;
      const refusal = error instanceof NvrdError ? error : new NvrdError("INTERNAL", errorText(error));
      this.#log(topic, command, { kind: topic.kind, value: command.value, camera, actor, refusal });
    }
  }

  async #perform(
    kind: Exclude<CommandKind, "scenario">,
    value: string,
    { actor, camera }: { readonly actor: MqttActor; readonly camera: Camera | undefined },
  ): Promise<void> {
    const user = userOf(actor);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", "there is no such channel");
    if (kind === "recording") {
      if (!actor.maySwitchRecording)
        throw new NvrdError("FORBIDDEN", `${user.name} may not switch recordings (right CanManageRec)`);
      const on = switchOf(value);
      const { recording } = this.#options;
      await recording.switchManually({ channelId: camera.id, on, userId: user.id, userName: user.name });
      return;
    }
    if (!actor.mayMove) throw new NvrdError("FORBIDDEN", `${user.name} may not move cameras (right CanPTZ)`);
    if (!actor.mayWatch(camera.id))
      throw new NvrdError("FORBIDDEN", `${user.name} may not watch channel ${camera.name} in real time`);
    const command = { kind: "preset", index: presetOf(value) } as const;
    const signal = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
    await this.#options.ptz.perform({ channelId: camera.id, command, user, signal });
  }

  /** The value is `RUN`, or the channel for which it runs. The events say which actions failed. */
  async #runScenario(scenario: string, { value, isConfirmed }: MqttCommand, actor: MqttActor): Promise<void> {
    const user = userOf(actor);
    if (!actor.mayRunScenarios)
      throw new NvrdError("FORBIDDEN", `${user.name} may not run scenarios (right CanRunUserScenarios)`);
    const scenarioId = parseGuid(scenario);
    if (scenarioId === undefined) throw new NvrdError("NOT_FOUND", "there is no such scenario");
    const channelId = value === "RUN" ? undefined : parseGuid(value);
    if (value !== "RUN" && channelId === undefined)
      throw new NvrdError("BAD_REQUEST", "a scenario's command is RUN or a channel's id", { hint: "" });
    const running = this.#options.scenarios.run({
      ...{ scenarioId, channelId, isConfirmed },
      user: { ...user, maySee: (id) => actor.maySee(id) },
    });
    await endsWithin(running, { clock: this.#options.clock, ms: COMMAND_TIMEOUT_MS });
  }

  #log(topic: CommandTopic, { id, value }: MqttCommand, outcome: CommandOutcome): void {
    const { onOutcome, answer, clock, log } = this.#options;
    const { refusal, camera, actor, kind } = outcome;
    const fields = { user: actor.user?.name, channel: camera?.id, kind, value, refusal: refusal?.message };
    log.info(fields, "a command over MQTT");
    onOutcome(outcome);
    answer(topic, answerText({ id, value, refusal, timeUs: clock.nowUs() }));
  }

  #logFlood(topic: CommandTopic): void {
    const { answer, clock, log } = this.#options;
    const refusal = new NvrdError("TOO_MANY_REQUESTS", "too many commands: further ones are not carried out");
    log.warn("too many commands over MQTT: further ones are refused");
    answer(topic, answerText({ id: null, value: "", refusal, timeUs: clock.nowUs() }));
  }

  #takeToken(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    const earned = ((nowUs - this.#refilledUs) / 1_000_000) * COMMANDS_PER_SECOND;
    this.#tokens = Math.min(COMMANDS_AT_ONCE_MAX, this.#tokens + earned);
    this.#refilledUs = nowUs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

function userOf({ user, refusal }: MqttActor): NonNullable<MqttActor["user"]> {
  if (user !== undefined) return user;
  throw new NvrdError("FORBIDDEN", refusal, { hint: "see the setting mqttUser" });
}

function switchOf(value: string): boolean {
  if (value === "ON" || value === "OFF") return value === "ON";
  throw new NvrdError("BAD_REQUEST", "the recording's switch is ON or OFF", { hint: "" });
}

function presetOf(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new NvrdError("BAD_REQUEST", "a preset is its number", { hint: "see the channel's presets" });
}

interface Answer {
  readonly id: string | null;
  readonly value: string;
  readonly refusal: NvrdError | undefined;
  readonly timeUs: number;
}

/** The answer to a command. */
export function answerText({ id, value, refusal, timeUs }: Answer): string {
  const error =
    refusal === undefined ? null : { Code: refusal.code, Text: refusal.message, Hint: refusal.hint };
  return JSON.stringify({
    Id: id,
    Value: value,
    Ok: refusal === undefined,
    Error: error,
    Time: formatIsoTime(timeUs),
  });
}
