export const words = {
  title: "Hub",
  why: "A hub shows many recorders in one place. Each recorder connects to it by itself, so it needs no open port.",
  own: "The hub of this recorder",
  none: "This recorder belongs to no hub.",
  code: "Code of the hub",
  codeHint: "The hub makes it: Settings, Hub, Add a recorder. It begins with nvrd-hub.",
  ceiling: "What the hub's users may do here",
  ceilings: {
    Look: "Look: live pictures, recordings and events",
    Operate: "Operate: also move cameras, record, lock recordings",
    Everything: "Everything: administrators of the hub are administrators here",
  },
  mayUpdate: "The hub's administrators may update this recorder",
  mayUpdateHint:
    "They send it updates in groups with others. It still takes signed ones alone, tries them, and goes back where they do not work.",
  join: "Join the hub",
  joined: "This recorder belongs to the hub now.",
  changed: "It counts from now on.",
  leave: "Leave the hub",
  leaveSure: "Really leave? Who watches through the hub is disconnected",
  connected: (hub: string, since: string) => `Connected to ${hub} since ${since}.`,
  connecting: (hub: string) => `Connecting to ${hub}.`,
  notConnected: (hub: string, since: string, problem: string) =>
    `Not connected to ${hub} since ${since}: ${problem}. It is tried again.`,
  problems: {
    Unreachable: "nothing answers there; look at the hub, and at the way out of this network",
    Foreign: "another machine answers there, or something on the way opens the connection",
    Refused:
      "the hub does not take this recorder; it was removed there, or was away too long. Leave the hub and join it anew",
    Silent: "the hub answered no more",
    Ended: "the connection has ended",
    Thread: "the recorder has no thread or memory left for it",
  },
  boxes: "Recorders of this hub",
  noBoxes: "No recorder has joined yet.",
  states: "How they do",
  add: "Add a recorder",
  paste: (until: string) =>
    `Paste this code at the recorder, under Settings, Hub. It is for one recorder, until ${until}.`,
  remove: "Remove",
  removeSure: "Really remove? It is let in only with a new code",
  codePicture: "The same code as a picture, for the camera of a telephone",
};
