import * as v from "valibot";
import { errorText, NvrdError, parseGuid } from "../../base/index.js";
import { readChangedCamera } from "../../compat/index.js";
import type { LiveStream } from "../../live/index.js";
import {
  Faults,
  given,
  members,
  type RequestContext,
  readBody,
  requireAdministration,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { type Camera, ROTATION_DEGREES, siteValues } from "../../site/index.js";
import type { RunningTask, Task } from "../../task/index.js";
import { deviceAddress, deviceLogin, devicePassword } from "../discovery/index.js";
import type { PicturedCamera } from "./camera-pictures.js";
import { whenFree } from "./device-batches.js";
import { type ReadCameraItem, readingOf, triedCamera, unreadCamera } from "./read-camera-object.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const GUID_LENGTH_MAX = 64;

const trySchema = members({
  ChannelId: v.pipe(
    v.string("accepted: a channel's id"),
    v.maxLength(GUID_LENGTH_MAX, "accepted: a channel's id"),
    v.metadata({ jsonSchema: { format: "uuid" } }),
  ),
  ModelId: given(siteValues.line(GUID_LENGTH_MAX)),
  Hostname: given(deviceAddress),
  Login: deviceLogin,
  Password: devicePassword,
});

export const TRY_CAMERA_KIND: StartableKind = {
  kind: "TryCamera",
  access: "senior administrators, under a licence that includes the configuration API",
  body: withNotes(schemaOfBody(trySchema), {
    ChannelId: "The camera whose settings are tried.",
    ModelId: "As of the camera object. When left out: that of the channel; so are the others.",
    Hostname: "As of the camera object.",
    Login: "As of the camera object.",
    Password: "As of the camera object: required with another address where one is stored.",
  }),
  start: startTrial,
};

/** Tries a camera with an address and a login before they are stored: the result is as of `ReadCameras`. */
function startTrial({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireAdministration(principal, needs.productType);
  const body = readBody(trySchema, request.body);
  const camera = changedCamera(body, needs);
  const { tasks, cameraPictures } = needs;
  return tasks.start({
    ...{ kind: "TryCamera", owner: ownerOf(principal), subject: camera.name, canCancel: true },
    run: (task) => new CameraTrial(camera, needs, task).run(),
    onForgotten: (id) => cameraPictures.forget(id),
  });
}

/** The camera as PUT would make it. Throws NvrdError NOT_FOUND, or BAD_REQUEST that names the member at fault. */
function changedCamera(body: v.InferOutput<typeof trySchema>, { site, reach }: TaskNeeds): Camera {
  const id = parseGuid(body.ChannelId);
  const before = site.current.cameras.find((camera) => camera.id === id);
  if (before === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${body.ChannelId}`);
  const { ModelId = null, Hostname, Login, Password } = body;
  const connection = { ModelId: ModelId ?? before.connection.modelId, Hostname, Login, Password };
  const faults = new Faults();
  const changed = readChangedCamera(
    { ConnectionSettings: connection },
    { path: "", site: site.current, reach, faults },
    before.id,
  );
  faults.throwIfAny();
  return changed?.camera ?? before;
}

/** One trial of a camera: its stream where the address is known, else its device. */
class CameraTrial {
  readonly #camera: Camera;
  readonly #needs: TaskNeeds;
  readonly #task: RunningTask;
  readonly #item: ReadCameraItem;

  constructor(camera: Camera, needs: TaskNeeds, task: RunningTask) {
    this.#camera = camera;
    this.#needs = needs;
    this.#task = task;
    this.#item = unreadCamera({ address: "", identity: "", name: camera.name });
  }

  async run(): Promise<void> {
    this.#reportResult();
    const { signal } = this.#task;
    const onConnected = (stream: LiveStream): Promise<void> => this.#streamPicture(stream);
    const trial = await this.#needs.streamTrials.try(this.#camera, { signal, onConnected });
    if (trial === undefined) await this.#readDevice();
    else Object.assign(this.#item, triedCamera(trial));
    this.#reportResult();
  }

  async #readDevice(): Promise<void> {
    const { hostname, login, password } = this.#camera.connection;
    const access = { address: hostname, login, password };
    const { devices, clock } = this.#needs;
    const [reading] = await whenFree(() => devices.read([access]), clock, this.#task.signal);
    if (reading === undefined) return;
    Object.assign(this.#item, readingOf(reading));
    const { description } = reading;
    if (description !== undefined) await this.#picture({ login: access, description });
  }

  #streamPicture(stream: LiveStream): Promise<void> {
    const { rotationMode } = this.#camera.connection.streams.Main;
    return this.#picture({ stream, rotation: ROTATION_DEGREES[rotationMode] });
  }

  /** A camera without a picture can be recorded all the same. */
  async #picture(camera: PicturedCamera): Promise<void> {
    const { id, signal } = this.#task;
    try {
      await this.#needs.cameraPictures.take({ taskId: id, index: 0 }, camera, signal);
      this.#item.Picture = `/api/tasks/${id}/pictures/0`;
    } catch (error) {
      this.#item.PictureProblem = errorText(error);
    }
  }

  #reportResult(): void {
    this.#task.result({ Cameras: [{ ...this.#item }] });
  }
}
