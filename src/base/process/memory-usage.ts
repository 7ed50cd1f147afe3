/** Without a free descriptor the kernel's figures cannot be read. */
const NO_DESCRIPTOR = new Set(["EMFILE", "ENFILE"]);

let last: NodeJS.MemoryUsage | undefined;

/** As `process.memoryUsage`, but with the figures of the last time while the process has no descriptor left to read them. */
export function memoryUsage(read: () => NodeJS.MemoryUsage = process.memoryUsage): NodeJS.MemoryUsage {
  try {
    last = read();
  } catch (error) {
    const isOutOfDescriptors = NO_DESCRIPTOR.has((error as NodeJS.ErrnoException).code ?? "");
    if (!isOutOfDescriptors || last === undefined) throw error;
  }
  return last;
}
