/** What of the recordings screen is fetched when it is opened first. */
export const PLAYBACK_PARTS = {
  export: async () => (await import("./export/export-panel.js")).ExportPanel,
  motion: async () => (await import("./motion/motion-panel.js")).MotionPanel,
  protected: async () => (await import("./export/protected-panel.js")).ProtectedPanel,
} as const;
