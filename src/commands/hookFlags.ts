// hookFlags: what `hook` is told on its command line: what is to be done, where, and which flags belong to it.
import { Result, Struct } from "effect"
import type { Command } from "effect/cli"
import { oneOf, path, type Value } from "../cli/values.ts"
import { defaultGate, gates, planTimes } from "../core/hook/HookTable.ts"
import { scopes } from "../core/hook/InstallStatus.ts"
import { reasonProblem } from "../core/run/Dismissal.ts"
import { json, operand, optional, optionalOperand, rootFlags, valued } from "./flags.ts"

/** What `hook` does when it is called by a person. */
export const actions = ["install", "uninstall", "status", "dismiss"] as const

const checkedReason: Value<string> = (text) => {
  const problem = reasonProblem(text)
  return problem === null ? Result.succeed(text) : Result.fail(problem)
}

/** The arguments and flags. */
export const flags = {
  action: operand("ACTION", oneOf(actions), "What to do: install, uninstall, status or dismiss."),
  name: optionalOperand(operand("NAME", path, "With dismiss: the file that a review failed.")),
  scope: optional(
    valued(
      "scope",
      "SCOPE",
      oneOf(scopes),
      "Whose settings: user, project or local, as Claude Code calls them. Default user."
    )
  ),
  gate: optional(
    valued(
      "gate",
      "GATE",
      oneOf(gates),
      `What a Stop is held to: off, fails, review or ladder. Default ${defaultGate}.`
    )
  ),
  plans: optional(
    valued(
      "plans",
      "WHEN",
      oneOf(planTimes),
      "When a plan is reviewed: after a person has approved it, or before. Default after."
    )
  ),
  reason: optional(valued("reason", "TEXT", checkedReason, "With dismiss: why it is not to block. Required there.")),
  session: optional(valued("session", "ID", path, "With dismiss: another session than the one this is called in.")),
  json,
  ...rootFlags
}

/** What was given of them. */
export type Given = Command.Command.Config.Infer<typeof flags>

/** Which flags belong to an action: a flag of another one is refused. */
const belonging = {
  gate: "install",
  json: "status",
  plans: "install",
  name: "dismiss",
  reason: "dismiss",
  session: "dismiss",
  stateRoot: "dismiss",
  trustStateRoot: "dismiss"
} as const satisfies Partial<Record<keyof Given, Given["action"]>>

const spelled = {
  gate: "--gate",
  json: "--json",
  name: "NAME",
  plans: "--plans",
  reason: "--reason",
  session: "--session",
  stateRoot: "--state-root",
  trustStateRoot: "--trust-state-root"
} as const satisfies Record<keyof typeof belonging, string>

/** A flag that belongs to another action than the one that was given, in words; or null. */
export const misplaced = (given: Given): string | null => {
  for (const name of Struct.keys(belonging)) {
    const value = given[name]
    if (value !== null && value !== false && belonging[name] !== given.action) {
      return `${spelled[name]} belongs to hook ${belonging[name]}`
    }
  }
  return null
}
