import { describe, expect, it } from "vitest";
import { createLog, NvrdError } from "../../src/base/index.js";
import { type ObservedTask, type TaskNotice, type TaskOrder, Tasks } from "../../src/task/index.js";
import { ManualClock } from "../support/base/manual-clock.js";

const OWNER = { id: "22222222-0000-4000-8000-00000000000a", name: "root" };
const DAY_MS = 24 * 3_600_000;

function started() {
  const clock = new ManualClock();
  const notices: TaskNotice[] = [];
  const log = createLog({ level: "silent" });
  const tasks = new Tasks({
    clock,
    log,
    onNotice: (notice) => notices.push({ ...notice, task: { ...notice.task } }),
  });
  return { clock, tasks, notices };
}

function order(run: TaskOrder["run"], change: Partial<TaskOrder> = {}): TaskOrder {
  return { kind: "Check", owner: OWNER, subject: "", canCancel: true, run, ...change };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const forever = (): Promise<void> => new Promise(() => undefined);

describe("long work", () => {
  it("tells its progress and its result so far, and keeps both when it is done", async () => {
    const { tasks, notices } = started();
    let end = (): void => undefined;
    const { id } = tasks.start(
      order(async (task) => {
        task.progress(0.5);
        task.step("files: 6");
        task.result({ Seconds: 1 });
        await new Promise<void>((resolve) => (end = resolve));
        task.result({ Seconds: 2 });
      }),
    );
    await settled();
    expect(tasks.get(id)).toMatchObject({
      state: "Running",
      progress: 0.5,
      step: "files: 6",
      result: { Seconds: 1 },
    });
    end();
    await settled();
    expect(tasks.get(id)).toMatchObject({
      state: "Done",
      progress: 1,
      result: { Seconds: 2 },
      canCancel: false,
    });
    expect(notices.map(({ what, task }) => [what, task.state])).toEqual([
      ["begun", "Waiting"],
      ["ended", "Done"],
    ]);
  });

  it("waits for its turn where only one of its kind may run", async () => {
    const { tasks } = started();
    const first = tasks.start(order(forever));
    const second = tasks.start(order(forever));
    await settled();
    expect([tasks.get(first.id)?.state, tasks.get(second.id)?.state]).toEqual(["Running", "Waiting"]);
    tasks.remove(second.id);
    expect(tasks.get(second.id)?.state).toBe("Cancelled");
  });

  it("is cancelled by its signal, and what it finds afterwards does not count", async () => {
    const { tasks } = started();
    let late: () => void = () => undefined;
    const { id } = tasks.start(
      order(async (task) => {
        await new Promise<void>((resolve) => task.signal.addEventListener("abort", () => resolve()));
        late = () => task.result({ Seconds: 3 });
      }),
    );
    await settled();
    tasks.remove(id);
    await settled();
    late();
    expect(tasks.get(id)).toMatchObject({ state: "Cancelled", result: null, error: undefined });
    tasks.remove(id);
    expect(tasks.get(id)).toBeUndefined();
  });

  it("cannot be cancelled where the work does not allow it", async () => {
    const { tasks } = started();
    const { id } = tasks.start(order(forever, { canCancel: false }));
    expect(() => tasks.remove(id)).toThrow(/cannot be cancelled/);
  });

  it("says why it failed, but not what an unforeseen error says", async () => {
    const { tasks } = started();
    const known = tasks.start(order(() => Promise.reject(new NvrdError("CONFLICT", "the disk is in use"))));
    const unknown = tasks.start(order(() => Promise.reject(new Error("rtsp://admin:secret@cam"))));
    await settled();
    await settled();
    expect(tasks.get(known.id)).toMatchObject({ state: "Failed", error: "the disk is in use" });
    expect(tasks.get(unknown.id)?.error).toBe("it cannot go on: the log says why");
  });

  it("is refused where a user has 8 under way, and all users 32", () => {
    const { tasks } = started();
    const start = (user: number) => () =>
      tasks.start(order(forever, { owner: { id: `user ${user}`, name: `${user}` } }));
    for (let count = 0; count < 8; count += 1) start(1)();
    expect(start(1)).toThrow(/of yours/);
    for (let count = 0; count < 24; count += 1) start(2 + (count % 3))();
    expect(start(9)).toThrow(/32 tasks/);
  });

  it("is kept for a day, at most 64 of it, and its owner's pictures go with it", async () => {
    const { tasks, clock } = started();
    const forgotten: string[] = [];
    const onForgotten = (id: string) => forgotten.push(id);
    const ids: string[] = [];
    for (let count = 0; count < 66; count += 1) {
      ids.push(tasks.start(order(() => Promise.resolve(), { onForgotten })).id);
      await settled();
    }
    expect(tasks.list()).toHaveLength(64);
    expect(forgotten).toEqual(ids.slice(0, 2));
    clock.advance(DAY_MS + 1);
    expect(tasks.list()).toEqual([]);
  });

  it("that is driven from elsewhere is listed with the rest, as a new one each time it begins", () => {
    const { tasks } = started();
    const update: ObservedTask = {
      ...{ kind: "Update", state: "Running", owner: undefined, subject: "0.2.0", progress: 0.1 },
      ...{ step: "installing", startedUs: 5, endedUs: undefined, result: null, error: undefined },
    };
    let now: ObservedTask | undefined;
    tasks.observe(() => now);
    expect(tasks.list()).toEqual([]);
    now = update;
    const [first] = tasks.list();
    expect(first).toMatchObject({ kind: "Update", canCancel: false });
    now = { ...update, progress: 0.6 };
    expect(tasks.list()[0]).toMatchObject({ id: first?.id, progress: 0.6 });
    now = { ...update, startedUs: 9 };
    expect(tasks.list()[0]?.id).not.toBe(first?.id);
  });
});
