import {
  type Clock,
  type ClockKnowledge,
  type ClockTimer,
  EMPTY_GUID,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  withAnyOf,
} from "../../base/index.js";
import type { Announcements, Ptz, Relays } from "../../camera/index.js";
import {
  EVENT_TYPES,
  type EventInput,
  type EventLog,
  type EventRecord,
  type EventSubscription,
} from "../../event/index.js";
import { localClock } from "../../recording/index.js";
import type { Site, SiteStore, UserScenario } from "../../site/index.js";
import { initiatorOf, ScenarioActions, type ScenarioRecording } from "./scenario-actions.js";
import {
  type ActionResult,
  RUN_MS_MAX,
  RUNS_AT_ONCE_MAX,
  type RunRequest,
  SCENARIO_DEPTH_MAX,
  type ScenarioControl,
  type ScenarioRun,
} from "./scenario-run.js";
import { minuteOfWeek, minuteText, ScenarioStarts } from "./scenario-starts.js";
import { EVENT_STARTS_PER_MINUTE_MAX, StartRate } from "./start-rate.js";

/** How often the clock is read for starts by time. */
const LOOK_MS = 5_000;

interface ScenariosOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly recording: ScenarioRecording;
  readonly ptz: Pick<Ptz, "perform">;
  readonly relays: Pick<Relays, "switch">;
  readonly announcements: Pick<Announcements, "play">;
  readonly events: Pick<EventLog, "onEvent" | "raise">;
  readonly clock: Clock;
  readonly knowledge: ClockKnowledge;
  /** IANA time zone of the starts by time; default: this machine's. */
  readonly zone?: string;
  readonly log: Log;
}

type Start = Pick<ScenarioRun, "scenario" | "initiator" | "cause" | "user" | "channelId" | "depth">;

interface Running {
  run: ScenarioRun;
  ended: Promise<void> | undefined;
}

/** Runs the scenarios of the configuration: started by users, by events and by times. */
export class Scenarios implements ScenarioControl {
  readonly #options: ScenariosOptions;
  readonly #log: Log;
  readonly #actions: ScenarioActions;
  readonly #rate: StartRate;
  readonly #local: ReturnType<typeof localClock>;
  readonly #running = new Map<Guid, Running>();
  readonly #lastRuns = new Map<Guid, ScenarioRun>();
  readonly #stopping = new AbortController();
  #starts: ScenarioStarts;
  /** The depth of the run that raises an event at this moment; 0: none does. */
  #raisingDepth = 0;
  #lastMinute: number | undefined;
  #subscription: EventSubscription | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: ScenariosOptions) {
    this.#options = options;
    const { clock, site, zone } = options;
    this.#log = options.log.child({ part: "scenarios" });
    this.#actions = new ScenarioActions({
      ...options,
      events: { raise: (input) => this.#raise(input, this.#depthOf(input)) },
    });
    this.#rate = new StartRate(clock);
    this.#local = localClock(zone);
    this.#starts = new ScenarioStarts(site.current);
    site.onChange("scenarios", (changed) => this.#follow(changed));
  }

  start(): void {
    const { events, site } = this.#options;
    this.#follow(site.current);
    this.#subscription = events.onEvent((event) => this.#onEvent(event));
  }

  /** What runs is given up. */
  async stop(): Promise<void> {
    this.#subscription?.close();
    this.#timer?.clear();
    this.#timer = undefined;
    this.#stopping.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  runOf(scenarioId: Guid): ScenarioRun | undefined {
    return this.#running.get(scenarioId)?.run ?? this.#lastRuns.get(scenarioId);
  }

  isOffered({ channelIds }: UserScenario, maySee: (channelId: Guid) => boolean): boolean {
    return channelIds.length === 0 || channelIds.some(maySee);
  }

  async run({ scenarioId, channelId, isConfirmed, user }: RunRequest): Promise<ScenarioRun> {
    const { site } = this.#options;
    const scenario = site.current.userScenarios.find(({ id }) => id === scenarioId);
    if (scenario === undefined || !this.isOffered(scenario, (id) => user.maySee(id)))
      throw new NvrdError("NOT_FOUND", `there is no scenario ${scenarioId}`, {
        hint: "see GET /api/scenarios",
      });
    if (channelId !== undefined) this.#requireChannel(scenario, channelId, user);
    if (scenario.needConfirmation && !isConfirmed)
      throw new NvrdError("CONFLICT", `the scenario ${scenario.name} must be confirmed`, {
        hint: "ask the person, then send the request again with Confirmed: true (confirmed=true in a query)",
      });
    const refusal = this.#refusal(scenario);
    if (refusal !== undefined) throw refusal;
    const { id, name, priority } = user;
    const by = { id, name, priority };
    const running = this.#begin({ scenario, initiator: 3, cause: name, user: by, channelId, depth: 1 });
    await running.ended;
    return running.run;
  }

  #requireChannel({ name, channelIds }: UserScenario, channelId: Guid, user: RunRequest["user"]): void {
    const isThere = this.#options.site.current.cameras.some(({ id }) => id === channelId);
    if (!isThere || !user.maySee(channelId))
      throw new NvrdError("NOT_FOUND", `there is no channel ${channelId}`);
    if (channelIds.length > 0 && !channelIds.includes(channelId))
      throw new NvrdError("NOT_FOUND", `the scenario ${name} is not offered for the channel ${channelId}`, {
        hint: "its ChannelIds are in GET /api/scenarios",
      });
  }

  #refusal({ id, name }: UserScenario): NvrdError | undefined {
    if (this.#stopping.signal.aborted) return new NvrdError("NOT_AVAILABLE", "the recorder is being stopped");
    if (this.#running.has(id))
      return new NvrdError("CONFLICT", `the scenario ${name} is running`, {
        hint: "wait until it has ended",
      });
    if (this.#running.size < RUNS_AT_ONCE_MAX) return undefined;
    return new NvrdError("TOO_MANY_REQUESTS", `${RUNS_AT_ONCE_MAX} scenarios are running`, {
      retryAfterMs: LOOK_MS,
    });
  }

  #begin(start: Start): Running {
    const startedUs = this.#options.clock.nowUs();
    const running: Running = {
      run: { ...start, startedUs, endedUs: undefined, results: [] },
      ended: undefined,
    };
    this.#running.set(start.scenario.id, running);
    running.ended = this.#perform(running);
    return running;
  }

  /** Never rejects. */
  async #perform(running: Running): Promise<void> {
    const { clock } = this.#options;
    const { scenario } = running.run;
    const timeout = new AbortController();
    const timer = clock.setTimeout(() => timeout.abort(), RUN_MS_MAX);
    try {
      this.#reportStart(running.run);
      await withAnyOf([timeout.signal, this.#stopping.signal], (signal) => this.#performAll(running, signal));
    } catch (error) {
      this.#log.error({ scenario: scenario.id, error: errorText(error) }, "a scenario failed");
    } finally {
      timer.clear();
      this.#running.delete(scenario.id);
      running.run = { ...running.run, endedUs: clock.nowUs() };
      this.#lastRuns.set(scenario.id, running.run);
      this.#reportEnd(running.run);
    }
  }

  async #performAll(running: Running, signal: AbortSignal): Promise<void> {
    for (const action of running.run.scenario.actions ?? []) {
      const results = signal.aborted
        ? [{ action, channelId: undefined, problem: "the run took too long, or the recorder was stopped" }]
        : await this.#actions.perform(running.run, action, signal);
      running.run = { ...running.run, results: [...running.run.results, ...results] };
      for (const result of results) this.#reportFailure(running.run, result);
    }
  }

  #onEvent(event: EventRecord): void {
    if (event.typeId === EVENT_TYPES.keepAlive.id) return;
    const scenarios = this.#starts.ofEvent(event);
    if (scenarios.length === 0) return;
    const depth = this.#depthOf(event) + 1;
    // That it went too deep was reported; its own event is not reported again.
    if (depth > SCENARIO_DEPTH_MAX + 1) return;
    const channelId = event.channelId === EMPTY_GUID ? undefined : event.channelId;
    const cause = event.description;
    for (const scenario of scenarios)
      this.#startByItself({ scenario, initiator: 2, cause, user: undefined, channelId, depth });
  }

  #startByItself(start: Start): void {
    const { scenario, depth } = start;
    // A run that goes on does all that another one would.
    if (this.#running.has(scenario.id)) return;
    if (depth > SCENARIO_DEPTH_MAX) {
      this.#leaveOut(
        start,
        `it would be the ${depth}th in a row that scenarios start: at most ${SCENARIO_DEPTH_MAX} are`,
      );
      return;
    }
    const taken = start.initiator === 2 ? this.#rate.take(scenario.id) : "taken";
    if (taken === "refused-first")
      this.#leaveOut(start, `events start it more than ${EVENT_STARTS_PER_MINUTE_MAX} times a minute`);
    if (taken !== "taken") return;
    const refusal = this.#refusal(scenario);
    if (refusal === undefined) void this.#begin(start).ended;
    else if (!this.#stopping.signal.aborted) this.#leaveOut(start, refusal.message);
  }

  #leaveOut({ scenario, cause, channelId, depth, initiator }: Start, why: string): void {
    this.#log.warn({ scenario: scenario.id, cause, why }, "a scenario is not started");
    this.#raise(
      {
        typeId: EVENT_TYPES.scenarioFailed.id,
        comment: `${scenario.name}: not started: ${why}`,
        ...this.#about(channelId),
        initiator: { type: initiator, id: scenario.id, name: scenario.name },
      },
      depth,
    );
  }

  #reportStart(run: ScenarioRun): void {
    const { scenario, user, cause, channelId } = run;
    this.#log.info({ scenario: scenario.id, cause, channel: channelId }, "a scenario starts");
    const comment = user === undefined ? `${scenario.name}: ${cause}` : scenario.name;
    const initiator =
      user === undefined ? initiatorOf(run) : ({ type: 1, id: user.id, name: user.name } as const);
    this.#raise(
      { typeId: EVENT_TYPES.scenarioStarted.id, comment, ...this.#about(channelId), initiator },
      run.depth,
    );
  }

  #reportFailure(run: ScenarioRun, { action, channelId, problem }: ActionResult): void {
    if (problem === undefined) return;
    const { scenario } = run;
    this.#log.warn(
      { scenario: scenario.id, action: action.kind, channel: channelId, problem },
      "an action failed",
    );
    const comment = `${scenario.name}: ${action.kind}: ${problem}`;
    const about = this.#about(channelId ?? action.channelId ?? run.channelId);
    this.#raise(
      { typeId: EVENT_TYPES.scenarioFailed.id, comment, ...about, initiator: initiatorOf(run) },
      run.depth,
    );
  }

  #reportEnd(run: ScenarioRun): void {
    const { scenario, results, channelId, depth } = run;
    const failed = results.filter(({ problem }) => problem !== undefined).length;
    const comment = failed === 0 ? scenario.name : `${scenario.name}: ${failed} of ${results.length} failed`;
    this.#raise(
      {
        typeId: EVENT_TYPES.scenarioEnded.id,
        comment,
        ...this.#about(channelId),
        initiator: initiatorOf(run),
      },
      depth,
    );
  }

  #about(channelId: Guid | undefined): Pick<EventInput, "channelId" | "channelName"> {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    return camera === undefined ? {} : { channelId: camera.id, channelName: camera.name };
  }

  /** Raises an event of a run, so that what it starts counts as one deeper. */
  #raise(input: EventInput, depth: number): EventRecord {
    const before = this.#raisingDepth;
    this.#raisingDepth = depth;
    try {
      return this.#options.events.raise(input);
    } finally {
      this.#raisingDepth = before;
    }
  }

  /** How deep an event lies: that of the run that raises it, or of the scenario that another part names as its initiator. */
  #depthOf({ initiator }: Pick<EventInput, "initiator">): number {
    if (this.#raisingDepth > 0) return this.#raisingDepth;
    const type = initiator?.type;
    if (initiator === undefined || (type !== 2 && type !== 3 && type !== 4)) return 0;
    return this.runOf(initiator.id)?.depth ?? 0;
  }

  #follow(site: Site): void {
    this.#starts = new ScenarioStarts(site);
    const known = new Set(site.userScenarios.map(({ id }) => id));
    for (const id of this.#lastRuns.keys()) if (!known.has(id)) this.#lastRuns.delete(id);
    this.#rate.retain((id) => known.has(id));
    const { hasTimes } = this.#starts;
    if (hasTimes && this.#timer === undefined && !this.#stopping.signal.aborted) {
      this.#lastMinute = this.#now()?.minute;
      this.#timer = this.#options.clock.setInterval(() => this.#look(), LOOK_MS);
    } else if (!hasTimes) {
      this.#timer?.clear();
      this.#timer = undefined;
    }
  }

  /** Starts what the local minute starts, once. Minutes that were left out, such as those of a step of the clock, start nothing. */
  #look(): void {
    const now = this.#now();
    if (now === undefined || now.minute === this.#lastMinute) return;
    this.#lastMinute = now.minute;
    for (const scenario of this.#starts.ofMinute(now.minute))
      this.#startByItself({
        ...{ scenario, initiator: 4, cause: now.text },
        ...{ user: undefined, channelId: undefined, depth: 1 },
      });
  }

  #now(): { readonly minute: number; readonly text: string } | undefined {
    const { clock, knowledge } = this.#options;
    if (!knowledge.isKnown) return undefined;
    const { day, minute } = this.#local(clock.nowUs());
    return { minute: minuteOfWeek(day, minute), text: minuteText(day, minute) };
  }
}
