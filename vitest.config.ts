// The parts of `npm test`: `--project unit` takes a minute or two, `--project laws` and `--project heavy` take the rest.
// Laws make histories at random or play the whole program; heavy runs real programs. New folders count as heavy.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const heavyUnits = ["test/unit/**/*.live.test.ts", "test/unit/main.test.ts"]
const laws = ["property/**/*.test.ts", "test/unit/testing/**/*.test.ts"]
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // Vitest leaves a core to itself. Most of these tests wait for processes, so that on two cores half the time goes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      // The tests of these two share no state, so their modules are loaded once for all: a seventh of the time.
      {
        test: {
          ...limits,
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          exclude: [...heavyUnits, ...laws],
          isolate: false
        }
      },
      { test: { ...limits, name: "laws", include: laws, isolate: false } },
      {
        test: {
          ...limits,
          name: "heavy",
          include: ["test/!(unit)/**/*.test.ts", ...heavyUnits],
          exclude: ["**/node_modules/**"],
          // It imports JSON in a way that Node does not take.
          server: { deps: { inline: ["@actions/workflow-parser"] } }
        }
      }
    ]
  }
})
