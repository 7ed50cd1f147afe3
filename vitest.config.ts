import { defineConfig } from "vitest/config";

/** Forks: a native abort or a changed signal handler ends one file only, as it would in production. */
export default defineConfig({
  test: {
    pool: "forks",
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default"],
  },
});
