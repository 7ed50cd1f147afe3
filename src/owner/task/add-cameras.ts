import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import {
  given,
  type JsonSchema,
  members,
  type RequestContext,
  readBody,
  requireAdministration,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { type Site, siteValues } from "../../site/index.js";
import type { RunningTask, Task, TaskOwner } from "../../task/index.js";
import {
  type AdditionDefaults,
  archivingModeOfAll,
  CSV_LENGTH_MAX,
  cameraRows,
  DEVICE_NOTES,
  DEVICES_PER_REQUEST_MAX,
  DeviceAddition,
  type DeviceRequest,
  deviceLogin,
  devicePassword,
  deviceSchema,
  outcomeItem,
  readRequests,
} from "../discovery/index.js";
import { batchesOf, whenFree } from "./device-batches.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const addSchema = members({
  Devices: given(siteValues.list(deviceSchema, DEVICES_PER_REQUEST_MAX, "devices")),
  Csv: given(
    v.pipe(
      v.string("accepted: a text"),
      v.maxLength(CSV_LENGTH_MAX, `accepted: at most ${CSV_LENGTH_MAX} characters`),
    ),
  ),
  Login: deviceLogin,
  Password: devicePassword,
  ArchivingMode: archivingModeOfAll,
});

const BOTH_GIVEN: JsonSchema = {
  required: ["Devices", "Csv"],
  properties: { Devices: { type: "array", minItems: 1 }, Csv: { type: "string", minLength: 1 } },
};

export const ADD_CAMERAS_KIND: StartableKind = {
  kind: "AddCameras",
  access: "senior administrators, under a licence that includes the configuration API",
  body: {
    ...withNotes(schemaOfBody(addSchema), {
      ...DEVICE_NOTES,
      Csv: "Instead of `Devices`: a table as `POST /configure/discovery/csv` reads it. A fault in a line refuses all.",
    }),
    not: BOTH_GIVEN,
  },
  start: startAdding,
};

/** Reads cameras with their logins and adds those that can be recorded, all as one revision at the end. */
function startAdding({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireAdministration(principal, needs.productType);
  const body = readBody(addSchema, request.body);
  const requests = requestsOf(body);
  const { site, tasks } = needs;
  const defaults: AdditionDefaults = {
    ...{ soundReceivingEnabled: undefined, ptzEnabled: undefined },
    archivingMode: body.ArchivingMode ?? undefined,
    parentId: site.current.rootSecurityObject.id,
  };
  const owner = ownerOf(principal);
  return tasks.start({
    ...{ kind: "AddCameras", owner, subject: `${requests.length}`, canCancel: true },
    run: (task) => addAll({ requests, defaults, owner }, needs, task),
  });
}

function requestsOf(body: v.InferOutput<typeof addSchema>): DeviceRequest[] {
  const { Devices, Csv, Login, Password } = body;
  const isBoth = Boolean(Devices?.length) && Boolean(Csv);
  if (isBoth) throw new NvrdError("BAD_REQUEST", "Devices and Csv are both given", { hint: "send one" });
  if (!Csv) return readRequests({ Devices: Devices ?? [], Login, Password });
  const { rows, faults } = cameraRows(Csv, { login: Login ?? "", password: Password ?? "" });
  const [fault] = [...faults, ...rows.flatMap((row) => row.faults)];
  if (fault !== undefined) throw new NvrdError("BAD_REQUEST", `Csv: line ${fault.line}: ${fault.fault}`);
  return rows.map(({ request }) => request);
}

async function addAll(
  order: {
    readonly requests: readonly DeviceRequest[];
    readonly defaults: AdditionDefaults;
    readonly owner: TaskOwner;
  },
  { site, devices, clock }: TaskNeeds,
  task: RunningTask,
): Promise<void> {
  const { requests, defaults, owner } = order;
  const additions: DeviceAddition[] = [];
  let done = 0;
  for (const batch of batchesOf(requests)) {
    if (task.signal.aborted) return;
    const options = { site: site.current, devices, defaults };
    additions.push(await whenFree(() => DeviceAddition.read(batch, options), clock, task.signal));
    done += batch.length;
    task.progress(done / requests.length);
  }
  if (task.signal.aborted) return;
  const edit = (current: Site): Site => {
    const edited = additions.reduce((now, addition) => addition.addTo(now), current);
    return isDeepStrictEqual(edited, current) ? current : edited;
  };
  await site.change(edit, { by: { userId: owner.id, name: owner.name } });
  const outcomes = additions.flatMap((addition) => addition.outcomes);
  task.result({ Cameras: outcomes.map((outcome) => outcomeItem(outcome, [])) });
}
