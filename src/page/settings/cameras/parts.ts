/** What of the cameras' settings is fetched when it is opened first. */
export const CAMERAS_PARTS = {
  add: async () => (await import("./add-cameras.js")).AddCameras,
} as const;
