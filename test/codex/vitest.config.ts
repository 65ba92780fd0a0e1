// The suite that runs the built CLI with the real Codex CLI: `vitest run --config test/codex/vitest.config.ts`.
// Its files end in .codex.ts, so that the ordinary test run, which must need no Codex, never picks them up.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/codex/**/*.codex.ts"],
    globalSetup: ["test/codex/setup.ts"],
    maxWorkers: 2,
    // Tests that mostly wait wait together.
    maxConcurrency: 3,
    testTimeout: 120_000,
    hookTimeout: 60_000
  }
})
