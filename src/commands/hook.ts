// hook: the subcommand `hook`: puts the hooks of this program into Claude Code's settings, and tells what is there.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { oneOf } from "../cli/values.ts"
import { allFine, checksJson, checksText } from "../core/doctor/Check.ts"
import { defaultGate, type Gate, gates } from "../core/hook/HookTable.ts"
import { type Scope, scopes } from "../core/hook/InstallStatus.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { oneLine } from "../core/text/Text.ts"
import { type Edited, hookStatus, installHooks, uninstallHooks } from "../hook/Install.ts"
import { Output } from "../services/Output.ts"
import { type Called, subcommand } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { json, operand, optional, valued } from "./flags.ts"

/** What is to be done, and where. */
export type Asked =
  | { readonly _tag: "Install"; readonly scope: Scope; readonly gate: Gate }
  | { readonly _tag: "Uninstall"; readonly scope: Scope }
  | { readonly _tag: "Status"; readonly json: boolean }

const actions = ["install", "uninstall", "status"] as const

const flags = {
  action: operand("ACTION", oneOf(actions), "What to do: install, uninstall or status."),
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
  json
}

type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = ({ action, gate, json, scope }: Given): Result.Result<Asked, string> => {
  if (gate !== null && action !== "install") return Result.fail("--gate belongs to hook install")
  if (json && action !== "status") return Result.fail("--json belongs to hook status")
  switch (action) {
    case "install":
      return Result.succeed({ _tag: "Install", scope: scope ?? "user", gate: gate ?? defaultGate })
    case "uninstall":
      return Result.succeed({ _tag: "Uninstall", scope: scope ?? "user" })
    case "status":
      return scope === null
        ? Result.succeed({ _tag: "Status", json })
        : Result.fail("hook status looks at every scope")
  }
}

const line = ({ changed, path }: Edited, done: string, idle: string): string =>
  `${oneLine(`${changed ? done : idle} ${path}`)}\n`

/** Does what is asked, and says what was changed. */
export const run = Effect.fn("hook.run")(function*(asked: Asked, called: Called) {
  const [cwd, { write }] = [yield* called.cwd, yield* Output]
  switch (asked._tag) {
    case "Install": {
      const edited = yield* installHooks({ scope: asked.scope, cwd }, asked.gate)
      yield* write(line(edited, `installed with gate ${asked.gate}:`, "installed already:"))
      return exited(exits.done)
    }
    case "Uninstall": {
      yield* write(line(yield* uninstallHooks({ scope: asked.scope, cwd }), "uninstalled:", "nothing of ours is in"))
      return exited(exits.done)
    }
    case "Status": {
      const checks = yield* hookStatus(cwd)
      yield* write(asked.json ? `${jsonText(checksJson(checks))}\n` : checksText(checks))
      return exited(allFine(checks) ? exits.done : exits.wrong)
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
    "uninstall takes out what is ours. status tells what is installed where, whether it would run twice (the plugin",
    "brings the same hooks), and whether codex is found. Exits 0, 1 when status finds something wrong, 6 when it could",
    "not, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review hook install", description: "Review in all your sessions." },
    {
      command: "ooda-codex-review hook install --scope project --gate ladder",
      description: "Hold every Stop in this project to the fixed point."
    },
    { command: "ooda-codex-review hook status", description: "Look at what is installed." }
  ]
}))
