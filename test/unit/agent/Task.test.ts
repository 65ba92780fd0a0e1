import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { AgentTask, defaultLimits } from "../../../src/agent/Task.ts"

const task: AgentTask = {
  role: "worker",
  taskId: "address-low-1",
  prompt: "fix it",
  cwd: "/repo",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  findings: null,
  answer: { type: "object" },
  limits: defaultLimits
}
const accepts = Schema.is(AgentTask)

describe("a task", () => {
  it.each<[string, Partial<Record<keyof AgentTask, unknown>>]>([
    ["an empty prompt", { prompt: "" }],
    ["an empty name", { taskId: "" }],
    ["a name of two lines", { taskId: "a\nb" }],
    ["a name that is too long", { taskId: "a".repeat(201) }],
    ["an unknown role", { role: "boss" }],
    ["full access", { sandbox: "danger-full-access" }],
    ["no time", { limits: { ...defaultLimits, timeout: 0 } }],
    ["more than a week", { limits: { ...defaultLimits, idle: 7 * 24 * 3_600_000 + 1 } }]
  ])("is refused with %s", (_, change) => {
    assert.isFalse(accepts({ ...task, ...change }))
  })
})
