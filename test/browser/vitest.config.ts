// The suite that looks at reports in a headless Chromium: `vitest run --config test/browser/vitest.config.ts`.
// Its files end in .browser.ts, so that the ordinary test run, which must need no browser, never picks them up.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["test/browser/**/*.browser.ts"], maxWorkers: 1, testTimeout: 180_000, hookTimeout: 180_000 }
})
