import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { errorText, type Log, type LogRing, NvrdError, SystemClock, startProgram } from "../base/index.js";
import { type ReportingService, Service } from "../service/index.js";
import type { Settings } from "../settings/index.js";
import { shownPassword } from "./demo.js";

/** Recorders of the demo: their folders below the data directory, and their names. */
const RECORDERS = [
  ["warehouse", "Warehouse"],
  ["harbour", "Harbour"],
] as const;
/** A recorder with its cameras has started by then, on a slow machine too. */
const START_MS_MAX = 120_000;
const ANSWER_MS_MAX = 30_000;
const STOP_MS_MAX = 20_000;
const OUTPUT_LENGTH_MAX = 65_536;
/** What a recorder of the demo says of itself; see `demo.ts`. */
const WELCOME = /^nvrd demo: open (http:\/\/[^/\s]+)\/ in a browser.*\n.*as root, (?:password (\S+))?/m;

const clock = new SystemClock();

interface FleetDemoOptions {
  readonly log: Log;
  readonly logLines: LogRing;
}

/** A recorder of the demo: `nvrd demo` in a process of its own. */
interface DemoRecorder {
  readonly process: ChildProcess;
  readonly origin: string;
  /** Undefined: it was changed. */
  readonly password: string | undefined;
}

/** Starts a hub, and two recorders with the built-in cameras that join it, and prints the addresses on standard output. */
export async function startFleetDemo(
  settings: Settings,
  { log, logLines }: FleetDemoOptions,
): Promise<ReportingService & Pick<Service, "site">> {
  const hubPort = settings.hubPort === 0 ? await freePort(settings.listen) : settings.hubPort;
  const own = { ...settings, hubPort, hubAddress: settings.hubAddress ?? `127.0.0.1:${hubPort}` };
  const service = new Service(own, log, {
    logLines,
    announce: () => undefined, // it is part of the welcome text
    keepsFirstPassword: true, // so that the welcome text is true at the next start too
  });
  const recorders: DemoRecorder[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(recorders.map(({ process: child }) => ended(child)));
    await service.stop();
  };
  try {
    await service.start();
    for (const [folder, name] of RECORDERS) {
      const recorder = await startRecorder(path.join(settings.dataDir, folder), settings.listen);
      recorders.push(recorder);
      await join(service, recorder, name);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  process.stdout.write(await welcome(service, recorders));
  return {
    failure: service.failure,
    restart: service.restart,
    site: service.site,
    get healthSummary() {
      return service.healthSummary;
    },
    stuckReason: () => service.stuckReason(),
    stop,
  };
}

/** A port that is free now. The kernel gives it to nobody else for a while. */
async function freePort(listen: string): Promise<number> {
  const server = createServer().listen(0, listen);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a listening server has no port");
  return address.port;
}

async function startRecorder(dataDir: string, listen: string): Promise<DemoRecorder> {
  const [, program = ""] = process.argv;
  const flags = ["--data", dataDir, "--listen", listen, "--https-port", "0", "--rtsp-port", "0"];
  // Ports that are in use are replaced; what is configured for the hub is not for them.
  const {
    NVRD_HUB_PORT: _port,
    NVRD_HUB_ADDRESS: _address,
    NVRD_HTTP_PORT: _http,
    ...environment
  } = process.env;
  const child = startProgram(process.execPath, [...process.execArgv, program, "demo", ...flags], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  try {
    const [, origin = "", password] = await said(child);
    return { process: child, origin, password };
  } catch (error) {
    await ended(child);
    throw error;
  }
}

/** Waits for the welcome of a recorder. Rejects with NvrdError NOT_AVAILABLE where none comes. */
async function said(child: ChildProcess): Promise<RegExpExecArray> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const fail = (why: string): void =>
      reject(new NvrdError("NOT_AVAILABLE", `a recorder of the demo does not start: ${why}`));
    const limit = clock.setTimeout(() => fail("it takes too long"), START_MS_MAX);
    child.once("error", (error) => fail(errorText(error)));
    child.once("exit", () => fail(text.trim().slice(-500) || "it has ended"));
    child.stdout?.on("data", (chunk: Buffer) => {
      text = (text + chunk.toString("utf8")).slice(-OUTPUT_LENGTH_MAX);
      const found = WELCOME.exec(text);
      if (found === null) return;
      limit.clear();
      resolve(found);
    });
  });
}

/** Has a recorder join the hub, unless it belongs to it since an earlier demo. */
async function join(service: Service, { origin, password }: DemoRecorder, name: string): Promise<void> {
  const { boxes } = service;
  if (boxes === undefined || password === undefined)
    throw new NvrdError("NOT_AVAILABLE", `${name} cannot join: the password of its root was changed`);
  const ask = (at: string, method: string, body?: object) => asked(origin, password, { at, method, body });
  if ((await ask("/api/hub", "GET")) !== null) return;
  await ask("/configure/server", "PUT", { Name: name });
  await ask("/api/hub", "POST", { Code: boxes.makeCode().code, Ceiling: "Operate" });
}

async function asked(
  origin: string,
  password: string,
  { at, method, body }: { readonly at: string; readonly method: string; readonly body: object | undefined },
): Promise<unknown> {
  const answer = await fetch(`${origin}${at}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`root:${password}`).toString("base64")}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const text = await answer.text();
  if (!answer.ok)
    throw new NvrdError(
      "NOT_AVAILABLE",
      `a recorder of the demo answers ${method} ${at} with: ${text.slice(0, 300)}`,
    );
  return text === "" ? undefined : JSON.parse(text);
}

/** Ends a process, by force if it does not end in time. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const end = once(child, "exit");
  child.kill("SIGTERM");
  const limit = clock.setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  await end;
  limit.clear();
}

async function welcome(service: Service, recorders: readonly DemoRecorder[]): Promise<string> {
  const { addresses } = service;
  const password = await shownPassword(addresses);
  const names = RECORDERS.map(([, name], at) => `${name} ${recorders[at]?.origin ?? ""}/`);
  return [
    "",
    `nvrd demo: open http://127.0.0.1:${addresses.httpPort}/ in a browser`,
    `  Log in         as root, ${password === undefined ? "with the password it has" : `password ${password}`}`,
    `  Recorders      ${names.join(", ")}: each with four cameras, connected to this hub`,
    "  Look at        Recorders, and at Live: the cameras of both on one wall",
    "  Stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}
