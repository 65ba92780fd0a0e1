// Notifier: the port that tells a program of the caller how a driven run has ended.
import { Context, type Effect } from "effect"

export class Notifier extends Context.Service<Notifier, {
  /** Runs a line of the shell with a document on standard input. Returns why it failed, or null. */
  readonly notify: (command: string, document: string, cwd: string) => Effect.Effect<string | null>
}>()("ooda-codex-review/services/Notifier") {}
