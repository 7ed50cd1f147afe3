import { NvrdError } from "../../base/index.js";
import type { Route } from "../../route/index.js";
import type { TaskNeeds } from "./task-kind.js";
import { requireTask } from "./tasks.js";

export const CAMERA_PICTURE_ROUTE: Route<TaskNeeds> = {
  method: "GET",
  path: "/api/tasks/{id}/pictures/{number}",
  login: "user",

  describe: {
    topic: "task",
    summary: "Returns the picture of a camera that was tried",
    access: "As for the task.",
    pathValues: {
      id: "The task, of kind `ReadCameras` or `TryCamera`.",
      number: "The camera's place in the result, from 0.",
    },
    pathSchemas: { number: { type: "string", pattern: "^[0-9]{1,4}$" } },
    answer: {
      text: "A JPEG (JFIF), 320 pixels wide.",
      content: { "image/jpeg": { type: "string", format: "binary" } },
    },
    errors: { 404: "There is no such task, or no picture." },
    example: [
      'ID=$(curl -fsS -u "$AUTH" "$NVRD/api/tasks" --data \'{"Kind": "ReadCameras", "Login": "admin", "Password": "the cameras password", "Devices": [{"Address": "192.168.7.10"}]}\' | member Id)',
      "# As long as there is no picture: 404.",
      'curl -fu "$AUTH" -o camera.jpg "$NVRD/api/tasks/$ID/pictures/0"',
    ],
  },
  /** GET /api/tasks/{id}/pictures/{number}: what a camera shows that is tried. */
  endpoint(context) {
    const { id } = requireTask(context);
    const number = context.pathValues.get("number") ?? "";
    const index = /^\d{1,4}$/.test(number) ? Number(number) : -1;
    const body = context.needs.cameraPictures.get(id, index);
    if (body === undefined)
      throw new NvrdError("NOT_FOUND", "there is no picture", {
        hint: "`Picture` of the result names those there are",
      });
    const headers = [
      ["Content-Type", "image/jpeg"],
      ["Cache-Control", "private, no-store"],
    ] as const;
    return { status: 200, headers: [...headers], body };
  },
};
