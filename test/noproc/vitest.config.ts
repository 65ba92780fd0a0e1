// The suite that runs the built program where /proc is empty, as on macOS: `npm run test:noproc`.
// Beside its own file it is a sample of other suites: setup.ts hides /proc from the program, not from their tests.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "test/noproc/*.noproc.ts",
      "test/process/{converge,doctor,history,hook,implement,interruption,progress,prune,stop,stopAgents}.test.ts",
      "test/contract/isolate.test.ts"
    ],
    globalSetup: ["test/noproc/machine.ts"],
    setupFiles: ["test/noproc/setup.ts"],
    tags: [{ name: "slow", timeout: 300_000 }],
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
