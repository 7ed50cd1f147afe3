/** What of the recordings screen is fetched when it is opened first: panels, and what stands in one. */
export const PLAYBACK_PARTS = {
  export: async () => (await import("./export/export-panel.js")).ExportPanel,
  goTo: async () => (await import("./time/go-to-form.js")).GoToForm,
  list: async () => (await import("./timeline/list.js")).TimelineList,
  keyPictures: async () => (await import("../player/key-pictures.js")).KeyPictures,
  moment: async () => (await import("./export/moment-part.js")).MomentPart,
  motion: async () => (await import("./motion/motion-panel.js")).MotionPanel,
  files: async () => (await import("./export/make-files.js")).MakeFiles,
  fileEdits: async () => (await import("./export/file-edits.js")).FileEditsForm,
  fileMaking: async () => (await import("./export/file-making.js")).makeFiles,
  fileRows: async () => (await import("./export/file-rows.js")).FileRows,
  savedFiles: async () => (await import("./export/saved-list.js")).SavedList,
  thingResult: async () => (await import("./motion/thing-result.js")).ThingResult,
  typedMoment: async () => (await import("./time/typed-moment.js")).typedMoment,
  protected: async () => (await import("./export/protected-panel.js")).ProtectedPanel,
} as const;
