// The suite that runs the built program under the oldest Node of each line: `npm run test:nodes`.
// Its files end in .nodes.ts, so that the ordinary test run, which installs no Node, never picks them up.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["test/nodes/**/*.nodes.ts"], globalSetup: ["test/nodes/setup.ts"], testTimeout: 120_000 }
})
