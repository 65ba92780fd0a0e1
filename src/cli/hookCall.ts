// hookCall: `hook` as Claude Code calls it, as far as its flags and its event alone decide the answer.
// It loads no Effect, because it runs at every tool call of every session.
import { type HookFlags, hookSubcommands, isOff, readFlags, takesValue } from "../hook/Flags.ts"
import { type HookInput, readInput, type HookAction, actionFor } from "../hook/Event.ts"
import type { Ending } from "./ending.ts"

const actions: ReadonlyArray<string> = hookSubcommands

const isNoValue = (_: string, at: number, args: ReadonlyArray<string>): boolean => !takesValue(args[at - 1] ?? "")

/** Whether a command line calls the hook itself: none of its actions, and not its help. */
export const isHookCall = ([name, ...args]: ReadonlyArray<string>): boolean =>
  name === "hook" && (args.length === 0 || (args[0] ?? "").startsWith("-")) &&
  !args.filter(isNoValue).some((one) => one === "--help" || one === "-h" || actions.includes(one))

/** The context of the call. `input` is from `platform/EventInput.ts`. */
interface CallEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: (isWhole: (text: string) => boolean, patience: number) => Promise<string | null>
}

export interface Event {
  readonly input: HookInput
  readonly flags: HookFlags
  readonly action: HookAction
}

const silent: Ending = { stdout: "", stderr: "", code: 0 }
const misuse = 64

const wrong = (problem: string): Ending => ({
  stdout: "",
  stderr: `ooda-codex-review hook: ${problem}\n`,
  code: misuse
})

/** The ending of a call that needs nothing else, or the event that needs an answer. */
export const hookCall = async (
  args: ReadonlyArray<string>,
  { env, input }: CallEnvironment
): Promise<Ending | Event> => {
  const flags = readFlags(args)
  if (typeof flags === "string") return wrong(`${flags} [ooda-codex-review hook --help shows all flags]`)
  if (isOff(env)) return silent
  const text = await input((text) => readInput(text) !== null, flags.deadline)
  if (text === null) return wrong("it reads one event of Claude Code from standard input [hook install puts it there]")
  const event = readInput(text)
  const action = event === null ? null : actionFor(event, flags.gate)
  return event === null || action === null ? silent : { input: event, flags, action }
}
