// The two parts of `npm test`: `vitest run --project unit` takes a minute, `--project heavy` takes ten.
// Heavy is what runs real programs, makes histories at random, or plays the whole program; new folders count as heavy.
import { defineConfig } from "vitest/config"

// The test of the entry loads it anew for every call.
const heavyUnits = ["test/unit/adapters/**", "test/unit/testing/**", "test/unit/main.test.ts"]
const all = ["property/**/*.test.ts", "test/**/*.test.ts"]

export default defineConfig({
  test: {
    projects: [
      // Nothing that these tests load keeps anything between calls, so that they can share what was loaded.
      {
        extends: true,
        test: { name: "unit", include: ["test/unit/**/*.test.ts"], exclude: heavyUnits, isolate: false }
      },
      {
        extends: true,
        test: {
          name: "heavy",
          include: all,
          exclude: ["**/node_modules/**", "test/unit/!(adapters|testing)/**", "test/unit/[!m]*.test.ts"]
        }
      }
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
