import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { decode } from "../support/media/ffmpeg.js";
import { freePorts } from "../support/service/background-process.js";
import { Service } from "../support/service/service.js";

let directory: TemporaryDirectory;
let service: Service | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("command-line");
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  directory.remove();
});

describe("nvrd demo", () => {
  let demo: Service;
  let data: TemporaryDirectory;

  beforeAll(async () => {
    data = new TemporaryDirectory("demo");
    demo = await Service.start({ dataDir: data.join("data"), command: "demo" });
  });
  afterAll(async () => {
    await demo?.stop();
    data.remove();
  });

  it("prints the address to open and the user, and records its cameras", async () => {
    await demo.process.waitFor(new RegExp(`^nvrd demo: open http://127.0.0.1:${demo.httpPort}/ `, "m"));
    expect(demo.process.stdout).toContain("root");
    const site = await demo.json<{ Channels: { Id: string }[] }>("/configex?responsetype=json");
    expect(site.Channels.length).toBeGreaterThanOrEqual(2);
    await demo.recorded(
      site.Channels.map((channel) => channel.Id),
      2_000_000,
    );
  });

  it("plays H.264 and H.265 footage that decodes without an error", async () => {
    const site = await demo.json<{ Channels: { Id: string }[] }>("/configex?responsetype=json");
    const seen = new Set<string>();
    for (const { Id } of site.Channels) {
      const video = await demo.video(`channelid=${Id}`);
      const bodies: Buffer[] = [];
      let format = "";
      for await (const part of video.parts) {
        format = /^video, (h26[45]),/.exec(part.contentType)?.[1] ?? format;
        if (part.contentType.startsWith("video, ")) bodies.push(part.body);
        if (bodies.length === 15 || part.contentType === "image/jpeg") break;
      }
      if (format === "") continue;
      seen.add(format);
      expect(await decode(Buffer.concat(bodies), format === "h265" ? "hevc" : "h264")).toEqual({
        errors: "",
        frames: 15,
      });
    }
    expect(seen).toEqual(new Set(["h264", "h265"]));
  });

  it("takes another port when its own is taken, and says so", async () => {
    const blocker = await listenOn(0);
    const address = blocker.address();
    const taken = address !== null && typeof address === "object" ? address.port : 0;
    service = await Service.launch({ dataDir: directory.join("data"), command: "demo", httpPort: taken });
    const printed = await service.process.waitFor(/http:\/\/[^\s:/]+:(\d+)/);
    expect(Number(printed[1])).not.toBe(taken);
    expect(service.process.output).toContain(`${taken}`);
    blocker.close();
  });
});

describe("nvrd demo on data it has already", () => {
  it("prints the password that root has, not another one of the environment", async () => {
    const dataDir = directory.join("data");
    service = await Service.launch({
      dataDir,
      command: "demo",
      env: { NVRD_ROOT_PASSWORD: "first-password" },
    });
    await service.process.waitFor(/password first-password/);
    expect((await service.stop()).code).toBe(0);
    service = await Service.launch({
      dataDir,
      command: "demo",
      env: { NVRD_ROOT_PASSWORD: "second-password" },
    });
    await service.process.waitFor(/with the password it has/);
    expect(service.process.output).not.toContain("second-password");
  });
});

describe("nvrd run", () => {
  it("prints root's random password once, keeps it for itself, and logs it nowhere", async () => {
    const dataDir = directory.join("data");
    const env = { NVRD_ROOT_PASSWORD: undefined, NVRD_LOG_LEVEL: "trace" };
    service = await Service.launch({ dataDir, env });
    const printed = await service.process.waitFor(/root has the password ([a-z2-9]{20})\n/);
    const password = printed[1] ?? "";
    await service.process.waitFor(/API is listening/);
    const md5 = createHash("md5").update(password).digest("hex");
    const answer = await fetch(`http://127.0.0.1:${service.httpPort}/configex?login=root&password=${md5}`);
    expect(answer.status).toBe(200);
    const file = join(dataDir, "root-password");
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([`${password}\n`, 0o600]);
    expect((await service.stop()).code).toBe(0);
    expect(service.process.stdout).not.toContain(password);
    expect(service.process.stdout).not.toContain(md5);
    service = await Service.launch({ dataDir, env });
    await service.process.waitFor(/API is listening/);
    expect(service.process.output).not.toContain(password);
  });

  it("refuses data that another nvrd uses, and names it", async () => {
    const dataDir = directory.join("data");
    service = await Service.start({ dataDir });
    const second = await Service.launch({ dataDir });
    const exit = await second.process.exited;
    expect(exit.signal).toBeNull();
    expect(exit.code).not.toBe(0);
    expect(second.process.output).toContain(`${service.process.pid}`);
    expect((await service.get("/command?type=gettime")).status).toBe(200);
  });

  it("ends with a message that names the port when it is taken", async () => {
    const [port = 0] = await freePorts(1);
    const blocker = await listenOn(port);
    const refused = await Service.launch({ dataDir: directory.join("data"), httpPort: port });
    const exit = await refused.process.exited;
    blocker.close();
    expect(exit.code).not.toBe(0);
    expect(refused.process.output).toContain(`${port}`);
  });

  it("keeps cameras and recordings over a restart", async () => {
    const dataDir = directory.join("data");
    service = await Service.start({ dataDir });
    const [id = ""] = await service.addCameras([{ name: "Gate", url: "rtsp://127.0.0.1:9/none" }]);
    expect((await service.stop()).code).toBe(0);
    service = await Service.start({ dataDir });
    const site = await service.json<{ Channels: { Id: string; Name: string }[] }>(
      "/configex?responsetype=json",
    );
    expect(site.Channels).toEqual([expect.objectContaining({ Id: id, Name: "Gate" })]);
  });
});

async function listenOn(port: number): Promise<Server> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
