// The action and the workflows as GitHub's own parser reads them, with the schema that it publishes.
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser"
import { parseAction } from "@actions/workflow-parser/actions/action-parser"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { ciSettings } from "../../../src/cli/commands/ci.ts"
import { stepSettings } from "../../../src/run/StepSettings.ts"
import { action } from "./runner.ts"

const root = resolve(import.meta.dirname, "../../..")
const text = (path: string): string => readFileSync(join(root, path), "utf8")

/** What is wrong with an action or a workflow. */
const problems = (parse: typeof parseAction | typeof parseWorkflow, content: string): ReadonlyArray<string> =>
  parse({ name: "a.yml", content }, new NoOperationTraceWriter()).context.errors.getErrors().map(({ message }) =>
    message
  )

describe("the published schema", () => {
  it("accepts action.yml", () => {
    assert.deepStrictEqual(problems(parseAction, text("action.yml")), [])
    assert.isNotEmpty(problems(parseAction, text("action.yml").replace("shell: bash", "shel: bash")))
  })

  it("accepts our workflows and the one in docs/ci.md", () => {
    const shown = [...text("docs/ci.md").matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block = ""]) => block)
    assert.isNotEmpty(shown)
    for (const name of readdirSync(join(root, ".github/workflows"))) shown.push(text(`.github/workflows/${name}`))
    for (const workflow of shown) {
      assert.deepStrictEqual(problems(parseWorkflow, workflow), [], workflow)
      assert.isNotEmpty(problems(parseWorkflow, workflow.replace("runs-on", "run-on")))
    }
  })
})

it("the action has the defaults and the words of ci", () => {
  const inputs: Readonly<Record<string, { readonly default: string; readonly description: string }>> = action.inputs
  const { batchSize } = stepSettings
  const { author, failOn, forkTests, levels, mode } = ciSettings
  const defaults = [mode, levels, failOn, forkTests, author].map((one) => [one.flag.slice(2), one.default] as const)
  for (const [name, value] of [...defaults, ["n", String(batchSize.default)] as const]) {
    assert.strictEqual(inputs[name]?.default, value, name)
  }
  for (const { flag, words } of [mode, forkTests, failOn]) {
    const { description = "" } = inputs[flag.slice(2)] ?? {}
    for (const word of words) if (!/^P[12]$/.test(word)) assert.match(description, RegExp(`\\b${word}\\b`), flag)
  }
})

it("the action installs the codex that is tested", () => {
  assert.strictEqual(
    action.inputs["codex-version"].default,
    JSON.parse(text("test/codex/package.json")).dependencies["@openai/codex"]
  )
})
