import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { BackgroundProcess } from "../service/background-process.js";

const FIREFOX = "/usr/bin/firefox-esr";

/** Why Firefox's tests cannot run here; undefined where they can. */
export const noFirefox = existsSync(FIREFOX) ? undefined : "firefox-esr";

const PROBE = "/visit/probe.js";
const RESULT = "/visit/result";
const RESULT_BYTES_MAX = 1024 * 1024;

/** Nothing of its own on the network, no questions at the first start, and pictures that begin to move by themselves. */
const PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "intl.accept_languages": "en-GB",
  "media.autoplay.default": 0,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "",
  "toolkit.telemetry.enabled": false,
};

/**
 * Opens the recorder's page in Firefox, which Playwright does not drive as Debian has it. The page comes through a proxy on
 * a port of its own that adds a script to it; the script's `report(value)` is what this resolves with.
 *
 * `script` is the body of an async function of the page.
 */
export async function visitWithFirefox<Result>(
  recorderPort: number,
  script: string,
  timeoutMs: number,
): Promise<Result> {
  const directory = new TemporaryDirectory("firefox");
  const profile = directory.join("profile");
  mkdirSync(profile, { recursive: true });
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(directory.join("profile", "user.js"), lines.join("\n"));
  const proxy = new ProbingProxy(recorderPort, script);
  const origin = await proxy.start();
  const args = ["--headless", "--no-remote", "--profile", profile, `${origin}/`];
  const firefox = new BackgroundProcess(FIREFOX, args, {
    env: { HOME: directory.path, MOZ_CRASHREPORTER_DISABLE: "1" },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(firefox.failure(`no report in ${timeoutMs} ms`)), timeoutMs);
    });
    return JSON.parse(await Promise.race([proxy.result, late])) as Result;
  } finally {
    clearTimeout(timer);
    await firefox.stop("SIGTERM");
    await proxy.stop();
    directory.remove();
  }
}

/** Passes everything to the recorder, but puts a script into its page and takes the script's report. */
class ProbingProxy {
  readonly result: Promise<string>;
  readonly #port: number;
  readonly #script: string;
  readonly #server: Server;
  #report: (text: string) => void = () => undefined;

  constructor(recorderPort: number, script: string) {
    this.#port = recorderPort;
    this.#script = script;
    this.result = new Promise((resolve) => {
      this.#report = resolve;
    });
    this.#server = createServer((from, to) => this.#answer(from, to));
    this.#server.on("upgrade", (from: IncomingMessage, socket, head) => {
      const upstream = connect(this.#port, "127.0.0.1", () => {
        const headers = from.rawHeaders.flatMap((text, at) =>
          at % 2 === 0 ? [`${text}: ${from.rawHeaders[at + 1]}`] : [],
        );
        upstream.write(`GET ${from.url} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(from: IncomingMessage, to: ServerResponse): void {
    if (from.url === RESULT) {
      this.#takeReport(from, to);
      return;
    }
    if (from.url === PROBE) {
      to.setHeader("Content-Type", "text/javascript");
      to.end(probe(this.#script));
      return;
    }
    const isPage = from.url === "/";
    const headers = isPage ? { ...from.headers, "accept-encoding": "identity" } : from.headers;
    const { method, url: path } = from;
    const passed = request({ host: "127.0.0.1", port: this.#port, method, path, headers }, (answer) => {
      if (isPage) void passWithProbe(answer, to);
      else answer.pipe(to.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    passed.on("error", () => to.destroy());
    to.on("close", () => passed.destroy());
    from.pipe(passed);
  }

  #takeReport(from: IncomingMessage, to: ServerResponse): void {
    let text = "";
    from.on("data", (chunk: Buffer) => {
      if (text.length < RESULT_BYTES_MAX) text += chunk.toString("utf8");
    });
    from.on("end", () => {
      to.end();
      this.#report(text);
    });
  }
}

async function passWithProbe(answer: IncomingMessage, to: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const html = Buffer.concat(chunks)
    .toString("utf8")
    .replace("</head>", `<script type="module" src="${PROBE}"></script></head>`);
  const { "content-length": _, ...headers } = answer.headers;
  to.writeHead(answer.statusCode ?? 502, headers);
  to.end(html);
}

/** What the page runs: helpers as a person would act, and the script; a fault of either is the report. */
function probe(script: string): string {
  return `
const report = (value) => fetch("${RESULT}", { method: "POST", body: JSON.stringify(value) });
const until = async (get) => {
  for (;;) {
    const found = get();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const fill = (input, value) => {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
};
const logIn = async (login, password) => {
  const form = await until(() => document.querySelector("form"));
  const [name, secret] = form.querySelectorAll("input");
  fill(name, login);
  fill(secret, password);
  form.querySelector("button[type=submit]").click();
  await until(() => document.querySelector("nav"));
};
try {
  ${script}
} catch (error) {
  report({ fault: String(error) });
}
`;
}
