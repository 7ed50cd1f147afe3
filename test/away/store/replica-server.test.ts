import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createServer } from "node:tls";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bytesBody, S3Client, type S3Target } from "../../../src/away/index.js";
import type { RecorderPlace } from "../../../src/away/s3/s3-target.js";
import { ReplicaServer, type ReplicaServing } from "../../../src/away/store/replica-server.js";
import { newGuid, SystemClock } from "../../../src/base/index.js";
import { s3Target } from "../../support/away/away-samples.js";
import { recorderIdentity, type SampleIdentity } from "../../support/away/replica-samples.js";
import { s3Failure } from "../../support/away/s3-failure.js";
import { itStoresObjects } from "../../support/away/store-contract.js";
import { notHere } from "../../support/base/not-here.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { until } from "../../support/base/until.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";
import { Siege } from "../../support/http/siege.js";

const MB = 1_000_000;
const noMount = loopMountMissing("tmpfs");
const OWNER = newGuid();
const OTHER = newGuid();
let keeper: SampleIdentity;
let owner: SampleIdentity;
let other: SampleIdentity;

beforeAll(async () => {
  [keeper, owner, other] = await Promise.all([recorderIdentity(), recorderIdentity(), recorderIdentity()]);
});

interface Kept {
  readonly server: ReplicaServer;
  readonly serving: ReplicaServing;
  /** As a recorder reaches it. */
  readonly at: (who: SampleIdentity, bucket?: string, place?: Partial<RecorderPlace>) => S3Target;
}

async function kept(change: Partial<ReplicaServing> = {}): Promise<Kept> {
  const serving: ReplicaServing = {
    directory: await temporaryDirectory(),
    ...{ freeBytesMin: 0, listen: "127.0.0.1", port: 0, own: keeper },
    owners: [
      { id: OWNER, certificate: owner.hash, bytesMax: 100 * MB },
      { id: OTHER, certificate: other.hash, bytesMax: 100 * MB },
    ],
    ...change,
  };
  const server = new ReplicaServer({
    clock: new SystemClock(),
    onFailure: (error) => {
      throw error;
    },
  });
  await server.start(serving);
  onTestFinished(() => server.stop());
  const at: Kept["at"] = (who, bucket = OWNER, place = {}) => ({
    ...s3Target({ endpoint: `https://127.0.0.1:${server.port}`, bucket, prefix: "" }),
    recorder: {
      ...{
        name: "Cellar",
        hosts: ["127.0.0.1"],
        port: server.port,
        certificate: keeper.hash,
        own: who,
        problem: "",
      },
      ...place,
    },
  });
  return { server, serving, at };
}

/** As no client of S3 does: the path goes as it is. */
async function putRaw(port: number, at: string): Promise<number | undefined> {
  const { key, certificate } = owner;
  const call = request({
    ...{ host: "127.0.0.1", port, path: at, method: "PUT", agent: false, key, cert: certificate },
    ...{ rejectUnauthorized: false, headers: { "Content-Length": 0 } },
  });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

function clientOf(target: S3Target): S3Client {
  const client = new S3Client({ target, clock: new SystemClock() });
  onTestFinished(() => client.close());
  return client;
}

describe("as a bucket", () => {
  let target: S3Target;

  beforeAll(async () => {
    const server = new ReplicaServer({ clock: new SystemClock(), onFailure: () => undefined });
    const { mkdtempSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    await server.start({
      directory: mkdtempSync(path.join(tmpdir(), "nvrd-test-")),
      ...{ freeBytesMin: 0, listen: "127.0.0.1", port: 0, own: keeper },
      owners: [{ id: OWNER, certificate: owner.hash, bytesMax: 100 * MB }],
    });
    const recorder = { name: "Cellar", hosts: ["127.0.0.1"], port: server.port, certificate: keeper.hash };
    target = {
      ...s3Target({ endpoint: "https://127.0.0.1", bucket: OWNER }),
      recorder: { ...recorder, own: owner, problem: "" },
    };
    return () => server.stop();
  });

  itStoresObjects(() => target);
});

describe("who asks", () => {
  it("has its own bucket and no other", async () => {
    const { at } = await kept();
    await clientOf(at(owner)).put("a", bytesBody(Buffer.from("x")));
    const error = await s3Failure(clientOf(at(other)).get("a", { bytesMax: MB }));
    expect(error.fault).toBe("forbidden");
    expect((await s3Failure(clientOf(at(owner, OTHER)).put("a", bytesBody(Buffer.from("y"))))).fault).toBe(
      "forbidden",
    );
    expect((await clientOf(at(other, OTHER)).list("")).objects).toEqual([]);
  });

  it("is refused when it is no partner", async () => {
    const { at } = await kept();
    const error = await s3Failure(clientOf(at(await recorderIdentity())).list(""));
    expect(error.fault).toBe("unreachable");
  });

  it.each([
    ["one address", [2], 40],
    ["many addresses", Array.from({ length: 40 }, (_, at) => at + 2), 4],
  ])(
    "is heard though strangers of %s hold as many connections as they can",
    async (_what, addresses, each) => {
      const { at, server } = await kept();
      await clientOf(at(owner)).put("a", bytesBody(Buffer.from("x")));
      const siege = new Siege({ port: server.port, addresses, each });
      onTestFinished(() => siege.end());
      await until("the strangers are there", () => siege.closed > 20, { seen: () => siege.open });
      for (let turn = 0; turn < 10; turn += 1)
        await clientOf(at(owner)).put(`b${turn}`, bytesBody(Buffer.from("x")));
      expect((await clientOf(at(owner)).list("")).objects).toHaveLength(11);
    },
  );

  it("is refused once it is a partner no more", async () => {
    const { at, server, serving } = await kept();
    const client = clientOf(at(owner));
    await client.put("a", bytesBody(Buffer.from("x")));
    server.change({ ...serving, owners: serving.owners.filter(({ id }) => id !== OWNER) });
    expect((await s3Failure(client.put("b", bytesBody(Buffer.from("x"))))).fault).toBe("unreachable");
  });

  it("reads each bucket and writes to none where it is the recorder itself", async () => {
    const { at } = await kept();
    await clientOf(at(owner)).put("a", bytesBody(Buffer.from("x")));
    const own = clientOf(at(keeper));
    expect((await own.get("a", { bytesMax: 10 })).body.toString()).toBe("x");
    expect((await s3Failure(own.put("a", bytesBody(Buffer.from("y"))))).fault).toBe("forbidden");
    expect((await s3Failure(own.remove("a"))).fault).toBe("forbidden");
  });

  it("sends nothing to another machine that has the address", async () => {
    let heard = 0;
    const stranger = await recorderIdentity();
    const server = createServer({ key: stranger.key, cert: stranger.certificate }, (socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (piece) => {
        heard += piece.length;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { at } = await kept();
    const { port } = server.address() as AddressInfo;
    const error = await s3Failure(clientOf(at(owner, OWNER, { port })).put("a", bytesBody(Buffer.from("x"))));
    expect(error.fault).toBe("not-trusted");
    expect(heard).toBe(0);
  });

  it("is found at another of its addresses", async () => {
    const { at } = await kept({ listen: "127.0.0.2" });
    const client = clientOf(at(owner, OWNER, { hosts: ["127.0.0.1", "127.0.0.2"] }));
    await client.put("a", bytesBody(Buffer.from("x")));
    expect(await client.bytesOf("a")).toBe(1);
  });
});

describe("the share of the disk", () => {
  it("is kept to, and is free again after something was removed", async () => {
    const { at, server, serving } = await kept({
      owners: [{ id: OWNER, certificate: owner.hash, bytesMax: 3 * MB }],
    });
    const client = clientOf(at(owner));
    const content = bytesBody(Buffer.alloc(MB, 1));
    for (const key of ["a", "b"]) await client.put(key, content);
    const error = await s3Failure(client.put("c", content));
    expect(error.fault).toBe("full");
    expect(error.isLasting).toBe(true);
    expect(await client.bytesOf("c")).toBeUndefined();
    await client.put("b", content);
    await client.remove("a");
    await client.put("c", content);
    server.change({ ...serving, owners: serving.owners.map((each) => ({ ...each, bytesMax: 4 * MB })) });
    await client.put("a", content);
  });

  it("counts what was there before a restart, and parts of what has not come whole", async () => {
    const first = await kept();
    const client = clientOf(first.at(owner));
    await client.put("a", bytesBody(Buffer.alloc(MB, 1)));
    const uploadId = await client.beginUpload("b");
    await client.putPart("b", { uploadId, number: 1 }, bytesBody(Buffer.alloc(MB, 2)));
    const before = first.server.uses().find(({ id }) => id === OWNER)?.usedBytes;
    expect(before).toBeGreaterThanOrEqual(2 * MB);
    first.server.stop();
    const { server } = await kept({ directory: first.serving.directory });
    const used = () => server.uses().find(({ id }) => id === OWNER)?.usedBytes;
    await until("all is counted", () => used() === before, { seen: () => [used(), before] });
  });
});

describe.skipIf(noMount !== undefined)(`a disk that is full${notHere(noMount)}`, () => {
  it("keeps what was whole, nothing of what was not, and takes the next one once there is room", async () => {
    const mounted = LoopMount.mount("tmpfs", await temporaryDirectory(), 3 * MB);
    onTestFinished(() => mounted.remove());
    const { at, serving } = await kept({ directory: mounted.mountPoint });
    const client = clientOf(at(owner));
    await client.put("a", bytesBody(Buffer.alloc(2 * MB, 1)));
    const other = bytesBody(Buffer.alloc(2 * MB, 2));
    const filler = path.join(mounted.mountPoint, "filler");
    writeFileSync(filler, Buffer.alloc(0.5 * MB));
    const error = await s3Failure(client.put("b", other));
    expect([error.fault, error.message]).toEqual([
      "busy",
      expect.stringContaining("the disk of the other recorder is full"),
    ]);
    expect(readdirSync(path.join(serving.directory, OWNER, "incoming"))).toEqual([]);
    expect((await client.list("")).objects).toEqual([{ key: "a", bytes: 2 * MB }]);
    rmSync(filler);
    await client.remove("a");
    await client.put("b", other);
  });
});

describe("what lies on the disk", () => {
  it("is a file for each object, in names that people can read, and nothing beside it", async () => {
    const { at, serving } = await kept();
    const client = clientOf(at(owner));
    await client.put("streams/x/2026-01-01/1.seg", bytesBody(Buffer.from("content")));
    const folder = path.join(serving.directory, OWNER);
    const file = path.join(folder, "objects/streams/x/2026-01-01/1.seg");
    expect(readFileSync(file, "utf8")).toBe("content");
    expect(readdirSync(path.join(folder, "incoming"))).toEqual([]);
    await client.remove("streams/x/2026-01-01/1.seg");
    expect(readdirSync(path.join(folder, "objects"))).toEqual([]);
  });

  it("stays within its folder, whatever a key says", async () => {
    const { at, serving, server } = await kept();
    const keys = [
      "../../escaped",
      "a/../../../escaped",
      "..%2fescaped",
      "%2e%2e/b",
      "a\\..\\b",
      ".../x",
      "c/.",
    ];
    for (const key of keys) expect(await putRaw(server.port, `/${OWNER}/${key}`)).toBe(200);
    expect(readdirSync(serving.directory).sort()).toEqual([OTHER, OWNER].sort());
    const { objects } = await clientOf(at(owner)).list("");
    expect(objects.map(({ key }) => key)).toEqual(keys.map(decodeURIComponent).sort());
    expect(existsSync(path.join(serving.directory, "../escaped"))).toBe(false);
  });

  it.each(["a//b", "/a", "a/", "x".repeat(256), `${"a/".repeat(12)}a`, "b".repeat(1100)])(
    "is refused under a key that cannot be: %.20s",
    async (key) => {
      const { at } = await kept();
      const error = await s3Failure(clientOf(at(owner)).put(key, bytesBody(Buffer.from("x"))));
      expect(error.code).toBe("KeyTooLongError");
    },
  );

  it("is not replaced by a folder of others, nor a folder by it", async () => {
    const { at } = await kept();
    const client = clientOf(at(owner));
    await client.put("a/b", bytesBody(Buffer.from("x")));
    for (const key of ["a", "a/b/c"])
      expect((await s3Failure(client.put(key, bytesBody(Buffer.from("y"))))).code).toBe("InvalidRequest");
    expect((await client.list("")).objects).toEqual([{ key: "a/b", bytes: 1 }]);
  });

  it("was whole when the power went: what was arriving is removed, and parts are there still", async () => {
    const first = await kept();
    const client = clientOf(first.at(owner));
    const uploadId = await client.beginUpload("b");
    const part = await client.putPart("b", { uploadId, number: 1 }, bytesBody(Buffer.from("part")));
    first.server.stop();
    const incoming = path.join(first.serving.directory, OWNER, "incoming");
    writeFileSync(path.join(incoming, "torn"), "half");
    const second = await kept({ directory: first.serving.directory });
    expect(readdirSync(incoming)).toEqual([]);
    const again = clientOf(second.at(owner));
    await again.finishUpload("b", uploadId, [part]);
    expect((await again.get("b", { bytesMax: 10 })).body.toString()).toBe("part");
    expect(readdirSync(path.join(first.serving.directory, OWNER, "uploads"))).toEqual([]);
  });

  it("is passed over where it is nobody's object", async () => {
    const { at, serving } = await kept();
    const client = clientOf(at(owner));
    await client.put("a", bytesBody(Buffer.from("x")));
    const objects = path.join(serving.directory, OWNER, "objects");
    mkdirSync(path.join(objects, "lost+found"));
    writeFileSync(path.join(objects, "%zz"), "foreign");
    expect((await client.list("")).objects).toEqual([{ key: "a", bytes: 1 }]);
  });
});
