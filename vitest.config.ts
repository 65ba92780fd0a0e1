// The two parts of `npm test`: `vitest run --project unit` takes a minute or two, `--project heavy` takes the rest.
// Heavy is what runs real programs, makes histories at random, or plays the whole program; new folders count as heavy.
import { defineConfig } from "vitest/config"

const heavyUnits = ["test/unit/adapters/**", "test/unit/testing/**"]
const all = ["property/**/*.test.ts", "test/**/*.test.ts"]

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["test/unit/**/*.test.ts"], exclude: heavyUnits } },
      {
        extends: true,
        test: {
          name: "heavy",
          include: all,
          exclude: ["**/node_modules/**", "test/unit/!(adapters|testing)/**", "test/unit/*.test.ts"]
        }
      }
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
