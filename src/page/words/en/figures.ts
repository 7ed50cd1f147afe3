import { counted } from "../language.js";

export const words = {
  days: (count: number) => counted(count, { one: "day", other: "days" }),
  hours: (count: number) => counted(count, { one: "hour", other: "hours" }),
  minutes: (count: number) => counted(count, { one: "minute", other: "minutes" }),
  lasting: {
    held: (days: string) => `At today's rate the recordings last about ${days}.`,
    measuring: "How long the recordings last is being measured. It is known some minutes after the start.",
    byAge: "The recordings last as long as you have set for each camera: there is room for all of it.",
  },
};
