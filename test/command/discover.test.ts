// Own network: it makes interfaces.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseCommandLine, UsageError } from "../../src/command/command-line.js";
import { notHere } from "../support/base/not-here.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { CameraLan } from "../support/camera/camera-lan.js";
import { inNamespace } from "../support/camera/network-lan.js";
import { OnvifCamera } from "../support/camera/onvif-camera.js";
import { Service } from "../support/service/service.js";

const program = fileURLToPath(new URL("../../bin/nvrd", import.meta.url));
const missing = CameraLan.missing();

async function discover(
  ...args: readonly string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  return await run([process.execPath, program, "discover", ...args]);
}

async function run([file = "", ...args]: readonly string[]): Promise<{
  status: number;
  stdout: string;
  stderr: string;
}> {
  return await new Promise((resolve) => {
    execFile(file, args, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

describe("nvrd discover", () => {
  it.each([["--timeout", "soon"], ["--fast"], ["now"]])("refuses %s %s", (...args) => {
    expect(() => parseCommandLine(["discover", ...args])).toThrow(UsageError);
  });

  it("says what is wrong with an address", async () => {
    const { status, stderr } = await discover(
      "--address",
      "10.0.0.0/8",
      "--data",
      await temporaryDirectory(),
    );
    expect(status).toBe(3);
    expect(stderr).toContain("16777216 addresses, at most 1024 are possible");
  });

  it.skipIf(missing !== undefined)(`prints a table of what it finds${notHere(missing)}`, async () => {
    const lan = new CameraLan();
    onTestFinished(() => lan.close());
    const identity = "urn:uuid:00000000-0000-4000-8000-000000000001";
    const scopes = ["onvif://www.onvif.org/name/Front%20door", "onvif://www.onvif.org/hardware/X1"];
    await lan.responder(10, { devices: [{ identity, scopes }] });
    const data = await temporaryDirectory();
    const { status, stdout, stderr } = await discover(
      "--interface",
      lan.interfaceName,
      "--timeout",
      "2",
      "--data",
      data,
    );
    expect(status).toBe(0);
    const [head, row] = stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["NAME", "MAKER", "MODEL", "ADDRESS", "IDENTITY", "ADDED"]);
    expect(row).toMatch(new RegExp(`^Front door +X1 +${lan.plain(10)} +${identity} +no$`));
    expect(stderr).toBe("");
  });

  it.skipIf(missing !== undefined)(
    `finds a recorder that is an ONVIF device${notHere(missing)}`,
    async () => {
      const lan = new CameraLan();
      onTestFinished(() => lan.close());
      const settings = { onvifUsers: ["root"] };
      const recorder = await Service.start({
        ...{ dataDir: await temporaryDirectory(), listen: "0.0.0.0" },
        settings,
      });
      onTestFinished(() => recorder.stop().then(() => undefined));
      const command = [process.execPath, program, "discover", "--timeout", "2", "--json", "--data"];
      const child = ["nsenter", ...inNamespace(lan.host(10), [...command, await temporaryDirectory()])];
      const { status, stdout } = await run(child);
      expect(status).toBe(0);
      const recorders = (JSON.parse(stdout) as { Address: string; Maker: string }[]).filter(
        ({ Address }) => Address === `${lan.plain(1)}:${recorder.httpPort}`,
      );
      expect(recorders).toEqual([expect.objectContaining({ Model: "nvrd", AlreadyAdded: false })]);
    },
  );

  it("writes no progress into a pipe", async () => {
    const data = await temporaryDirectory();
    const { status, stdout, stderr } = await discover(
      "--address",
      "127.0.0.1",
      "--timeout",
      "1",
      "--data",
      data,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toBe("");
  });

  it("asks the running service, which knows what it has added over the API", async () => {
    const camera = await OnvifCamera.start({ maker: "hikvision", login: "admin", password: "Secret#1" });
    onTestFinished(() => camera.stop());
    const dataDir = await temporaryDirectory();
    const service = await Service.start({ dataDir });
    onTestFinished(() => service.stop().then(() => undefined));
    const args = ["--address", camera.address, "--json", "--data", dataDir];
    const [before] = JSON.parse((await discover(...args)).stdout) as Record<string, unknown>[];
    expect(before).toMatchObject({ Address: camera.address, Identity: camera.identity, AlreadyAdded: false });
    const added = await service.json<Record<string, unknown>[]>("/configure/discovery/add", {
      method: "POST",
      body: { Devices: [{ Address: camera.address, Login: "admin", Password: "Secret#1" }] },
    });
    expect(added).toEqual([expect.objectContaining({ Result: "Added", Identity: camera.identity })]);
    const [after] = JSON.parse((await discover(...args)).stdout) as Record<string, unknown>[];
    expect(after).toMatchObject({ AlreadyAdded: true, ChannelIds: added[0]?.ChannelIds });
  });
});
