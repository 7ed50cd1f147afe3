import process from "node:process";

/**
 * Milliseconds of processor time that `work`, which waits for nothing, takes: what else runs on the machine does not count.
 */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
