// The suite that runs against a private PostgreSQL: `vitest run --config test/fleet/vitest.config.ts`.
// Its files end in .fleet.ts, so that the ordinary test run, which must need no server, never picks them up.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/fleet/**/*.fleet.ts"],
    globalSetup: ["test/fleet/setup.ts"],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
