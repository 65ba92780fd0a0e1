// The crash suite: what a power loss, a kill, a full disk or many processes at once may do to a log.
// It needs nothing but Node; what needs more (root, strace, prlimit) says SKIPPED where that is missing.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/crash/**/*.crash.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    // Some files keep one processor busy, some all of them, some wait.
    maxWorkers: 2
  }
})
