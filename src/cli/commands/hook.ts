// hook: the subcommand `hook`: installs the hooks of this program in Claude Code's settings, and shows them.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { dismissFails } from "../../hook/DismissedFail.ts"
import { eventSettings } from "../../hook/Flags.ts"
import { type SettingsChange, hookStatus, installHooks, uninstallHooks } from "../../hook/Install.ts"
import { SessionFailed } from "../../hook/Sessions.ts"
import { type Scope, scopes } from "../../hook/Settings.ts"
import { type Gate, hookSummary, type PlanTime, planTimes } from "../../hook/Table.ts"
import { variable } from "../../platform/Environment.ts"
import { Output } from "../../platform/Process.ts"
import { allFine, checksJson, checksText } from "../../read/doctor/Check.ts"
import { helpText, type Setting } from "../../run/Setting.ts"
import { counted } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { type CallContext, family, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { flagsFor, json, operand, reasonFlag, rootFlags } from "../options.ts"
import { path } from "../values.ts"

/** The settings of `hook`, by their names. */
export const hookSettings = {
  scope: {
    flag: "--scope",
    metavar: "SCOPE",
    kind: "word",
    words: scopes,
    default: "user",
    text: "Whose settings: user, project or local, as Claude Code calls them."
  },
  gate: eventSettings.gate,
  plans: {
    flag: "--plans",
    metavar: "WHEN",
    kind: "word",
    words: planTimes,
    default: "after",
    text: "When a plan is reviewed: after a person has approved it, or before."
  },
  session: {
    flag: "--session",
    metavar: "ID",
    kind: "path",
    text: "Another session than the one this is called in."
  },
  dryRun: { flag: "--dry-run", kind: "switch", text: "Only say what would be installed." }
} as const satisfies Record<string, Setting>

export type Request =
  | Installing
  | { readonly _tag: "Uninstall"; readonly scope: Scope }
  | { readonly _tag: "Status"; readonly json: boolean }
  | Dismissing

interface Installing {
  readonly _tag: "Install"
  readonly scope: Scope
  readonly gate: Gate
  readonly plans: PlanTime
  readonly dryRun: boolean
}

/** The FAIL to dismiss, and why. A null `session` is the caller's. */
interface Dismissing {
  readonly _tag: "Dismiss"
  readonly name: string
  readonly reason: string
  readonly session: string | null
  readonly stateRoot: string | null
}

/** The caller's session: Claude Code names it to whatever it starts. */
const ownSession = Effect.fnUntraced(function*(named: string | null) {
  const session = named ?? (yield* variable("CLAUDE_CODE_SESSION_ID"))
  if (session !== null) return session
  return yield* new SessionFailed({ reason: { _tag: "NoSession" } })
})

const line = ({ changed, path }: SettingsChange, done: string, idle: (path: string) => string): string =>
  `${oneLine(changed ? `${done} ${path}` : idle(path))}\n`

/** What the added hooks do, what they send, and when they start. */
const added = (gate: Gate, plans: PlanTime): string =>
  [
    "these hooks call codex, which sends the edit, plan or output in question and the files that it reads to its provider:",
    ...hookSummary(gate, plans).map((line) => `  ${line}`),
    "sessions that run already take them up when they are restarted; ooda-codex-review hook uninstall removes them"
  ].map((line) => `${line}\n`).join("")

/** Carries out the action, and reports the changes. */
export const run = Effect.fn("hook.run")(function*(asked: Request, called: CallContext) {
  const [cwd, { write }] = [yield* called.cwd, yield* Output]
  switch (asked._tag) {
    case "Install": {
      const { dryRun, gate, plans } = asked
      const edited = yield* installHooks({ scope: asked.scope, cwd }, gate, plans, dryRun)
      const done = `${dryRun ? "would be installed" : "installed"} with gate ${gate}:`
      yield* write(
        line(edited, done, (path) => `installed already: ${path}`) + (edited.changed ? added(gate, plans) : "")
      )
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

const child = <Given extends object>(
  about: string,
  example: Command.Command.Example,
  asked: (given: Given) => Request
) =>
  subcommand({
    parent: "hook",
    about: [about],
    examples: [example],
    read: (given: Given) => Result.succeed(asked(given)),
    run
  })

const { dryRun, gate, plans, scope, session } = flagsFor(hookSettings)

const install = Command.make("install", { scope, gate, plans, dryRun }).pipe(
  child(
    "writes the hooks into a settings file of Claude Code.",
    { command: "ooda-codex-review hook install --gate ladder", description: "Hold every Stop to the fixed point." },
    ({ dryRun, gate, plans, scope }): Request => ({ _tag: "Install", scope, gate, plans, dryRun })
  )
)

const uninstall = Command.make("uninstall", { scope }).pipe(
  child(
    "removes the hooks from a settings file of Claude Code.",
    { command: "ooda-codex-review hook uninstall", description: "Review in none of your sessions." },
    ({ scope }): Request => ({ _tag: "Uninstall", scope })
  )
)

const status = Command.make("status", { json }).pipe(
  child(
    "says what is installed where, whether it would run twice, and whether codex is found.",
    { command: "ooda-codex-review hook status", description: "Look at what is installed." },
    ({ json }): Request => ({ _tag: "Status", json })
  )
)

const dismiss = Command.make("dismiss", {
  name: operand("NAME", path, "The file that a review failed."),
  reason: reasonFlag,
  session,
  ...rootFlags
}).pipe(
  child(
    "keeps a FAIL from blocking a Stop.",
    {
      command: 'ooda-codex-review hook dismiss src/total.ts --reason "the limit is inclusive"',
      description: "Let this session stop although a review failed that file."
    },
    ({ name, reason, session, stateRoot }): Request => ({ _tag: "Dismiss", name, reason, session, stateRoot })
  )
)

export const command = family("hook", [install, uninstall, status, dismiss], {
  about: [
    "makes Claude Code ask a second model about its work: puts the hooks there, takes them away.",
    "",
    "install writes the hooks into settings.json of Claude Code (user: $CLAUDE_CONFIG_DIR or ~/.claude; project and",
    "local: .claude in the current directory) and keeps what is there; another gate replaces the one before.",
    "uninstall removes these hooks. status shows which hooks are installed and where, whether they would run twice",
    "(the plugin brings the same hooks), and whether codex is found. dismiss keeps a FAIL from blocking a Stop. Exits 0, 1 when",
    "status finds something wrong, 6 when it could not, 64 on misuse.",
    "",
    "Without a subcommand it answers one event of Claude Code from standard input: what the installed hooks call. It takes:",
    ...Object.values<Setting>(eventSettings).map((setting) =>
      `  ${`${setting.flag} ${setting.metavar ?? ""}`.padEnd(19)} ${helpText(setting)}`
    )
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
})
