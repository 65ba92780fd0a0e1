// HiddenPast: the same of what readers of the past, watchers and the doctor print: nothing hidden, no header forged.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { frame } from "../src/read/view/Progress.live.ts"
import { checksJson, checksText } from "../src/read/doctor/Check.ts"
import {
  checkGit,
  checkLogin,
  checkNode,
  checkRepository,
  checkSessions,
  checkStateRoot
} from "../src/read/doctor/Checks.ts"
import { rowsOf, workRowOf, workText } from "../src/review/Progress.ts"
import type { LoggedEvent } from "../src/log/StreamKind.ts"
import { walkStart, walker } from "../src/log/Walk.ts"
import type { Event } from "../src/run/Event.ts"
import type { Manifest } from "../src/run/Manifest.ts"
import { reviewRun } from "../src/run/ReviewRun.ts"
import type { Target } from "../src/run/Target.ts"
import { activityOf } from "../src/text/ProgramOutput.ts"
import { jsonText } from "../src/text/Json.ts"
import { lines } from "../src/text/Untrusted.ts"
import { AuditDocument, auditedRun, endedText, runText as auditedRunText, wordText } from "../src/read/audit/Audits.ts"
import type { Word } from "../src/read/audit/ReviewRun.ts"
import { documentText } from "../src/run/Document.ts"
import { reviewRunReader } from "../src/read/replay/Readers.ts"
import { LogDamaged } from "../src/log/EventLog.ts"
import type { RunView } from "../src/read/Look.ts"
import { runsJson, runsTable } from "../src/read/Runs.ts"
import { endJson, endText, eventJson, eventText, runText } from "../src/read/replay/Timeline.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"
import { StoreFailed } from "../src/run/RunStore.ts"
import { pruned, prunedJson } from "../src/read/Prune.ts"
import { statusJson, statusPage, type Status } from "../src/read/Status.ts"
import { failed, started } from "../test/support/reviewedBatches.ts"
import { factsOf } from "../test/support/views.ts"
import { check, foreign, holds, isSafe, isSafeJson, manifestOf, target } from "./safe.ts"

const { digest, events, logEvents } = arbitraries
const walk = walker(reviewRun)

const created = (fields: { readonly worktree: string; readonly target: Target }) =>
  events.RunCreated({
    runId: fc.constant("r"),
    worktree: fc.constant(fields.worktree),
    target: fc.constant(fields.target)
  })
describe("the past", () => {
  it("as a table of runs and its document", () =>
    check(foreign, (text) => {
      const facts = factsOf({ failure: new LogDamaged({ path: text, line: 1, offset: 0, kind: "bad hash" }) })
      const run: RunView = {
        ...facts,
        // A directory is a run's only if its name begins as a time.
        ref: { root: text, runId: `2030${text}`, repoId: text, targetKey: text },
        worktree: text,
        directory: text,
        opened: { because: "LevelMismatch", byMark: true },
        at: 0,
        reviewers: 0,
        driven: false,
        work: [],
        status: { state: "NeedsYou", reason: "Error", text },
        ladder: null
      }
      const status: Status = {
        view: { ...run, work: [{ name: text, state: "running", elapsed: 1, silentFor: 1, activity: text }] },
        read: null,
        changes: new Map(),
        findings: null,
        failed: null,
        aside: { directory: text, bytes: 1, files: [text] },
        commands: [{ what: "continue", command: "ooda-codex-review" }],
        naming: { run: null, stateRoot: null, store: null },
        ladder: null
      }
      isSafe(statusPage(status))
      isSafeJson(statusJson(status), holds(text))
      const table = runsTable([run], null)
      isSafe(table)
      assert.lengthOf(lines(table), 3)
      isSafeJson(runsJson([run]), holds(text))
    }))

  const fact: fc.Arbitrary<LoggedEvent<Event>> = foreign.chain((text) => {
    const said = fc.constant(text)
    return fc.oneof(
      target.chain((of) => created({ worktree: text, target: of })),
      events.BatchStarted({ identity: fc.constant({ _tag: "Unknown", why: text }), argv: fc.constant([text]) }),
      events.BatchCompleted({ identity: fc.constant({ _tag: "Known", head: text, tree: text, base: text }) }),
      events.ReviewStarted({ id: said }),
      events.ReviewFinished({ reason: said }),
      events.ReviewFailed({ message: said }),
      events.LevelOutcomeRecorded({ outcome: fc.constant({ _tag: "RetrospectiveChanges", reason: { text } }) }),
      digest({ hex: said }).chain((rest) => events.AddressFailed({ details: fc.constant({ text, rest }) })),
      events.StepAborted(),
      logEvents.TailRepaired({ kept: said })
    )
  })

  it("event by event, also one of a version to come", () =>
    check(fc.tuple(foreign, fact, target.chain((of) => created({ worktree: "/r", target: of }))), (drawn) => {
      const [text, event, first] = drawn
      const run = { root: text, runId: text, repoId: text, targetKey: text }
      const end = { head: { seq: 1, hash: "ab" }, torn: 1, usage: null }
      const unknown = { _tag: text, [text]: text, ignorable: true }
      const envelope = { v: 1, seq: 1, at: text, by: { version: text, pid: 1 }, prev: "", hash: text }
      const { happenings } = walk(walkStart, { ...envelope, events: [first, event, unknown] })
      assert.lengthOf(happenings, 3)
      for (const one of happenings) {
        isSafe(eventText(reviewRunReader, one))
        const raw: unknown = JSON.parse(JSON.stringify(one.raw))
        isSafeJson(eventJson(reviewRunReader, one, run), (value) => assert.deepPropertyVal(value, "event", raw))
      }
      isSafe(runText(text, text) + endText(end))
      isSafeJson(endJson(end, reviewRunReader, run), holds("ab"))
    }))

  it("as it is audited", () =>
    check(fc.tuple(foreign, fact), ([text, event]) => {
      const run = { root: text, runId: text, repoId: text, targetKey: text }
      const words: ReadonlyArray<Word> = [
        { _tag: "Found", finding: { kind: "fact", line: 1, text } },
        { _tag: "Noted", note: { line: 1, text } },
        ...(event._tag !== "ReviewFinished" ? [] : [
          {
            _tag: "Reclassified",
            review: {
              recorded: { line: 1, version: text, event },
              today: { verdict: "NoReview", reason: text, source: null, findings: 0, read: null }
            }
          } as const
        ])
      ]
      isSafe(auditedRunText(run) + words.map(wordText).join("") + endedText({ problem: text }))
      const runs = [auditedRun(run, text, words, { problem: text })]
      isSafeJson(documentText(AuditDocument, { runs, sound: false }), holds(text))
    }))
})

describe("upkeep", () => {
  it("says what it removed and what it kept", () =>
    check(foreign, (text) => {
      const run = { root: text, runId: text, repoId: text, targetKey: text }
      const error = new StoreFailed({ path: text, reason: { _tag: "NotARun" } })
      const judged = [{ run, age: 1, kept: { _tag: "NotRemoved", error } as const }, { run, age: 1, kept: null }]
      const asked = { age: 1, directoryOf: () => text }
      const line = pruned(judged, { ...asked, dryRun: false })
      isSafe(line)
      assert.lengthOf(lines(line), 4)
      isSafeJson(prunedJson(judged, { ...asked, dryRun: true }), holds(text))
    }))

  it("shows what reviewers do", () =>
    check(foreign, (text) => {
      const batch = started([failed(1, text), {
        _tag: "Running",
        slot: 2,
        attempts: 1,
        tries: 1,
        id: text,
        since: "2026-01-01T00:00:00.000Z"
      }])
      const manifest: Manifest = { ...manifestOf(text), batch }
      for (const tail of [text, `exec\n${text} in /r\n`, `web search: ${text}\n`]) {
        const live = new Map([[2, { silentFor: 9000, activity: activityOf(tail) }]])
        const rows = rowsOf(manifest, live, Date.parse("2026-01-01T00:01:00.000Z"))
        assert.lengthOf(rows, 2)
        const drawn = frame(rows.map(workRowOf), 0, { columns: 60, rows: 24 }, false).text
        isSafe(drawn.replace(/\u001b\[\?7[lh]/g, "").replaceAll("\r\n", "\n"))
        for (const row of rows) {
          isSafe(workText(workRowOf(row)))
        }
      }
    }))

  it("says what is wrong with the machine", () =>
    check(foreign, (text) => {
      const answer = { code: 1, stdout: text, stderr: text, problem: null }
      const checks = [
        checkGit(answer, "linux"),
        checkRepository(text, null, checkNode("v22.0.0")),
        checkRepository(text, text, checkNode("v22.0.0")),
        checkLogin(answer, { codex: false, openai: true }, text),
        checkSessions({
          home: text,
          named: true,
          exists: false,
          own: true,
          sessionsProblem: { kind: "Broken", text },
          sessions: 0,
          writeProblem: text,
          provider: text
        }),
        checkStateRoot({
          root: text,
          exists: true,
          safetyProblem: null,
          filling: null,
          writeProblem: text,
          lockProblem: { kind: "Unreliable", text },
          fileSystem: text,
          network: false
        })
      ]
      isSafe(checksText(checks))
      isSafeJson(`${jsonText(checksJson(checks))}\n`)
    }))
})
