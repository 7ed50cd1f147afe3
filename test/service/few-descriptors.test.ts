import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { freePorts } from "../support/service/background-process.js";
import { Service } from "../support/service/service.js";

const DESCRIPTORS = 1024;
/** More than it may have descriptors, of each kind of port. */
const CONNECTIONS = 1100;
const ADDRESSES = 200;
/** Opened at once, so that the kernel's queue of a port holds them. */
const AT_ONCE = 100;

/** Own process: it may have few descriptors. */
describe("a recorder with 1024 descriptors, beset by idle connections", () => {
  let directory: TemporaryDirectory;
  let service: Service;
  let channelId: string;
  let rtspPort: number;
  let hubPort: number;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    directory = new TemporaryDirectory("few-descriptors");
    [rtspPort = 0, hubPort = 0] = await freePorts(2);
    const limited = (command: string, args: readonly string[]): readonly [string, readonly string[]] => [
      "prlimit",
      [`--nofile=${DESCRIPTORS}:${DESCRIPTORS}`, command, ...args],
    ];
    service = await Service.start({
      ...{ dataDir: directory.join("data"), command: "demo", rtspPort, group: { command: limited } },
      env: { NVRD_HUB_PORT: `${hubPort}` },
    });
    interface Configuration {
      readonly Channels: readonly { readonly Id: string }[];
    }
    const { Channels } = await service.json<Configuration>("/configex?responsetype=json");
    channelId = Channels[0]?.Id ?? "";
    await service.recorded([channelId], 1_000_000);
    for (let opened = 0; opened < CONNECTIONS; opened += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, at) => {
          const localAddress = `127.0.1.${1 + ((opened + at) % ADDRESSES)}`;
          await Promise.all([service.httpPort, rtspPort, hubPort].map((port) => open(port, localAddress)));
        }),
      );
  });

  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
    directory.remove();
  });

  /** Open, or refused already. */
  async function open(port: number, localAddress: string): Promise<Socket> {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => undefined);
    socket.resume();
    sockets.push(socket);
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    return socket;
  }

  /** What is answered on a new connection; undefined when it was closed. */
  async function answerTo(localAddress: string): Promise<string | undefined> {
    const socket = await open(service.httpPort, localAddress);
    socket.write("GET /api/setup HTTP/1.1\r\nHost: x\r\n\r\n");
    const text = new Promise<string>((resolve) =>
      socket.once("data", (bytes: Buffer) => resolve(bytes.toString())),
    );
    const closed = new Promise<undefined>((resolve) => socket.once("close", () => resolve(undefined)));
    return await Promise.race([text, closed]);
  }

  it("answers a newcomer, at the latest when it tries again", async () => {
    let answer: string | undefined;
    while (answer === undefined) answer = await answerTo("127.0.2.1");
    expect(answer).toContain("HTTP/1.1 ");
  });

  it("answers who has logged in, over HTTP and RTSP", async () => {
    expect((await service.get("/api/session")).status).toBe(200);
    const socket = await open(rtspPort, "127.0.0.1");
    socket.write("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString()).toContain("200 OK");
  });

  it("goes on recording", async () => {
    const before = await service.fragments(channelId);
    const endUs = Math.max(...before.map(({ toUs }) => toUs));
    let after = before;
    while (Math.max(...after.map(({ toUs }) => toUs)) < endUs + 3_000_000)
      after = await service.fragments(channelId);
    expect(after).toHaveLength(before.length);
  });
});
