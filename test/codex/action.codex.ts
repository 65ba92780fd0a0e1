// The action from its own files alone, with the codex that it installs: built, logged in, and the change reviewed.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import { action, job, pullRequest } from "../contract/action/runner.ts"
import { withBench } from "./support.ts"

it(
  "the action needs nothing that is published but codex",
  { timeout: 600_000 },
  () =>
    withBench(() => scenarios.clean, async (bench) => {
      const version = action.inputs["codex-version"].default
      // What this machine needs to reach the registry.
      const network = Object.entries(process.env).filter(([name]) =>
        /^(npm_config_|NODE_EXTRA_CA_CERTS$|https?_proxy$)/i.test(name)
      )
      const { exits, log, outputs, sudo, temp } = await job(bench, {
        event: pullRequest(bench),
        env: Object.fromEntries(network.map(([name, value = ""]) => [name, value])),
        inputs: { program: "", "codex-version": version, "openai-api-key": "sk-of-a-test", n: "1", levels: "low" }
      })
      assert.deepStrictEqual(exits, [0, 0, 0, 0, 0, 0], log)
      assert.deepInclude(outputs, { outcome: "DoneFixedPoint", verdict: "pass" })
      assert.strictEqual(sudo, "-n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0\n")
      assert.include(readFileSync(join(bench.codexHome, "auth.json"), "utf8"), "sk-of-a-test")
      assert.isTrue(existsSync(join(temp, "ooda-codex-review", "dist", "ooda-codex-review.cjs")))
      assert.isNotEmpty(bench.reviews())
    })
)
