import { CLOCK_KNOWN, createLog } from "../../../src/base/index.js";
import { FigureHistory } from "../../../src/health/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { figureValues } from "./figure-values.js";

const MINUTE_US = 60_000_000;
const MONTH_MINUTES = 31 * 1440;

/** Writes a data directory's file of figures as a recorder has it that ran for a month until now. */
export async function writeMonthOfFigures(dataDir: string): Promise<void> {
  const clock = new SimulatedClock(Date.now() * 1000 - MONTH_MINUTES * MINUTE_US);
  const history = new FigureHistory({
    ...{ dataDir, clock, knowledge: CLOCK_KNOWN },
    figures: async () => figureValues(),
    log: createLog({ level: "silent" }),
  });
  await history.start();
  for (let minute = 0; minute < MONTH_MINUTES; minute += 1) {
    clock.advance(MINUTE_US);
    const daily = Math.sin((minute / 1440) * 2 * Math.PI);
    history.note(
      figureValues({
        cpuPercent: 20 + 10 * daily + (minute % 97 === 0 ? 40 : 0),
        memoryPercent: 40 + minute / 5000,
        networkInBytesPerSecond: 4e6 + 1e6 * daily,
        celsius: 50 + 5 * daily,
        depthDays: minute / 1440,
      }),
    );
  }
  await history.stop();
}
