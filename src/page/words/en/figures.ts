import { counted } from "../language.js";

export const words = {
  days: (count: number) => counted(count, { one: "day", other: "days" }),
  hours: (count: number) => counted(count, { one: "hour", other: "hours" }),
  minutes: (count: number) => counted(count, { one: "minute", other: "minutes" }),
};
