// Install: puts our hooks into the settings of Claude Code, removes them, and looks for them.
import { Effect, Result } from "effect"
import { saysOff } from "./Flags.ts"
import type { Gate, PlanTime } from "./Table.ts"
import { installChecks, scopes, type ScopeSettings, installedHooks, withHooks, withoutHooks } from "./Settings.ts"
import { variable } from "../platform/Environment.ts"
import { Reviewers } from "../review/Reviewers.ts"
import { settingsFailed, SettingsFiles, type SettingsRef } from "./SettingsFiles.ts"

export interface SettingsChange {
  readonly path: string
  readonly changed: boolean
}

const edit = Effect.fnUntraced(function*(
  of: SettingsRef,
  change: (text: string) => Result.Result<string, string>,
  dryRun = false
) {
  const files = yield* SettingsFiles
  const { path, text } = yield* files.read(of)
  const changed = yield* Effect.fromResult(change(text)).pipe(
    Effect.mapError((problem) =>
      settingsFailed(path, `${problem}, so nothing was changed [fix it; Claude Code ignores it too]`)
    )
  )
  if (changed !== text && !dryRun) yield* files.replace(of, text, changed)
  return { path, changed: changed !== text } satisfies SettingsChange
})

/** Puts our hooks into a settings file, once; with `dryRun` only returns whether it would. */
export const installHooks = Effect.fn("Install.installHooks")((
  of: SettingsRef,
  gate: Gate,
  plans: PlanTime = "after",
  dryRun = false
) => edit(of, (text) => withHooks(text, gate, plans), dryRun))

/** Removes our hooks from a settings file. */
export const uninstallHooks = Effect.fn("Install.uninstallHooks")((of: SettingsRef) => edit(of, withoutHooks))

const look = Effect.fnUntraced(
  function*(of: SettingsRef) {
    const { path, text } = yield* (yield* SettingsFiles).read(of)
    const hooks = Result.match(installedHooks(text), {
      onFailure: (problem) => ({ problem: `${problem} (${path})` }),
      onSuccess: (hooks) => hooks
    })
    return { scope: of.scope, path, hooks } satisfies ScopeSettings
  },
  (looking, { scope }) =>
    Effect.catch(
      looking,
      ({ message, path }) => Effect.succeed<ScopeSettings>({ scope, path, hooks: { problem: message } })
    )
)

/** Looks at all settings files and at the programs that the hooks need. A fault is one of the answers. */
export const hookStatus = Effect.fn("Install.hookStatus")(function*(cwd: string) {
  const { locate } = yield* Reviewers
  const located = (name: string) =>
    Effect.match(locate(name, cwd), {
      onFailure: (missing) => ({ problem: missing.message }),
      onSuccess: (path) => ({ path })
    })
  const program = yield* located("ooda-codex-review")
  return installChecks({
    settings: yield* Effect.forEach(scopes, (scope) => look({ scope, cwd })),
    program: "path" in program ? program.path : null,
    codex: yield* located("codex"),
    isOff: saysOff((yield* variable("CODEX_REFLECTOR_ENABLED")) ?? "")
  })
})
