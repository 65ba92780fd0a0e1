// The parts of `npm test`: `--project unit` needs no real program, `--project heavy` has the rest; new folders are heavy.
// A case with the tag `slow` repeats at length a law that a quick case holds: `npm test` leaves it to `npm run test:slow`.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const live = ["test/unit/**/*.live.test.ts", "test/unit/testing/**/*.test.ts"]
/** Imports the entry, which sets the umask of its process: it needs one of its own. */
const entry = "test/unit/main.test.ts"

const common = { isolate: false, testTimeout: 240_000, hookTimeout: 240_000 }

export default defineConfig({
  test: {
    // Most of these tests wait for processes, so one more than there are cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // They take long, and run beside the suites of real clients.
    tags: [{ name: "slow", timeout: 300_000 }],
    projects: [
      {
        extends: true,
        test: { ...common, name: "unit", include: ["test/unit/**/*.test.ts"], exclude: [...live, entry] }
      },
      {
        extends: true,
        test: {
          ...common,
          name: "heavy",
          include: ["{test/!(unit),property}/**/*.test.ts", ...live],
          exclude: ["**/node_modules/**"],
          // Each of these tests starts many processes.
          maxConcurrency: 2,
          // It imports JSON in a way that Node does not take.
          server: { deps: { inline: ["@actions/workflow-parser"] } }
        }
      },
      { extends: true, test: { ...common, isolate: true, name: "entry", include: [entry] } }
    ]
  }
})
