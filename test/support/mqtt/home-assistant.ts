import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "../base/patience.js";
import { BackgroundProcess, freePorts } from "../service/background-process.js";

/** An entity as Home Assistant shows it to its owner. */
export interface EntityState {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const OWNER = { name: "Owner", username: "owner", password: "owner-secret-1", language: "en" };

/** A step of setting an integration up, as its owner would see it. */
export interface FlowStep {
  readonly flow_id: string;
  readonly type: "form" | "create_entry" | "abort";
  readonly step_id?: string;
  readonly title?: string;
  readonly reason?: string;
  readonly errors?: Readonly<Record<string, string>> | null;
  readonly data_schema?: readonly {
    readonly name: string;
    readonly options?: unknown;
    readonly default?: unknown;
  }[];
}

/** Home Assistant itself, with the integration MQTT where there is a broker. */
export class HomeAssistant {
  readonly #program: string;
  readonly #directory: string;
  readonly #port: number;
  #process: BackgroundProcess | undefined;
  #token = "";

  private constructor(program: string, directory: string, port: number) {
    this.#program = program;
    this.#directory = directory;
    this.#port = port;
  }

  /** @param program `hass`. */
  static async create(program: string, directory: string, brokerPort?: number): Promise<HomeAssistant> {
    const [port = 0] = await freePorts(1);
    mkdirSync(join(directory, ".storage"), { recursive: true });
    writeFileSync(
      join(directory, "configuration.yaml"),
      `http:\n  server_host: 127.0.0.1\n  server_port: ${port}\napi:\nconfig:\n`,
    );
    if (brokerPort !== undefined)
      writeFileSync(join(directory, ".storage", "core.config_entries"), JSON.stringify(entries(brokerPort)));
    return new HomeAssistant(program, directory, port);
  }

  async start(): Promise<void> {
    this.#process = new BackgroundProcess(this.#program, ["-c", this.#directory]);
    const deadline = performance.now() + 4 * PATIENCE_MS;
    while (!(await this.#answers())) {
      if (this.#process.exit !== undefined || performance.now() > deadline)
        throw this.#process.failure("Home Assistant does not start");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    if (this.#token === "") await this.#onboard();
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  get log(): string {
    return this.#process?.output ?? "";
  }

  async states(): Promise<readonly EntityState[]> {
    const answer = await this.#ask("/api/states");
    return (await answer.json()) as EntityState[];
  }

  /** The state of an entity; undefined: there is none. */
  async state(id: string): Promise<string | undefined> {
    return (await this.states()).find(({ entity_id }) => entity_id === id)?.state;
  }

  /** The picture of an image entity. */
  async picture(id: string): Promise<Buffer> {
    return Buffer.from(await (await this.#ask(`/api/image_proxy/${id}`)).arrayBuffer());
  }

  /** The still of a camera entity. */
  async still(id: string): Promise<Buffer> {
    return Buffer.from(await (await this.#ask(`/api/camera_proxy/${id}`)).arrayBuffer());
  }

  /** Begins to set an integration up. */
  async beginFlow(handler: string): Promise<FlowStep> {
    const body = JSON.stringify({ handler });
    return (await (
      await this.#ask("/api/config/config_entries/flow", { method: "POST", body })
    ).json()) as FlowStep;
  }

  /** Answers a step, and gets the next one. */
  async goOn({ flow_id }: FlowStep, answers: Readonly<Record<string, unknown>>): Promise<FlowStep> {
    const body = JSON.stringify(answers);
    const path = `/api/config/config_entries/flow/${flow_id}`;
    return (await (await this.#ask(path, { method: "POST", body })).json()) as FlowStep;
  }

  async call(
    domain: string,
    service: string,
    id: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const body = JSON.stringify({ entity_id: id, ...more });
    await this.#ask(`/api/services/${domain}/${service}`, { method: "POST", body });
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.#url}/api/onboarding`)).status < 500;
    } catch {
      return false; // not there yet
    }
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Makes the owner, as the first visit of the page does. */
  async #onboard(): Promise<void> {
    const client_id = `${this.#url}/`;
    const made = await fetch(`${this.#url}/api/onboarding/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...OWNER, client_id }),
    });
    const { auth_code } = (await made.json()) as { auth_code: string };
    const form = new URLSearchParams({ client_id, grant_type: "authorization_code", code: auth_code });
    const answer = await fetch(`${this.#url}/auth/token`, { method: "POST", body: form });
    this.#token = ((await answer.json()) as { access_token: string }).access_token;
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const answer = await fetch(`${this.#url}${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

/** What the page of Home Assistant would keep after its owner has added the integration MQTT. */
function entries(brokerPort: number) {
  const entry = {
    created_at: "2026-01-01T00:00:00.000000+00:00",
    data: { broker: "127.0.0.1", port: brokerPort },
    disabled_by: null,
    discovery_keys: {},
    domain: "mqtt",
    entry_id: "0123456789abcdef0123456789abcdef",
    minor_version: 2,
    modified_at: "2026-01-01T00:00:00.000000+00:00",
    options: { discovery: true, discovery_prefix: "homeassistant" },
    pref_disable_new_entities: false,
    pref_disable_polling: false,
    source: "user",
    subentries: [],
    title: "127.0.0.1",
    unique_id: null,
    version: 1,
  };
  return { version: 1, minor_version: 5, key: "core.config_entries", data: { entries: [entry] } };
}
