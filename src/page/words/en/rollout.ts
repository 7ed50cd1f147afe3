import { counted } from "../language.js";

export const words = {
  why: "A hub updates recorders that were installed as an image, a group after the other. Each tries the update and goes back by itself where it does not work. Where one fails, no other is begun. The owner of a recorder has to allow it there, under Settings, Hub.",
  chooseBundle: "Choose the file of the update",
  sendingBundle: "Sending the file to the hub",
  bundle: (megabytes: number) => `The file is at the hub (${megabytes} MB). Nothing is begun yet.`,
  first: "First these",
  firstHint: "Choose few that can be missed for a quarter of an hour. All others follow.",
  size: "Recorders in each further group",
  minutes: "Minutes to look at each that has kept the update",
  minutesHint: "The next group's turn comes when no camera and no disk was lost meanwhile.",
  begin: (boxes: number, groups: number) =>
    `Update ${counted(boxes, { one: "recorder", other: "recorders" })} in ${counted(groups, { one: "group", other: "groups" })}`,
  group: (number: number) => `Group ${number}`,
  stop: "Begin no other",
  forget: "Close, and delete the file",
  phases: {
    Ready: () => "Ready to begin.",
    Running: (version: string) =>
      version === "" ? "Being rolled out." : `Version ${version} is being rolled out.`,
    Stopped: () => "Stopped: no other recorder is begun.",
    Done: (version: string) =>
      version === ""
        ? "All groups have had their turn."
        : `Version ${version}: all groups have had their turn.`,
  },
  steps: {
    Waiting: "waits",
    Sending: "gets the file",
    Installing: "installs and tries it",
    Watched: "works, is looked at",
    Done: "done",
    Skipped: "left out",
    Failed: "failed",
  },
};
