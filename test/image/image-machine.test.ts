import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { ImageMachine, RECORDINGS_DISK } from "../support/image/image-machine.js";
import { runTool } from "../support/image/image-parts.js";
import { HOST_ADDRESS } from "../support/image/virtual-recorder.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { type Fragment, pause, ROOT_PASSWORD, Service } from "../support/service/service.js";

/** `npm run torture -- image` sets it: the box is emulated, so a start takes a minute and, beside others, ten. */
const WANTED = process.env.NVRD_TEST_IMAGE === "1";
/** What a start may take, where the machine has nothing else to do; without it times are told only. */
const START_SECONDS_MAX = Number(process.env.NVRD_TEST_IMAGE_SECONDS ?? Number.POSITIVE_INFINITY);
const EFI_DIFFERENCE_SECONDS_MAX = Number(
  process.env.NVRD_TEST_IMAGE_EFI_SECONDS ?? Number.POSITIVE_INFINITY,
);
const START_TIMEOUT_MS = 1_500_000;
const RECORDED_MS = 10_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** A TLS record of a handshake that is none: whoever speaks TLS answers with an alert (RFC 8446, 6.2). */
const CLIENT_HELLO = Buffer.from("16030100050100000100", "hex");

/** What V8 made of the program (scripts/package/loader.cjs). A start that cannot use it has kept its own after so long. */
const KEPT_CODE = "/var/cache/nvrd/code.cache";
const KEEPS_CODE_SECONDS = 60;

/** Asks for the page at all addresses of the box, in the box: `::1 200`. */
const ASK_ALL_ADDRESSES = `/usr/lib/nvrd/bin/node -e "
const all = Object.values(require('os').networkInterfaces()).flat().filter(({ scopeid }) => !scopeid);
(async () => {
  for (const { address, family } of all) {
    const host = family === 'IPv6' ? '[' + address + ']' : address;
    const { status } = await fetch('http://' + host + ':8099/');
    console.log(address, status);
  }
})()"`;

const missing = WANTED ? ImageMachine.missing() : "it takes minutes: npm run torture -- image";

const directory = new TemporaryDirectory("image-machine");
let machine: ImageMachine;
let source: PacedSource;
let password = "";
let channel = "";
let firstSeconds = 0;
let keptCode = "";

/** The service in the box, once its API answers. */
async function answering(port: "http" | "other" = "http"): Promise<Service> {
  const service = Service.inMachine(machine.process, machine.port(port));
  await service.ready(START_TIMEOUT_MS, ANSWER_TIMEOUT_MS);
  return service;
}

/** Resolves as soon as the API answers anything: without a login it says that it wants one. */
async function answers(port: number): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/configex`, {
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      expect(status).toBe(401);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(500);
    }
  }
}

/** Whether anybody answers a greeting of TLS, or says something before. The emulator itself accepts all connections. */
function isOpen(port: "https" | "ssh" | "unused"): Promise<boolean> {
  return new Promise((resolve) => {
    const plain = connect({ host: "127.0.0.1", port: machine.port(port) });
    const timer = setTimeout(() => end(false), ANSWER_TIMEOUT_MS);
    const end = (open: boolean) => {
      clearTimeout(timer);
      plain.destroy();
      resolve(open);
    };
    plain.once("data", () => end(true));
    plain.once("close", () => end(false));
    plain.on("error", () => end(false));
    plain.write(CLIENT_HELLO);
  });
}

async function recordedSince(service: Service, sinceUs: number): Promise<Fragment[]> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const fragments = await service.fragments(channel).catch((): Fragment[] => []);
    if (fragments.some(({ fromUs, toUs }) => fromUs >= sinceUs && toUs - fromUs >= RECORDED_MS * 1000))
      return fragments;
    if (performance.now() > deadline)
      throw new Error(`nothing is recorded; the console:\n${machine.console.slice(-8000)}`);
    await pause(1000);
  }
}

beforeAll(async () => {
  if (missing !== undefined) return;
  source = await PacedSource.start(1, SMALL_CLIP);
  machine = ImageMachine.make(directory.path);
});

afterAll(async () => {
  if (missing === undefined) {
    if (machine.isOn) await machine.cut();
    await source.stop();
  }
  directory.remove();
});

/** One life of a box after the other: each step begins where the one before has ended. */
describe
  .skipIf(missing !== undefined)
  .sequential(`a box with the image${notHere(missing)}`, { timeout: START_TIMEOUT_MS * 2 }, () => {
    it("answers after its first start, and has told its owner the password", async () => {
      await machine.start();
      const service = Service.inMachine(machine.process, machine.port("http"));
      await answers(machine.port("http"));
      firstSeconds = machine.secondsOn;
      await machine.process.waitFor(/nvrd: Password: +\S+\s/, START_TIMEOUT_MS);
      password = /nvrd: Password: +(\S+)/.exec(machine.console)?.[1] ?? "";
      await service.ready(START_TIMEOUT_MS, ANSWER_TIMEOUT_MS, { login: "root", password });
      console.info(
        `the API answered ${firstSeconds.toFixed(0)} s after the first start, the password was told after ${machine.secondsOn.toFixed(0)} s`,
      );
      const changed = await service.get("/api/password", {
        method: "PUT",
        body: { Password: ROOT_PASSWORD },
        credentials: { login: "root", password },
      });
      expect(changed.status).toBe(200);
    });

    it("lets in nobody but clients of the service", async () => {
      expect(await isOpen("https")).toBe(true);
      expect([await isOpen("ssh"), await isOpen("unused")]).toEqual([false, false]);
    });

    it("has no login on its console", () => {
      expect(machine.console).not.toMatch(/login:/);
    });

    it("records from a camera on its network", async () => {
      const service = Service.inMachine(machine.process, machine.port("http"));
      const url = source.url(0).replace("127.0.0.1", HOST_ADDRESS);
      [channel = ""] = await service.addCameras([{ name: "Camera 0", url }]);
      await recordedSince(service, 0);
    });

    it("has left the password and its disks on the boot partition when its power is cut", async () => {
      await machine.cut();
      expect(machine.getFile("NVRD-PASSWORD.txt")).toContain(`Password:      ${password}\r\n`);
      expect(machine.getFile("NVRD-PASSWORD.txt")).toMatch(/Certificate: {3}SHA-256 [0-9A-F:]{95}/);
      expect(machine.getFile("NVRD-DISKS.txt")).toMatch(
        new RegExp(`^${RECORDINGS_DISK} {3}10 GB {3}empty\r$`, "m"),
      );
    });

    it("takes in settings and keys, formats the disk it is asked to, and records on", async () => {
      machine.putFile("nvrd.json", JSON.stringify({ httpPort: 8099, segmentSeconds: 10 }));
      machine.putFile("authorized_keys", machine.publicKey);
      machine.putFile("nvrd-format-disks.txt", `${RECORDINGS_DISK}\r\n`);
      const sinceUs = Date.now() * 1000;
      await machine.start();
      const service = await answering("other");
      console.info(`the second start took ${machine.secondsOn.toFixed(0)} s`);
      await recordedSince(service, sinceUs);
      // What was recorded before shows once the index is open again.
      const isOldThere = async () => (await service.fragments(channel)).some(({ toUs }) => toUs < sinceUs);
      await expect.poll(isOldThere, { timeout: START_TIMEOUT_MS, interval: 1000 }).toBe(true);
    });

    it.each([
      ["has a read-only root", "findmnt -no FSTYPE,OPTIONS / | cut -d, -f1", /^squashfs +ro$/],
      ["has no swap", "cat /proc/swaps | tail -n +2", /^$/],
      ["has a name of its own", "hostname", /^nvrd-525400123456$/],
      ["has a data partition as large as its flash", "findmnt -bno SIZE /data", /^[3-9]\d{9}$/],
      ["has no unit that failed", "systemctl --failed --no-legend --plain", /^$/],
      ["has its watchdog counting", "systemctl show -p RuntimeWatchdogUSec --value", /^1min$/],
      ["keeps its machine id", "cat /etc/machine-id; ls /var/log/journal", /^([0-9a-f]{32})\n\1$/],
      ["runs nvrd as its own user", "stat -c %U /proc/$(systemctl show -p MainPID --value nvrd)", /^nvrd$/],
      [
        "has the recordings disk where it belongs",
        "findmnt -no TARGET --source LABEL=$(lsblk -no LABEL /dev/disk/by-id/virtio-RECORDINGS1-part1)",
        /^\/srv\/nvrd-[0-9a-f]{8}$/,
      ],
      [
        "stops the recorder before that disk is unmounted",
        "systemctl show -p Before --value $(systemd-escape -p --suffix=mount /srv/nvrd-*)",
        /(^| )nvrd\.service( |$)/,
      ],
      ["records onto that disk", "du -s /srv/nvrd-*/ | cut -f1", /^\d{3,}$/],
      [
        "lets in the ports of the settings",
        "nft list set inet nvrd services | tr -d ' \\n\\t'",
        /elements=\{22,554,8099,18080,18081\}/,
      ],
      [
        "answers over IPv4 and over IPv6, at each of its addresses",
        ASK_ALL_ADDRESSES,
        /^(?:(?!fe80)\S+ 200\n?){4,}$/,
      ],
      ["answers to its name by mDNS", "resolvectl query -4 $(hostname).local | grep -c 10.0.2.15", /^1$/],
      [
        "has no password in its journal",
        "journalctl -o cat | grep -ciE 'password +[a-km-z2-9]{20}' || true",
        /^0$/,
      ],
      [
        "keeps the program as V8 compiled it",
        `until [ -e ${KEPT_CODE} ]; do sleep 1; done; stat -c '%U %a' ${KEPT_CODE}`,
        /^nvrd 600$/,
      ],
      ["has accounts without passwords", "cut -d: -f2 /etc/shadow | sort -u | tr '\\n' ' '", /^!\* \*$/],
    ])("%s", async (_, command, expected) => {
      expect((await machine.shell(command, START_TIMEOUT_MS)).trim()).toMatch(expected);
    });

    it("keeps the former settings when others are not accepted, after a kill", async () => {
      keptCode = await machine.shell(`stat -c %y ${KEPT_CODE}`, START_TIMEOUT_MS);
      await machine.cut();
      expect(machine.getFile("nvrd.json")).toBeUndefined();
      machine.putFile("nvrd.json", '{ "httpPrt": 80 }');
      await machine.start();
      const service = await answering("other");
      expect(await service.fragments(channel)).not.toHaveLength(0);
    });

    it("starts with the code that an earlier start kept", async () => {
      const command = `sleep ${KEEPS_CODE_SECONDS}; stat -c %y ${KEPT_CODE}`;
      expect(await machine.shell(command, START_TIMEOUT_MS)).toBe(keptCode);
    });

    it("has another password of root for a USB stick that asks for it at the start", async () => {
      await machine.cut();
      const stick = directory.join("stick.img");
      runTool("mkfs.vfat", ["-C", stick, "65536"]);
      runTool("sh", ["-c", `mcopy -i ${stick} /dev/null ::nvrd-password-reset.txt`]);
      await machine.start({ stick });
      await machine.process.waitFor(/NVRD-PASSWORD\.txt on the USB stick/, START_TIMEOUT_MS);
      const text = runTool("mtype", ["-i", stick, "::NVRD-PASSWORD.txt"]);
      const reset = /^Password: +(\S+)\r$/m.exec(text)?.[1] ?? "";
      const service = Service.inMachine(machine.process, machine.port("other"));
      await service.ready(START_TIMEOUT_MS, ANSWER_TIMEOUT_MS, { login: "root", password: reset });
      expect(runTool("mdir", ["-b", "-i", stick, "::"])).not.toContain("nvrd-password-reset.txt");
      const body = { Password: ROOT_PASSWORD };
      const credentials = { login: "root", password: reset };
      const { status } = await service.get("/api/password", { method: "PUT", body, credentials });
      expect(status).toBe(200);
    });

    it("says on the boot partition why settings are not accepted", async () => {
      await machine.cut();
      expect(machine.getFile("nvrd.json.error.txt")).toContain("httpPrt");
    });

    it("starts through its firmware and boot loader", async () => {
      const seconds = [];
      for (const masked of [true, false]) {
        const entry = machine.getFile("loader/entries/nvrd-a.conf") ?? "";
        const options = entry.replace(/ systemd\.mask=\S+/g, "").trimEnd();
        machine.putFile(
          "loader/entries/nvrd-a.conf",
          `${options}${masked ? " systemd.mask=nvrd.service" : ""}\n`,
        );
        await machine.start({ efi: true });
        if (masked) await machine.process.waitFor(/Reached target .*multi-user\.target/, START_TIMEOUT_MS);
        else await answering("other");
        seconds.push(machine.secondsOn);
        await machine.cut();
      }
      const [without = 0, withNvrd = 0] = seconds;
      console.info(`through EFI: ${withNvrd.toFixed(0)} s, without nvrd ${without.toFixed(0)} s`);
      expect(withNvrd - without).toBeLessThan(EFI_DIFFERENCE_SECONDS_MAX);
    });

    it("comes up in time", () => {
      expect(firstSeconds).toBeLessThan(START_SECONDS_MAX);
    });
  });
