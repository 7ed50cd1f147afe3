import { counted } from "../language.js";

const cameras = (count: number) => counted(count, { one: "camera", other: "cameras" });
const disks = (count: number) => counted(count, { one: "disk", other: "disks" });

export const words = {
  title: "Recorders",
  allWell: "All recorders are there and well.",
  attention: (count: number, all: number) => `${count} of ${all} need a hand.`,
  none: "No recorder has joined this hub yet.",
  noneHint: "Settings, Hub, Add a recorder makes a code for one.",
  add: "Add or remove recorders",
  search: "Search by name",
  nothingFound: "No recorder has this name.",
  version: (version: string) => `Version ${version}`,
  versions: "The recorders do not all have one version.",
  present: "Connected",
  well: "All is well.",
  cameras,
  noCameras: "No cameras",
  lost: (lost: number, all: number) => `${lost} of ${cameras(all)} lost`,
  disks,
  noDisks: "No disk",
  diskFault: (bad: number, all: number) => `${bad} of ${disks(all)} at fault`,
  daysLeft: (days: string) => `Room for ${days}`,
  more: (count: number) => `And ${counted(count, { one: "problem", other: "problems" })} more.`,
  before: "When it was heard of last:",
  silent: (since: string, why: string) => `Silent since ${since}: ${why}.`,
  readOffSite: "Its recordings are shown from its off-site storage.",
  absent: (why: string) => `Not connected: ${why}.`,
  silences: {
    Never: "it has not come yet",
    Started: "it has not come since this hub was started",
    Ended: "its connection has ended",
    Silent: "it answered no more",
    Closed: "this hub has ended the connection",
  },
  hubProblem: (problem: string) => `Recorders cannot connect: ${problem}`,
  open: (name: string) => `Open ${name}`,
  views: { list: "List", map: "Map", updates: "Updates", templates: "Templates" },
  map: {
    title: "Map",
    nobody: "No recorder is on the map yet.",
    choose: "Choose a recorder on the map.",
    notPlaced: "Not on the map",
    notPlacedHint:
      "A recorder is where its cameras are, once these have a position in their settings, or where it is put here.",
    latitude: "Latitude",
    longitude: "Longitude",
    clickHint: "In degrees. A click on the map fills both in.",
    toCameras: "To its cameras",
    nearer: "Nearer",
    farther: "Farther",
    all: "All recorders",
    several: (count: number, state: string) =>
      `${counted(count, { one: "recorder", other: "recorders" })}: ${state}`,
    states: { well: "all is well", warning: "needs a hand", error: "needs a hand now", silent: "silent" },
  },
};
