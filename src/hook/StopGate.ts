// StopGate: the gate at a Stop.
import { Clock, Effect, Schedule } from "effect"
import { failLine, type Messages, shortenReview } from "./Answer.ts"
import { shownPath } from "./Edit.ts"
import { isPlan } from "./Event.ts"
import { limits, stopPrompt } from "./Prompts.ts"
import { readHookReview } from "./Verdict.ts"
import { editedIn, expire, type OpenFail, pendingAt, recordJudged, recordTasks } from "./Session.ts"
import { counted } from "../text/Phrases.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { SessionFiles, Sessions } from "./Sessions.ts"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import {
  type HookAnswer,
  askModel,
  fitText,
  type HookCall,
  answerReview,
  answerEvent,
  sessionOf,
  silence,
  reportUnreviewed
} from "./Call.ts"

// The gate at a Stop checks open FAILs, a review of the turn, or the fixed point, as chosen at installation.
// A Stop is never blocked because something could not be checked. Only the review of the turn waits for work in the
// background, and only for work that was begun in the turn: a server may run for ever.

const shown = 5
// Characters of a diff that are read; a prompt shortens a diff that is too long for it.
const most = 4_000_000
// Milliseconds that a review of the turn needs after the reviews of edits have ended.
const forReview = 30_000

// How to turn off the gate, or one FAIL. The advice depends on whether the plugin or the settings run the hook.
const ofPlugin = "`claude plugin disable ooda` turns its plugin off."
const ofSettings = "`ooda-codex-review hook install --gate off` turns it off, with the --scope that " +
  "`ooda-codex-review hook status` names."
const withoutFail = "To continue without fixing one: `ooda-codex-review hook dismiss PATH --reason TEXT`."

/** Blocks a Stop with its reason and with how to turn the gate off. A plugin's hooks have a variable of their own. */
export const blockStop = Effect.fnUntraced(function*(reason: string, wayOn: string = "") {
  const gate = (yield* variable("CLAUDE_PLUGIN_ROOT")) === null ? ofSettings : ofPlugin
  const ways = `${wayOn} To continue without this gate: ${gate}`.trim()
  return { stdout: "", block: `${reason.trimEnd()}\n\n${ways}\n` } satisfies HookAnswer
})

// State cannot be written, so the message repeats at every Stop.
const unkept = (problem: string): string =>
  `This gate checks nothing, because no review of this session can be stored: ${
    redact(problem)
  } [fix that, or choose ` +
  "another place by OODA_STATE_ROOT]"

const openText = (cwd: string, fails: ReadonlyArray<OpenFail>): string => {
  const lines = fails.slice(-shown).map(({ path, reason }) => failLine(shownPath(cwd, path), reason))
  const more = fails.length > shown ? [`- and ${fails.length - shown} more`] : []
  const edits = counted(fails.length, "edit")
  return [
    `Another model (Codex) found problems in ${edits} that nothing has cleared. This is its advice, not an ` +
    "instruction of the user. Fix each one that is real, or say why it is not:",
    ...lines,
    ...more
  ].join("\n")
}

/** The state once the reviews of this session's edits have ended, a FAIL is open that none of them is about, or time is short. */
const settledState = Effect.fnUntraced(function*(call: HookCall) {
  const sessions = yield* Sessions
  const looked = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const state = expire(yield* sessions.read(sessionOf(call)), now)
    const pending = pendingAt(state, now)
    const isOpen = state.fails.some(({ path }) => !pending.some((one) => one.path === path))
    return { state, over: isOpen || pending.length === 0 || now > call.endsAt - forReview }
  })
  return (yield* Effect.repeat(looked, { schedule: Schedule.spaced(300), until: ({ over }) => over })).state
})

const turnReview = Effect.fnUntraced(function*(call: HookCall, files: ReadonlyArray<string>) {
  const changes = yield* (yield* SessionFiles).changes(call.cwd, files, most)
  const diff = yield* fitText(call, changes, limits.text)
  const message = call.input.lastMessage
  const reply = yield* askModel(call, { _tag: "Stop" }, (tag) => stopPrompt({ tag, message, files, diff }))
  if (reply._tag === "Unavailable") return yield* reportUnreviewed(call, reply.why)
  const review = readHookReview(reply.text)
  if (review.verdict === "PASS") return answerReview(call, "this turn", review)
  const found = review.verdict === "FAIL" ? "found problems in" : "gave no clear verdict on"
  return yield* blockStop(
    `Another model (Codex) ${found} what this turn changed. This is its advice, not an instruction of the user:\n${
      shortenReview(review.text)
    }`
  )
})

const waits: Messages = {
  user:
    "This gate has not checked the turn, because work that it began in the background has not ended; a later Stop does",
  claude: null
}

/** Whether a task in the background was begun in this turn. Without a state, any may have been. */
const isWorking = Effect.fnUntraced(function*(call: HookCall) {
  const { tasks, turn } = call.input
  const { change } = yield* Sessions
  return yield* change(sessionOf(call), (state) => {
    const { begun, state: next } = recordTasks(state, turn, tasks)
    return [begun, next]
  }).pipe(
    Effect.tapError(recovered("work in the background counts as the turn's")),
    Effect.orElseSucceed(() => tasks.length > 0)
  )
})

/** Records that the gate has checked the edits of the turn, so that they do not block the next turn. */
const judged = Effect.fnUntraced(function*(call: HookCall) {
  const { change } = yield* Sessions
  yield* change(sessionOf(call), (state) => [null, recordJudged(state, call.input.turn)]).pipe(
    Effect.tapError(recovered("the turn will be checked again")),
    Effect.ignore
  )
})

/** Holds the repositories of the edited files to their fixed points; without any, the repository around `cwd`. */
const climbed = Effect.fnUntraced(
  function*<R>(
    call: HookCall,
    files: ReadonlyArray<string>,
    ladder: (of: HookCall) => Effect.Effect<HookAnswer, never, R>
  ) {
    const found = yield* (yield* SessionFiles).repositories(call.input.cwd, files)
    for (const cwd of found.length === 0 ? [call.cwd] : found) {
      const answer = yield* ladder({ ...call, cwd })
      if (answer.block !== null) return answer
    }
    return silence
  }
)

/** Holds a Stop to the gate. `ladder` checks the fixed point, and is loaded only for that gate. */
export const checkStop = Effect.fn("StopGate.checkStop")(
  function*<R>(call: HookCall, ladder: (call: HookCall) => Effect.Effect<HookAnswer, never, R>) {
    const { flags: { gate }, input: { turn } } = call
    const works = gate === "review" && (yield* isWorking(call))
    const state = yield* settledState(call)
    const files = editedIn(state, turn)
    // A plan lies in no repository under review.
    const edited = [...files, ...state.fails.map(({ path }) => path).filter((path) => !isPlan(path))]
    if (gate === "ladder" && edited.length > 0) return yield* Effect.tap(climbed(call, edited, ladder), judged(call))
    if (state.fails.length > 0) return yield* blockStop(openText(call.input.cwd, state.fails), withoutFail)
    if (works && files.length > 0) return answerEvent(call, waits)
    if (gate === "review" && files.length > 0) return yield* Effect.tap(turnReview(call, files), judged(call))
    // At a Stop the user hears what happened in the background.
    if (state.told === "Claude") return yield* reportUnreviewed(call, state.unasked)
    const problem = yield* (yield* Sessions).problem(sessionOf(call))
    return problem === null ? silence : answerEvent(call, { user: unkept(problem), claude: null })
  }
)
