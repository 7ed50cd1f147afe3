// Own network: it makes interfaces.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RouteTable } from "../../../src/route/endpoint/route-table.js";
import { type ApiNeeds, ROUTES } from "../../../src/service/api/routes.js";
import { type PageCommand, pageCommands } from "../../support/api/curl-lines.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { inNamespace, NetworkLan } from "../../support/camera/network-lan.js";
import { Authority } from "../../support/http/authority.js";
import { Service } from "../../support/service/service.js";

const run = promisify(execFile);
const TABLE = new RouteTable<ApiNeeds>(ROUTES);
const commands = pageCommands(await readFile(new URL("../../../docs/ref/api.md", import.meta.url), "utf8"));

/** As the page's first lines have them: they are run as they are printed. */
const PASSWORD = "your password";
const STORE_HOST = "s3.example";
const [HTTP_PORT, HTTPS_PORT] = [8080, 18_080];
/** What the page's reader brings: a bundle, and sound. */
const WAV = Buffer.concat([
  // A tenth of a second of 8 kHz, 8 bits.
  Buffer.from(
    "RIFF\x44\x03\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\x03\0\0",
    "latin1",
  ),
  Buffer.alloc(800, 128),
]);
/** The first camera must have been recorded for so long. */
const RECORDED_SECONDS = 5;
/** Of one answer. */
const ANSWER_SECONDS = 60;

/** An answer that a command got. */
interface Answered {
  readonly method: string;
  readonly status: number;
  readonly type: string;
  readonly url: URL;
}

const missing = NetworkLan.missing();
const directory = new TemporaryDirectory("docs-curl");
let lan: NetworkLan | undefined;
let store: ScriptedStore | undefined;
let namespace = "";
let service: Service | undefined;
let answers: ReadonlyMap<number, readonly Answered[]> = new Map();

/** What any route may answer (`docs/ref/api.md#errors`), and none describes again. */
const ANY_ROUTE = 503;

/** In a network with the page's object storage and nobody else: no other example reaches a machine of that address. */
async function inside(script: string): Promise<string> {
  const shell = inNamespace(namespace, ["bash", "--norc", "-c", script]);
  const { stdout } = await run("nsenter", shell, { cwd: directory.path, timeout: PATIENCE_MS });
  return stdout;
}

/** As the page has it: `s3.example`, with a bucket that was created with object lock, and a certificate that the recorder trusts. */
async function startStore(at: string): Promise<void> {
  const authority = await Authority.make("ca");
  store = new ScriptedStore(await authority.issue(STORE_HOST, { host: STORE_HOST }));
  store.hasLock = true;
  await store.start(443, at);
  await writeFile(directory.join("ca.pem"), authority.cert);
  await writeFile(directory.join("hosts"), `127.0.0.1 localhost\n${at} ${STORE_HOST}\n`);
}

/** The recorder's own view of the machine's names. */
function withHosts(command: string, args: readonly string[]): readonly [string, readonly string[]] {
  const script = 'mount --bind "$0" /etc/hosts && exec "$@"';
  const inner = ["unshare", "--mount", "sh", "-c", script, directory.join("hosts"), command, ...args];
  return ["nsenter", inNamespace(namespace, inner)];
}

/** Notes of each request by whom it was sent and what came; its output is the page's. */
const CURL = `curl() {
  command curl --max-time ${ANSWER_SECONDS} -w "%{stderr}\\n@ $UNIT %{method} %{http_code} %{url} %{content_type}\\n" "$@" 2>>requests
}`;

/** All commands in one shell, in order, whatever becomes of each. What it prints is kept for who looks for a fault. */
function scriptOf(list: readonly PageCommand[]): string {
  const lines = list.flatMap(({ text }, unit) => {
    const isWaiting = text.startsWith("until ");
    return [`UNIT=${isWaiting ? "wait" : unit}`, `{ ${text}\n} >printed-${unit} 2>errors-${unit} </dev/null`];
  });
  return [CURL, ...lines].join("\n");
}

function answersIn(requests: string): Map<number, Answered[]> {
  const found = new Map<number, Answered[]>();
  for (const [, unit, method = "", status, url = "", type = ""] of requests.matchAll(
    /^@ (\d+) (\S+) (\d{3}) (\S+) ?(\S*).*$/gm,
  )) {
    const of = found.get(Number(unit)) ?? [];
    found.set(Number(unit), [...of, { method, status: Number(status), type, url: new URL(url) }]);
  }
  return found;
}

/** Waits until the first camera is being recorded. */
async function firstRecorded(): Promise<void> {
  const preamble = commands.filter(({ heading }) => heading === "The HTTP API").map(({ text }) => text);
  const script = `${preamble.join("\n")}\ncommand curl -fsSu "$AUTH" "$FRAGMENTS&fromtime=$SINCE&totime=$TO"`;
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const text = await inside(script).catch((error: Error) => error.message);
    const [, from, to] = /"FromTime":"([^"]*)","ToTime":"([^"]*)"/.exec(text) ?? [];
    if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) > RECORDED_SECONDS * 1000)
      return;
    if (performance.now() > deadline || service?.process.exit !== undefined)
      throw new Error(`no camera was recorded: ${text}\n${service?.log}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe.skipIf(missing !== undefined)(`curl commands of docs/ref/api.md${notHere(missing)}`, () => {
  beforeAll(async () => {
    lan = new NetworkLan();
    namespace = lan.host(2);
    await startStore(lan.plain(1));
    for (const [name, content] of [
      ["nvrd.raucb", "bundle"],
      ["speech.ul", Buffer.alloc(800, 0x55)],
      ["announcement.wav", WAV],
    ] as const)
      await writeFile(directory.join(name), content);
    service = await Service.launch({
      dataDir: directory.join("data"),
      command: "demo",
      httpPort: HTTP_PORT,
      httpsPort: HTTPS_PORT,
      env: { NVRD_ROOT_PASSWORD: PASSWORD, NODE_EXTRA_CA_CERTS: directory.join("ca.pem") },
      group: { command: withHosts },
    });
    await firstRecorded();
    await inside(scriptOf(commands));
    answers = answersIn(await readFile(directory.join("requests"), "utf8"));
  });

  afterAll(async () => {
    await service?.stop();
    store?.stop();
    await lan?.close();
    directory.remove();
  });

  const sending = commands.map((command, unit) => ({ ...command, unit })).filter(isJudged);

  it.each(sending.map((command) => [`${command.heading}: ${command.text}`, command] as const))(
    "%s",
    async (_title, { unit, absentStatus }) => {
      const got = answers.get(unit) ?? [];
      const said = await readFile(directory.join(`printed-${unit}`), "latin1").catch(() => "");
      expect(got, said.slice(0, 1000)).not.toEqual([]);
      for (const answer of got)
        expect(describedAs(answer), said.slice(0, 1000)).toEqual(wanted(answer, absentStatus));
    },
  );

  it.each(
    sending.flatMap((command) =>
      command.absentStatus === undefined ? [] : [[command.text, command] as const],
    ),
  )("say only what the route describes: %s", (_title, { unit, absentStatus = 0 }) => {
    for (const { method, url } of answers.get(unit) ?? []) {
      const { errors = {} } = TABLE.match(method, url.pathname)?.route?.describe ?? {};
      expect([ANY_ROUTE, ...Object.keys(errors).map(Number)]).toContain(absentStatus);
    }
  });

  it("try every route of the service", () => {
    const tried = new Set([...answers.values()].flat().map((answer) => titleOf(answer)));
    const titles = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(titles.filter((title) => !tried.has(title))).toEqual([]);
  });
});

function isJudged({ text }: PageCommand): boolean {
  return /\bcurl\b/.test(text) && !text.startsWith("until ");
}

function titleOf({ method, url }: Answered): string | undefined {
  const route = TABLE.match(method, url.pathname)?.route;
  return route === undefined ? undefined : `${route.method} ${route.path}`;
}

interface Judged {
  readonly request: string;
  readonly status: number;
  /** Of a good answer. */
  readonly type?: string | undefined;
}

function describedAs({ method, status, type, url }: Answered): Judged {
  const request = `${method} ${url.pathname}`;
  return status < 200 || status >= 300 ? { request, status } : { request, status, type: type.split(";")[0] };
}

/** What the description of the route promises, or the comment above the command where the recorder has no such thing. */
function wanted(answer: Answered, absentStatus: number | undefined): Judged {
  const { method, type, url } = answer;
  const request = `${method} ${url.pathname}`;
  if (absentStatus !== undefined) return { request, status: absentStatus };
  if (method === "OPTIONS") return { request, status: 200, type: "" };
  const described = TABLE.match(method === "HEAD" ? "GET" : method, url.pathname)?.route?.describe.answer;
  const { status = 200, content = {} } = described ?? {};
  if (status < 200 || status >= 300) return { request, status };
  const types = Object.keys(content).map((name) => name.split(";")[0] ?? "");
  const had = type.split(";")[0] ?? "";
  return { request, status, type: types.includes(had) ? had : types.join(" or ") };
}
