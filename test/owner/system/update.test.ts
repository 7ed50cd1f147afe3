import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";

let api: ApiHarness;

afterEach(() => api.stop());

const MEGABYTE = 1024 * 1024;

async function post(
  body: RequestInit["body"],
  query = ROOT_QUERY,
): Promise<{ status: number; answer: unknown }> {
  const url = api.url(`/api/update?${query}`);
  const response = await fetch(url, { method: "POST", body: body ?? null, ...{ duplex: "half" } });
  return { status: response.status, answer: await response.json() };
}

const get = async (): Promise<unknown> => (await api.get("/api/update")).json();
const inbox = (): readonly string[] => {
  const directory = join(api.dataDir, "update");
  return existsSync(directory) ? readdirSync(directory) : [];
};

describe("POST /api/update", () => {
  it("takes a bundle to the disk whole, and hands it over", async () => {
    api = await startApi();
    const bundle = Buffer.concat([Buffer.from("bundle nvrd-test 0.9.0 "), randomBytes(9 * MEGABYTE)]);
    const { status, answer } = await post(bundle);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      Supported: true,
      Phase: "waiting",
      Version: "0.9.0",
      FromVersion: "0.1.0",
    });
    expect(api.updates.offered).toMatchObject([{ version: "0.9.0" }]);
    expect(readFileSync(api.updates.inbox.file).equals(bundle)).toBe(true);
    expect(statSync(api.updates.inbox.file).mode & 0o777).toBe(0o600);
  });

  it("takes a body without an announced length", async () => {
    api = await startApi();
    const parts = new ReadableStream({
      start: (controller) => {
        for (const text of ["bundle nvrd-", "test 0.4.0 ", "end"]) controller.enqueue(Buffer.from(text));
        controller.close();
      },
    });
    expect(await post(parts)).toMatchObject({ status: 200, answer: { Version: "0.4.0" } });
  });

  it("refuses what is not signed, and keeps nothing of it", async () => {
    api = await startApi();
    expect(await post("forged")).toMatchObject({ status: 400 });
    expect(inbox()).toEqual([]);
    expect(api.updates.offered).toEqual([]);
    expect(await get()).toMatchObject({ Phase: "none" });
  });

  it("refuses a bundle for other boxes", async () => {
    api = await startApi();
    const { status, answer } = await post("bundle nvrd-rpi-arm64 0.2.0 ");
    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toContain("the bundle is for nvrd-rpi-arm64, this box is nvrd-test");
    expect(inbox()).toEqual([]);
  });

  it("refuses an empty body", async () => {
    api = await startApi();
    expect((await post("")).status).toBe(400);
  });

  it("is 403 for a user who is no senior administrator, before a byte is kept", async () => {
    api = await startApi();
    expect((await post("bundle", "login=guard")).status).toBe(403);
    expect(inbox()).toEqual([]);
  });

  it("is 401 without a login, however large the body", async () => {
    api = await startApi();
    expect(await statusOfLarge("/api/update")).toBe(401);
    expect(inbox()).toEqual([]);
  });

  it("refuses a bundle whose announced length is beyond the bound", async () => {
    api = await startApi({ updates: { bounds: { bytesMax: MEGABYTE } } });
    expect(await statusOfLarge(`/api/update?${ROOT_QUERY}`)).toBe(413);
    expect(inbox()).toEqual([]);
  });

  it("stops taking a body that grows beyond the bound", async () => {
    api = await startApi({ updates: { bounds: { bytesMax: MEGABYTE } } });
    const chunk = Buffer.alloc(256 * 1024, "bundle ");
    let left = 16;
    const endless = new ReadableStream({
      pull: (controller) => {
        left -= 1;
        if (left > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const status = await post(endless).then(
      (ended) => ended.status,
      () => "closed",
    );
    expect([413, "closed"]).toContain(status);
    await until("nothing is kept", () => inbox().length === 0);
  });

  it("refuses a bundle for which the disk has no room", async () => {
    api = await startApi({ updates: { bounds: { freeBytes: async () => 65 * MEGABYTE } } });
    const { status, answer } = await post(Buffer.alloc(2 * MEGABYTE, "bundle "));
    expect(status).toBe(503);
    expect(JSON.stringify(answer)).toContain("no room for the bundle");
  });

  it("keeps nothing of a client that leaves half way, and takes the next one", async () => {
    api = await startApi();
    const socket = connect(api.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`POST /api/update?${ROOT_QUERY} HTTP/1.1\r\nHost: box\r\nContent-Length: 5000000\r\n\r\n`);
    socket.write(Buffer.alloc(100_000, "bundle "));
    await until("it is being received", () => inbox().length === 1);
    expect(await get()).toMatchObject({ Phase: "receiving" });
    socket.destroy();
    await until("nothing is kept", () => inbox().length === 0);
    await until("the next one may come", () => api.updates.updater.state.phase === "none");
    expect((await post("bundle nvrd-test 0.3.0 ")).status).toBe(200);
  });

  it("takes one bundle at a time", async () => {
    api = await startApi();
    const socket = connect(api.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `POST /api/update?${ROOT_QUERY} HTTP/1.1\r\nHost: box\r\nContent-Length: 5000000\r\n\r\nbundle`,
    );
    await until("it is being received", () => inbox().length === 1);
    expect((await post("bundle nvrd-test 0.3.0 ")).status).toBe(409);
    socket.destroy();
  });

  it.each(["installing", "installed", "trial", "rejected"] as const)(
    "takes none while another is in its phase %s",
    async (phase) => {
      api = await startApi();
      await post("bundle nvrd-test 0.3.0 ");
      api.updates.progress(phase);
      expect((await post("bundle nvrd-test 0.4.0 ")).status).toBe(409);
    },
  );

  it.each(["kept", "rolledBack", "failed"] as const)(
    "takes the next one when the last was %s",
    async (phase) => {
      api = await startApi();
      await post("bundle nvrd-test 0.3.0 ");
      api.updates.progress(phase);
      expect((await post("bundle nvrd-test 0.4.0 ")).status).toBe(200);
    },
  );

  it("says what to do where there is no second slot", async () => {
    api = await startApi({ updates: { supported: false } });
    const { status, answer } = await post("bundle");
    expect(status).toBe(501);
    expect(JSON.stringify(answer)).toContain("install the new version's package");
    expect(await get()).toMatchObject({ Supported: false, Phase: "none", Slot: null });
  });
});

describe("GET /api/update", () => {
  it("tells how far root's unit is", async () => {
    api = await startApi();
    await post("bundle nvrd-test 0.3.0 ");
    api.updates.progress("installing", "Copying image to rootfs.1");
    expect(await get()).toEqual({
      Supported: true,
      RunningVersion: "0.1.0",
      Slot: "a",
      Phase: "installing",
      Percent: 40,
      Message: "Copying image to rootfs.1",
      Version: "0.3.0",
      FromVersion: "0.1.0",
      Since: "2024-01-01T00:00:00.0000000Z",
    });
  });
});

describe("a bundle that the command line lays into the inbox", () => {
  const name = "local-22222222-0000-4000-8000-000000000001.raucb";
  const laid = async (text: string): Promise<void> => {
    await mkdir(join(api.dataDir, "update"), { recursive: true });
    writeFileSync(join(api.dataDir, "update", name), text);
  };

  it("is handed over as one that was sent", async () => {
    api = await startApi();
    await laid("bundle nvrd-test 0.7.0 ");
    expect(await api.updates.updater.receiveLocal(name, "root")).toMatchObject({
      phase: "waiting",
      version: "0.7.0",
    });
  });

  it.each(["../../etc/passwd", "received.part", "bundle.raucb", `x/${name}`, "local-.raucb", ""])(
    "is not taken under the name %s",
    async (hostile) => {
      api = await startApi();
      await laid("bundle");
      await expect(api.updates.updater.receiveLocal(hostile, "root")).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    },
  );

  it("is not taken when it only points elsewhere", async () => {
    api = await startApi();
    await mkdir(join(api.dataDir, "update"), { recursive: true });
    symlinkSync("/etc/hostname", join(api.dataDir, "update", name));
    await expect(api.updates.updater.receiveLocal(name, "root")).rejects.toMatchObject({
      code: "NOT_AVAILABLE",
    });
    expect(inbox()).toEqual([]);
  });
});

/** The status of a request that announces 3 GB and sends some of it until it is answered. */
async function statusOfLarge(path: string): Promise<number | undefined> {
  const sent = request(api.url(path), { method: "POST", headers: { "Content-Length": 3 * 1024 ** 3 } });
  sent.on("error", () => undefined); // the connection ends with the answer
  sent.write(Buffer.alloc(64 * 1024, "bundle "));
  const [response] = await once(sent, "response");
  sent.destroy();
  return response.statusCode;
}
