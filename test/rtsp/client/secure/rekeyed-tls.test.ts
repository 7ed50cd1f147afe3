import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../support/base/temporary-directory.js";
import { until } from "../../../support/base/until.js";
import { selfSigned } from "../../../support/http/odd-certificates.js";
import { cameraAnswers, keyFrames, ScriptedRtspServer } from "../../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../../support/rtsp/source-harness.js";

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const REQUEST = /[A-Z_]+ rtsps?:\S+ RTSP\/1\.0\r\n(?:[^\r]+\r\n)*\r\n/;

/** `openssl s_server` before a plain port: of all servers it renews its keys when it is told to, by a line on its input. */
class CommandedTls {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #plain: Socket;
  #text = "";
  #said = "";

  private constructor(child: ChildProcessWithoutNullStreams, plain: Socket) {
    this.#child = child;
    this.#plain = plain;
    for (const output of [child.stdout, child.stderr])
      output.on("data", (data: Buffer) => this.#read(data.toString("latin1")));
    plain.on("data", (data) => this.#write(data));
  }

  static async start(plainPort: number, version: string): Promise<CommandedTls> {
    const directory = await temporaryDirectory();
    const { key, cert } = selfSigned(directory, ["-newkey", "rsa:2048"]);
    const file = join(directory, "both.pem");
    writeFileSync(file, key + cert);
    const own = ["-msg", "-accept", "127.0.0.1:0", version, "-key", file, "-cert", file];
    const made = new CommandedTls(spawn("openssl", ["s_server", ...own]), connect(plainPort, "127.0.0.1"));
    open.push(made);
    await until("it listens", () => made.port > 0);
    return made;
  }

  get port(): number {
    return Number(/ACCEPT 127\.0\.0\.1:(\d+)/.exec(this.#said)?.[1] ?? 0);
  }

  /** All that it has said. */
  get said(): string {
    return this.#said;
  }

  command(letter: string): void {
    this.#child.stdin.write(`${letter}\n`);
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    this.#plain.destroy();
    await exit;
  }

  /** What begins with a letter is a command: an empty line before it, which RTSP allows, makes it data. */
  #write(data: Buffer): void {
    this.#child.stdin.write(data[0] === 0x24 ? data : Buffer.concat([Buffer.from("\r\n"), data]));
  }

  #read(text: string): void {
    this.#said += text;
    this.#text += text;
    for (let found = REQUEST.exec(this.#text); found !== null; found = REQUEST.exec(this.#text)) {
      this.#text = this.#text.slice(found.index + found[0].length);
      this.#plain.write(found[0]);
    }
  }
}

test.each([
  ["negotiates TLS 1.2 anew", "-tls1_2", "r", /HelloRequest[\s\S]*Finished[\s\S]*Finished/],
  ["changes its keys of TLS 1.3", "-tls1_3", "k", /KeyUpdate/],
  ["changes its keys of TLS 1.3, and asks for the recorder's", "-tls1_3", "K", /KeyUpdate[\s\S]*KeyUpdate/],
])("a camera that %s meanwhile is recorded on", async (_does, version, command, done) => {
  const camera = await new ScriptedRtspServer(cameraAnswers()).start();
  open.push(camera);
  const tls = await CommandedTls.start(camera.port, version);
  const harness = makeSource({ url: `rtsps://127.0.0.1:${tls.port}/live` });
  open.push(harness.source);
  harness.source.start();
  await harness.until(() => harness.frames.length >= 3);
  tls.command(command);
  await until("the keys are changed", () => done.test(tls.said));
  for (const socket of camera.sockets) socket.write(keyFrames(4, 8));
  await harness.until(() => harness.frames.length >= 8);
  expect(harness.source.attempts).toBe(1);
});
