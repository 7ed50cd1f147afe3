import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { newGuid } from "../../../src/base/index.js";
import { PATIENCE_MS } from "../base/patience.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { BackgroundProcess, freePorts, runToEnd } from "../service/background-process.js";

export const GATEWAY_KEY = "AKIDNVRDTEST";
export const GATEWAY_SECRET = "gateway/secret+of=tests";

/** Why the gateway cannot be started here; undefined where it can. */
export const noGateway = existsSync("/usr/bin/radosgw") ? undefined : "radosgw is not installed";

/** Ceph's gateway with a monitor and a disk in memory, on loopback, without systemd. It starts in some 20 s. */
export class RadosGateway {
  readonly directory = new TemporaryDirectory("nvrd-away-rgw");
  readonly #ports: readonly number[];
  readonly #processes: BackgroundProcess[] = [];

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  static async start(): Promise<RadosGateway> {
    const gateway = new RadosGateway(await freePorts(3));
    try {
      await gateway.#run();
    } catch (error) {
      await gateway.stop();
      throw error;
    }
    return gateway;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  async stop(): Promise<void> {
    for (const process of this.#processes.reverse()) await process.stop("SIGKILL");
    this.directory.remove();
  }

  /** Limits what the user may store, in KiB; the gateway then answers QuotaExceeded. */
  async limit(kib: number | undefined): Promise<void> {
    const owner = ["--uid=nvrd", "--quota-scope=user"];
    const admin = (...args: string[]) =>
      runToEnd("radosgw-admin", [...this.#configuration, ...args, ...owner]);
    if (kib !== undefined) await admin("quota", "set", `--max-size=${kib}K`);
    await admin("quota", kib === undefined ? "disable" : "enable");
  }

  get #configuration(): readonly string[] {
    return ["-c", this.directory.join("ceph.conf")];
  }

  async #run(): Promise<void> {
    const [httpPort = 0, monitorPort = 0] = this.#ports;
    const disk = newGuid();
    const id = newGuid();
    for (const name of ["mon", "osd", "run"]) mkdirSync(this.directory.join(name));
    this.directory.write({ "ceph.conf": configuration(this.directory, id, monitorPort) });
    const file = (name: string) => this.directory.join(name);
    execFileSync("monmaptool", [
      ...["--create", "--fsid", id, "--addv", "a", `[v2:127.0.0.1:${monitorPort}]`, file("monmap")],
    ]);
    execFileSync("ceph-authtool", [
      "--create-keyring",
      file("keyring"),
      "--gen-key",
      "-n",
      "mon.",
      "--cap",
      "mon",
      "allow *",
    ]);
    for (const [name, monitor] of [
      ["client.admin", "allow *"],
      ["osd.0", "allow profile osd"],
    ] as const)
      execFileSync("ceph-authtool", [
        ...[file("keyring"), "--gen-key", "-n", name, "--cap", "mon", monitor, "--cap", "osd", "allow *"],
      ]);
    const start = (command: string, args: readonly string[]): void => {
      this.#processes.push(new BackgroundProcess(command, [...this.#configuration, ...args]));
    };
    await runToEnd("ceph-mon", [
      ...[
        ...this.#configuration,
        "--mkfs",
        "-i",
        "a",
        "--monmap",
        file("monmap"),
        "--keyring",
        file("keyring"),
      ],
    ]);
    start("ceph-mon", ["-f", "-i", "a"]);
    await runToEnd("ceph", [...this.#configuration, "osd", "new", disk]);
    await runToEnd("ceph-osd", [...this.#configuration, "--mkfs", "-i", "0", "--osd-uuid", disk]);
    start("ceph-osd", ["-f", "-i", "0"]);
    await runToEnd("radosgw-admin", [
      ...[...this.#configuration, "user", "create", "--uid=nvrd", "--display-name=nvrd"],
      ...[`--access-key=${GATEWAY_KEY}`, `--secret-key=${GATEWAY_SECRET}`],
    ]);
    const frontend = `--rgw_frontends=beast endpoint=127.0.0.1:${httpPort}`;
    start("radosgw", ["-f", "-n", "client.admin", `--keyring=${file("keyring")}`, frontend]);
    await this.#answers();
  }

  async #answers(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await fetch(this.endpoint);
        return;
      } catch (error) {
        const ended = this.#processes.find(({ exit }) => exit !== undefined);
        if (ended !== undefined) throw ended.failure("ended");
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

function configuration(directory: TemporaryDirectory, id: string, monitorPort: number): string {
  return `[global]
fsid = ${id}
mon_host = [v2:127.0.0.1:${monitorPort}/0]
mon_initial_members = a
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = ${directory.join("keyring")}
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
mon_data_avail_warn = 1
mon_data = ${directory.join("mon")}
osd_data = ${directory.join("osd")}
run_dir = ${directory.join("run")}
admin_socket = ${directory.join("run")}/$name.$pid.asok
log_file = /dev/null
mon_cluster_log_file = /dev/null
rgw_data = ${directory.join("rgw")}
rgw_user_quota_sync_interval = 1
rgw_bucket_quota_ttl = 0
`;
}
