// Narrator: the port to a person or a log that follows a driven run, and to a program that is notified of its end.
// It is optional: without it, a driver works in silence.
import { Context, Effect } from "effect"
import type { Page, Tone } from "../text/Paint.ts"

export interface Narration {
  /** Says one line, or several with a newline between them. Never fails: what cannot be written is left out. */
  readonly say: (text: string, tone?: Tone) => Effect.Effect<void>
  /** What it is said on. */
  readonly page: () => Page
}

const unheard: Narration = { say: () => Effect.void, page: () => ({ columns: null, colour: false }) }

export const Narrator = Context.Reference<Narration>("ooda-codex-review/services/Narrator", {
  defaultValue: () => unheard
})

// The port that notifies a program of the caller how a driven run has ended.

export class Notifier extends Context.Service<Notifier, {
  /** Runs a line of the shell with a document on standard input. Returns why it failed, or null. */
  readonly notify: (command: string, document: string, cwd: string) => Effect.Effect<string | null>
}>()("ooda-codex-review/services/Notifier") {}
