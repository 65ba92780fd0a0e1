// The suite that runs agents of the real Claude Code: `vitest run --config test/claude/vitest.config.ts`.
// Its files end in .claude.ts, so that the ordinary test run, which must need no Claude Code, never picks them up.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/claude/**/*.claude.ts"],
    globalSetup: ["test/claude/setup.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000
  }
})
