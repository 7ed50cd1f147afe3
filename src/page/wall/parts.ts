/** What of the wall is fetched when it is opened first. */
export const WALL_PARTS = {
  cameraList: async () => (await import("./camera-list.js")).CameraList,
  ptz: async () => (await import("./ptz/ptz-panel.js")).PtzPanel,
  devices: async () => (await import("./devices-dialog.js")).DevicesDialog,
  editLayer: async () => (await import("./edit/edit-layer.js")).EditLayer,
  editBar: async () => (await import("./edit/edit-layer.js")).EditBar,
  tileMenu: async () => (await import("./tile/tile-menu.js")).TileMenu,
  layout: async () => (await import("./layout/layout-panel.js")).LayoutPanel,
  wallChoices: async () => (await import("./wall-choices.js")).WallChoices,
  seenBoxes: async () => (await import("./tile/seen-boxes.js")).SeenBoxes,
  figures: async () => (await import("./figures.js")).Figures,
  wallDialogs: async () => (await import("./wall-dialogs.js")).WallDialogs,
} as const;
