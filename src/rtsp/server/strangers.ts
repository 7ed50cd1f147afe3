/** Addresses that nobody has logged in from, and what is left of the main thread's time for them, at this door and at others. */
export interface Strangers {
  /** Whether nobody has logged in from there. */
  has(address: string): boolean;
  /** Throws NvrdError TOO_MANY_REQUESTS while a stranger's address, or all together, had what is theirs. */
  require(address: string): void;
  /** Whether they had so much that nobody there is even answered. */
  drops(address: string): boolean;
  /** What was done for an address held the main thread so long. */
  spent(address: string, ms: number): void;
}
