import * as v from "valibot";
import { errorText } from "../../base/index.js";
import type { DeviceReading } from "../../camera/index.js";
import {
  Faults,
  givenMember,
  members,
  type RequestContext,
  readBody,
  requireAdministration,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { RunningTask, Task } from "../../task/index.js";
import {
  DEVICE_NOTES,
  DEVICES_PER_REQUEST_MAX,
  type DeviceRequest,
  deviceLogin,
  devicePassword,
  deviceSchema,
  readRequests,
} from "../discovery/index.js";
import { batchesOf, whenFree } from "./device-batches.js";
import { type ReadCameraItem, readingOf, unreadCamera } from "./read-camera-object.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const readSchema = members({
  Devices: v.pipe(siteValues.list(deviceSchema, DEVICES_PER_REQUEST_MAX, "devices")),
  Login: deviceLogin,
  Password: devicePassword,
});

export const READ_CAMERAS_KIND: StartableKind = {
  kind: "ReadCameras",
  access: "senior administrators, under a licence that includes the configuration API",
  body: {
    ...withNotes(schemaOfBody(readSchema), DEVICE_NOTES),
    allOf: [{ properties: { Devices: { items: givenMember("Address") } } }],
  },
  start: startReading,
};

/** Reads cameras with their logins, each once, and takes a picture of each; adds none. */
function startReading({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireAdministration(principal, needs.productType);
  const requests = readRequests(readBody(readSchema, request.body));
  requireAddresses(requests);
  const { tasks, cameraPictures } = needs;
  return tasks.start({
    kind: "ReadCameras",
    owner: ownerOf(principal),
    subject: `${requests.length}`,
    canCancel: true,
    run: (task) => new CameraReading(requests, needs, task).run(),
    onForgotten: (id) => cameraPictures.forget(id),
  });
}

/** A camera is read where it is; an identity alone would need another scan. */
function requireAddresses(requests: readonly DeviceRequest[]): void {
  const faults = new Faults();
  for (const [index, { address }] of requests.entries())
    if (address === "") faults.add(`Devices[${index}].Address`, "is required");
  faults.throwIfAny();
}

/** One reading of some cameras. */
class CameraReading {
  readonly #requests: readonly DeviceRequest[];
  readonly #needs: TaskNeeds;
  readonly #task: RunningTask;
  readonly #items: ReadCameraItem[];
  readonly #pictures: Promise<void>[] = [];
  #done = 0;

  constructor(requests: readonly DeviceRequest[], needs: TaskNeeds, task: RunningTask) {
    this.#requests = requests;
    this.#needs = needs;
    this.#task = task;
    this.#items = requests.map(({ address, identity, name = "" }) =>
      unreadCamera({ address, identity, name }),
    );
  }

  async run(): Promise<void> {
    this.#reportResult();
    const { devices, clock } = this.#needs;
    const { signal } = this.#task;
    for (const batch of batchesOf([...this.#requests.entries()])) {
      if (signal.aborted) break;
      const logins = batch.map(([, { address, login, password }]) => ({ address, login, password }));
      const onReading = (at: number, reading: DeviceReading): void => {
        const [index] = batch[at] ?? [];
        if (index !== undefined) this.#take(index, reading);
      };
      await whenFree(() => devices.read(logins, onReading), clock, signal);
    }
    await Promise.all(this.#pictures);
  }

  #take(index: number, reading: DeviceReading): void {
    const item = this.#items[index];
    if (item === undefined) return;
    Object.assign(item, readingOf(reading));
    this.#done += 1;
    this.#reportResult();
    if (reading.description !== undefined) this.#pictures.push(this.#picture(index, item, reading));
  }

  async #picture(index: number, item: ReadCameraItem, { description }: DeviceReading): Promise<void> {
    const request = this.#requests[index];
    if (request === undefined || description === undefined) return;
    const { address, login, password } = request;
    const { id, signal } = this.#task;
    try {
      const camera = { login: { address, login, password }, description };
      await this.#needs.cameraPictures.take({ taskId: id, index }, camera, signal);
      item.Picture = `/api/tasks/${id}/pictures/${index}`;
    } catch (error) {
      item.PictureProblem = errorText(error);
    }
    this.#reportResult();
  }

  #reportResult(): void {
    this.#task.progress(this.#done / Math.max(1, this.#items.length));
    this.#task.result({ Cameras: this.#items.map((item) => ({ ...item })) });
  }
}
