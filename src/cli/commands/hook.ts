// hook: the subcommand `hook`: installs the hooks of this program in Claude Code's settings, and shows what is there.
import { Effect, Result, Struct } from "effect"
import { Command } from "effect/cli"
import { dismissFails } from "../../hook/DismissedFail.ts"
import { options } from "../../hook/Flags.ts"
import { type SettingsChange, hookStatus, installHooks, uninstallHooks } from "../../hook/Install.ts"
import { SessionFailed } from "../../hook/Sessions.ts"
import { type Scope, scopes } from "../../hook/Settings.ts"
import { defaultGate, type Gate, gates, type PlanTime, planTimes } from "../../hook/Table.ts"
import { variable } from "../../platform/Environment.ts"
import { Output } from "../../platform/Process.ts"
import { allFine, checksJson, checksText } from "../../read/doctor/Check.ts"
import { reasonProblem } from "../../run/Dismissal.ts"
import { counted } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { type Called, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { json, operand, optional, optionalOperand, rootFlags, valued } from "../options.ts"
import { oneOf, path, type Value } from "../values.ts"

/** What `hook` does when it is called by a person. */
export const actions = ["install", "uninstall", "status", "dismiss"] as const

const checkedReason: Value<string> = (text) => {
  const problem = reasonProblem(text)
  return problem === null ? Result.succeed(text) : Result.fail(problem)
}

/** The arguments and flags. */
const flags = {
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
type Given = Command.Command.Config.Infer<typeof flags>

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

/** What is to be done, and where. */
export type Asked =
  | { readonly _tag: "Install"; readonly scope: Scope; readonly gate: Gate; readonly plans: PlanTime }
  | { readonly _tag: "Uninstall"; readonly scope: Scope }
  | { readonly _tag: "Status"; readonly json: boolean }
  | Dismissing

/** What is dismissed, and why. A null `session` is the one that the caller runs in. */
interface Dismissing {
  readonly _tag: "Dismiss"
  readonly name: string
  readonly reason: string
  readonly session: string | null
  readonly stateRoot: string | null
}

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> => {
  const { action, gate, json, name, plans, reason, scope, session, stateRoot } = given
  const problem = misplaced(given)
  if (problem !== null) return Result.fail(problem)
  switch (action) {
    case "install":
      return Result.succeed({
        _tag: "Install",
        scope: scope ?? "user",
        gate: gate ?? defaultGate,
        plans: plans ?? "after"
      })
    case "uninstall":
      return Result.succeed({ _tag: "Uninstall", scope: scope ?? "user" })
    case "status":
      return scope === null
        ? Result.succeed({ _tag: "Status", json })
        : Result.fail("hook status looks at every scope")
    case "dismiss":
      if (scope !== null) return Result.fail("--scope belongs to hook install and hook uninstall")
      return name === null || reason === null
        ? Result.fail("hook dismiss needs NAME, the file that a review failed, and --reason TEXT")
        : Result.succeed({ _tag: "Dismiss", name, reason, session, stateRoot })
  }
}

/** The session that the caller runs in: Claude Code names it to whatever it starts. */
const ownSession = Effect.fnUntraced(function*(named: string | null) {
  const session = named ?? (yield* variable("CLAUDE_CODE_SESSION_ID"))
  if (session !== null) return session
  return yield* new SessionFailed({ reason: { _tag: "NoSession" } })
})

const line = ({ changed, path }: SettingsChange, done: string, idle: (path: string) => string): string =>
  `${oneLine(changed ? `${done} ${path}` : idle(path))}\n`

/** Does what is asked, and says what was changed. */
export const run = Effect.fn("hook.run")(function*(asked: Asked, called: Called) {
  const [cwd, { write }] = [yield* called.cwd, yield* Output]
  switch (asked._tag) {
    case "Install": {
      const edited = yield* installHooks({ scope: asked.scope, cwd }, asked.gate, asked.plans)
      yield* write(line(edited, `installed with gate ${asked.gate}:`, (path) => `installed already: ${path}`))
      return exited(exits.done)
    }
    case "Uninstall": {
      const edited = yield* uninstallHooks({ scope: asked.scope, cwd })
      yield* write(line(edited, "uninstalled:", (path) => `${path} holds no hooks of ooda-codex-review`))
      return exited(exits.done)
    }
    case "Status": {
      const checks = yield* hookStatus(cwd)
      yield* write((asked.json ? checksJson : checksText)(checks))
      return exited(allFine(checks) ? exits.done : exits.wrong)
    }
    case "Dismiss": {
      const session = yield* ownSession(asked.session)
      const fails = yield* dismissFails({ session, stateRoot: asked.stateRoot, cwd }, asked.name, asked.reason)
      yield* write(`${oneLine(`dismissed: ${counted(fails.length, "FAIL")} of ${asked.name}`)}\n`)
      return exited(exits.done)
    }
  }
})

/** The subcommand. */
export const command = Command.make("hook", flags).pipe(subcommand({
  read,
  run,
  about: [
    "makes Claude Code ask a second model about its work: puts the hooks there, takes them away.",
    "",
    "install writes the hooks into settings.json of Claude Code (user: $CLAUDE_CONFIG_DIR or ~/.claude; project and",
    "local: .claude in the current directory) and keeps what stands there; another gate replaces the one before.",
    "uninstall removes these hooks. status tells what is installed where, whether it would run twice (the plugin",
    "brings the same hooks), and whether codex is found. dismiss keeps a FAIL from blocking a Stop. Exits 0, 1 when",
    "status finds something wrong, 6 when it could not, 64 on misuse.",
    "",
    "Without ACTION it answers one event of Claude Code from standard input: what the installed hooks call. It takes:",
    ...Object.entries(options).map(([name, text]) => `  ${name.padEnd(14)} ${text}`),
    `  ${"--quiet".padEnd(14)} tell only Claude, and nothing after a PASS: for hooks in the background`
  ],
  examples: [
    { command: "ooda-codex-review hook install", description: "Review in all your sessions." },
    {
      command: "ooda-codex-review hook install --scope project --gate ladder",
      description: "Hold every Stop in this project to the fixed point."
    },
    { command: "ooda-codex-review hook status", description: "Look at what is installed." },
    {
      command: 'ooda-codex-review hook dismiss src/total.ts --reason "the limit is inclusive"',
      description: "Let this session stop although a review failed that file."
    }
  ]
}))
