import { afterEach, describe, expect, it } from "vitest";
import type { HubRollout } from "../../src/contract/answer/index.js";
import type { BoxFigures } from "../../src/fleet/index.js";
import { ROOT_QUERY } from "../support/api/api-harness.js";
import { until } from "../support/base/until.js";
import { RecordersAtHub } from "../support/fleet/recorders-at-hub.js";

const CAMERAS = {
  North: { "22222222-0000-4000-8000-0000000000a1": "Gate" },
  South: { "22222222-0000-4000-8000-0000000000b1": "Yard" },
  West: { "22222222-0000-4000-8000-0000000000c1": "Door" },
};
const MINUTE_US = 60_000_000;
const WELL: BoxFigures = {
  ...{ cameras: 1, camerasLost: 0, volumes: 1, volumesAtFault: 0, daysLeft: null },
  ...{ problemCount: 0, problems: [] },
};

let place: RecordersAtHub;
let figures: Record<string, BoxFigures>;

afterEach(() => place?.stop());

async function started(options: Partial<Parameters<typeof RecordersAtHub.start>[0]> = {}): Promise<void> {
  figures = { North: WELL, South: WELL, West: WELL };
  place = await RecordersAtHub.start({ cameras: CAMERAS, figures, mayUpdate: true, ...options });
}

const idOf = (name: string) => place.of(name).box.id;
const offered = (name: string) => place.of(name).api.updates.offered.length;

async function asked(method: string, path: string, body?: string) {
  const answer = await fetch(place.hub.url(`${path}?${ROOT_QUERY}`), {
    method,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/octet-stream" } }),
  });
  return { status: answer.status, said: (await answer.json()) as HubRollout & { ErrorMessage?: string } };
}

async function begun(
  groups: readonly (readonly string[])[],
  bundle = "bundle nvrd-test 0.2.0",
): Promise<void> {
  expect(await asked("POST", "/api/boxes/rollout/bundle", bundle)).toMatchObject({
    ...{ status: 200, said: { Phase: "Ready", Bytes: bundle.length } },
  });
  const Groups = groups.map((names) => ({ Recorders: names.map(idOf) }));
  const body = JSON.stringify({ Groups, WatchMinutes: 5 });
  expect(await asked("POST", "/api/boxes/rollout", body)).toMatchObject({ status: 200 });
}

const state = async () => (await asked("GET", "/api/boxes/rollout")).said;

async function recorder(name: string) {
  const { Groups } = await state();
  return Groups.flatMap(({ Recorders }) => Recorders).find((each) => each.Name === name);
}

async function comes(name: string, step: string): Promise<void> {
  await expect.poll(async () => (await recorder(name))?.Step).toBe(step);
}

/** What the recorder's own gate decides. */
function gate(name: string, phase: "installing" | "trial" | "kept" | "rolledBack", message = ""): void {
  place.of(name).api.updates.progress(phase, message);
}

/** The time for which recorders are looked at goes by. */
function watchOver(): void {
  place.bench.clock.shiftUs += 6 * MINUTE_US;
}

describe("an update that a hub rolls out", () => {
  it("comes to a group after the other, each recorder having kept it and being well before the next one's turn", async () => {
    await started();
    await begun([["North"], ["South", "West"]]);

    await comes("North", "Installing");
    gate("North", "trial");
    expect(await state()).toMatchObject({ Phase: "Running", Version: "0.2.0", By: "root" });
    gate("North", "kept");
    await comes("North", "Watched");
    expect([offered("South"), offered("West")]).toEqual([0, 0]);
    watchOver();

    await comes("South", "Installing");
    await comes("West", "Installing");
    expect((await recorder("North"))?.Step).toBe("Done");
    for (const name of ["South", "West"]) gate(name, "kept");
    for (const name of ["South", "West"]) await comes(name, "Watched");
    watchOver();
    await expect.poll(async () => (await state()).Phase).toBe("Done");
    expect(offered("North")).toBe(1);
    expect(await asked("DELETE", "/api/boxes/rollout")).toEqual({ status: 200, said: null });
  });

  it("stops when a recorder goes back to the version before: no other is begun", async () => {
    await started();
    await begun([["North"], ["South"]]);
    await comes("North", "Installing");

    gate("North", "rolledBack", "camera Gate does not record");

    await comes("North", "Failed");
    expect(await state()).toMatchObject({
      Phase: "Stopped",
      Reason: expect.stringContaining(
        "North: it went back to the version before: camera Gate does not record",
      ),
    });
    expect([await recorder("South"), offered("South")]).toMatchObject([{ Step: "Waiting" }, 0]);
  });

  it("stops when a recorder has kept it and has lost a camera since", async () => {
    await started();
    await begun([["North"], ["South"]]);
    await comes("North", "Installing");
    figures.North = { ...WELL, camerasLost: 1 };
    gate("North", "kept");
    await comes("North", "Watched");
    place.of("North").box.membership.stop();
    await until("it is gone", () => place.bench.hub.box(idOf("North"))?.silence !== undefined);
    await place.of("North").box.membership.start();
    await place.bench.connected(place.of("North").box);
    watchOver();

    await comes("North", "Failed");
    expect((await recorder("North"))?.Reason).toContain("1 more of its cameras are lost");
    expect([(await state()).Phase, offered("South")]).toEqual(["Stopped", 0]);
  });

  it("stops at a bundle that a recorder does not take", async () => {
    await started();
    await begun([["North"], ["South"]], "a bundle that nobody has signed");

    await comes("North", "Failed");
    expect((await recorder("North"))?.Reason).toContain("signature verification failed");
    expect((await state()).Phase).toBe("Stopped");
  });

  it("is not begun where the owner does not let the hub, and goes on at others", async () => {
    await started({ mayUpdate: false });
    place.of("South").api.access.admission = { hub: "hub", ceiling: "Look", mayUpdate: true };
    await begun([["North", "South"]]);

    await comes("South", "Installing");
    await comes("North", "Skipped");
    expect(await recorder("North")).toMatchObject({
      ...{ Step: "Skipped", Reason: "its owner does not let this hub update it" },
    });
    expect(offered("North")).toBe(0);
    const { status } = await asked("PUT", `/boxes/${idOf("South")}/configure/server`, "{}");
    expect(status).toBe(403);
  });

  it("is left out at a recorder that is not there, and at one that has the version", async () => {
    await started();
    await place.of("West").box.membership.stop();
    await until("it is gone", () => place.bench.hub.box(idOf("West"))?.silence !== undefined);
    const running = (await (await place.of("South").api.get("/api/update")).json()) as {
      RunningVersion: string;
    };
    await begun([["West"], ["North"], ["South"]], `bundle nvrd-test ${running.RunningVersion}`);
    await comes("North", "Installing");
    gate("North", "kept");
    await comes("North", "Watched");

    expect(await recorder("West")).toMatchObject({ Step: "Skipped", Reason: "it is not connected" });
    watchOver();
    await expect.poll(async () => (await state()).Phase).toBe("Done");
    expect(await recorder("South")).toMatchObject({
      ...{ Step: "Skipped", Reason: `it has version ${running.RunningVersion}` },
    });
  });

  it("goes on after the hub's program was started again, and sends nothing twice", async () => {
    await started();
    await begun([["North"], ["South"]]);
    await comes("North", "Installing");
    await place.bench.rollout.stop();
    gate("North", "trial");

    const again = place.bench.newRollout();
    await again.start();
    const step = (name: string) => again.state?.groups.flat().find(({ id }) => id === idOf(name))?.step;
    try {
      gate("North", "kept");
      await until("it is looked at", () => step("North") === "watched", { seen: () => again.state });
      watchOver();
      await until("the next one's turn has come", () => step("South") === "installing", {
        seen: () => again.state,
      });
      expect([offered("North"), offered("South")]).toEqual([1, 1]);
    } finally {
      await again.stop();
    }
  });

  it("is stopped by an administrator, and what was begun is followed to its end", async () => {
    await started();
    await begun([["North"], ["South"]]);
    await comes("North", "Installing");

    expect(await asked("DELETE", "/api/boxes/rollout")).toMatchObject({
      ...{ status: 200, said: { Phase: "Stopped", Reason: "stopped by root" } },
    });
    expect((await asked("DELETE", "/api/boxes/rollout")).status).toBe(409);
    gate("North", "kept");
    await comes("North", "Watched");
    watchOver();
    await comes("North", "Done");
    expect([(await state()).Phase, offered("South")]).toEqual(["Stopped", 0]);
  });

  it("is one at a time, of recorders that this hub has, each once", async () => {
    await started();
    const begin = (groups: readonly (readonly string[])[]) =>
      asked(
        ...(["POST", "/api/boxes/rollout"] as const),
        JSON.stringify({ Groups: groups.map((Recorders) => ({ Recorders })) }),
      );
    expect((await begin([[idOf("North")]])).status).toBe(409);
    await asked("POST", "/api/boxes/rollout/bundle", "bundle nvrd-test 0.2.0");
    expect((await begin([[idOf("North")], [idOf("North")]])).status).toBe(400);
    expect((await begin([["22222222-0000-4000-8000-0000000000ff"]])).status).toBe(400);
    expect((await begin([])).status).toBe(400);
    expect((await begin([[idOf("North")]])).status).toBe(200);
    expect((await begin([[idOf("South")]])).status).toBe(409);
    expect((await asked("POST", "/api/boxes/rollout/bundle", "bundle")).status).toBe(409);
  });
});
