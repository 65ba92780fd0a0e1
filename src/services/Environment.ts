// Environment: the variables that an invocation may read, down to its reviewers.
// Nothing reads the variables of the process itself; where no environment is provided there are none.
import { Config, ConfigProvider, Context, Effect } from "effect"

/** Variables by their names, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The environment of an invocation, empty unless whoever runs it provides one. Child processes get exactly this. */
export const Environment = Context.Reference<Variables>("ooda-codex-review/services/Environment", {
  defaultValue: () => ({})
})

/** The text of one variable, or null where it is not set or empty. */
export const variable = Effect.fnUntraced(function*(name: string) {
  const provider = ConfigProvider.fromEnvRecord(yield* Environment)
  // Any text is a text, so there is nothing that reading one could fail with.
  return yield* Effect.orDie(Config.withDefault(Config.String(name), null).parse(provider))
})
